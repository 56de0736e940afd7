package temporal

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

// ErrNewerFile says that the file was written by a newer Temporal than this program has. Work
// that waits in it is finished by a program with that one.
var ErrNewerFile = errors.New("the file was written by a newer version")

// copies match the names under which files are kept as they were before an upgrade.
const copies = "temporal-*.db"

// fileState is what is known of a file before a server works on it.
type fileState struct {
	complete bool // schema and namespace are in it; false also if there is no file
	versions versions
}

// inspect reads the state of the file at path, through SQLite because some of it may still be
// in the log.
func inspect(ctx context.Context, path string) (state fileState, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fileState{}, nil
	}
	db, err := openSQLite(path)
	if err != nil {
		return fileState{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var mark int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&mark); err != nil {
		return fileState{}, fmt.Errorf("read %s: %w", path, err)
	}
	if mark == 0 {
		return fileState{}, nil
	}
	if state.versions, err = readVersions(ctx, db); err != nil {
		return fileState{}, fmt.Errorf("read %s: %w", path, err)
	}
	state.complete = true
	if mark > schemaComplete || state.versions.newerThan(ours()) {
		return fileState{}, fmt.Errorf("%w: %s was written by %s, this program has %s",
			ErrNewerFile, path, state.versions, ours())
	}
	return state, nil
}

func openSQLite(path string) (*gosql.DB, error) {
	db, err := gosql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=rw")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return db, nil
}

// upgrade puts a file of this server's version in the place of an older one. The work is done
// on a copy and the old file stays as it is, under another name: whatever fails, and wherever
// it is cut off, path is one of the two.
func upgrade(ctx context.Context, path string, from versions, logger *slog.Logger) error {
	dir := filepath.Dir(path)
	fresh := path + ".new"
	if err := removeDatabase(fresh); err != nil {
		return err
	}
	if err := foldLog(ctx, path); err != nil {
		return err
	}
	kept := filepath.Join(dir, "temporal-"+from.server+".db")
	for _, to := range []string{kept, fresh} {
		if err := copyFile(path, to); err != nil {
			return err
		}
	}
	if err := migrateFile(ctx, fresh, from); err != nil {
		return errors.Join(err, removeDatabase(fresh))
	}
	if err := os.Rename(fresh, path); err != nil {
		return fmt.Errorf("put the upgraded file in place: %w", err)
	}
	if err := folder.Sync(dir); err != nil {
		return err
	}
	logger.Info("upgraded temporal's file", "from", from.String(), "to", ours().String(), "kept", kept)
	return nil
}

// foldLog brings everything into the file itself, and makes sure of it: the log of an old
// file beside a new one would be read into it.
func foldLog(ctx context.Context, path string) error {
	db, err := openSQLite(path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if err := errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("fold the log into %s: %w", path, err)
	}
	info, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the log of %s: %w", path, err)
	}
	return fmt.Errorf("fold the log into %s: another program reads the file; end it and try again", path)
}

// migrateFile works on a file that nobody uses yet, and leaves it on the disk.
func migrateFile(ctx context.Context, path string, from versions) error {
	db, err := openSQLite(path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if err := errors.Join(migrate(ctx, db, from), db.Close()); err != nil {
		return fmt.Errorf("upgrade from %s to %s: %w", from, ours(), err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("flush the upgraded file: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("flush the upgraded file: %w", err)
	}
	return nil
}

// copyFile makes a private copy that is on the disk, under its name, when it returns.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	defer in.Close()
	out, err := renameio.NewPendingFile(to, renameio.WithTempDir(filepath.Dir(to))) // mode 0600
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(fmt.Errorf("copy %s: %w", from, err), out.Cleanup())
	}
	if err := out.CloseAtomicallyReplace(); err != nil {
		return errors.Join(fmt.Errorf("copy %s: %w", from, err), out.Cleanup())
	}
	return folder.Sync(filepath.Dir(to))
}

// removeDatabase removes a file and what SQLite keeps beside it, the file itself last: while
// it is there, the next start does this again.
func removeDatabase(path string) error {
	for _, suffix := range []string{"-shm", "-wal", ""} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what was left half made: %w", err)
		}
	}
	return nil
}

// removeCopies removes files from before an upgrade that are older than age. They hold what
// the file held, and nothing may be kept longer than that.
func removeCopies(dir string, age time.Duration) error {
	names, err := filepath.Glob(filepath.Join(dir, copies))
	if err != nil {
		return fmt.Errorf("list copies: %w", err)
	}
	var errs []error
	for _, name := range names {
		info, err := os.Stat(name)
		if err == nil && time.Since(info.ModTime()) > age {
			err = os.Remove(name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove copy: %w", err))
		}
	}
	return errors.Join(errs...)
}
