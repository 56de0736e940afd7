package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	embedded "github.com/fergusstrange/embedded-postgres"

	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

// sharedCache is where fetched binaries go when the server's user cannot reach CacheDir,
// which lies in root's home. Anybody may read them, as if a package had put them there.
const sharedCache = "/var/cache/mneme"

// fetchable are the versions the library offers, by major. The first start takes 18.
var fetchable = map[int]embedded.PostgresVersion{ //nolint:gochecknoglobals // never changes
	0: embedded.V18, 18: embedded.V18, 17: embedded.V17, 16: embedded.V16,
	15: embedded.V15, 14: embedded.V14, 13: embedded.V13,
}

// fetchedDirs are the folders that earlier fetches may have filled.
func fetchedDirs(cacheDir string, account account) []string {
	if cacheDir == "" {
		return nil
	}
	var dirs []string
	for _, root := range []string{cacheDir, sharedCache} {
		if root == sharedCache && !account.dropped {
			continue
		}
		matches, err := filepath.Glob(filepath.Join(root, "postgresql-*", "bin"))
		if err == nil { // only a malformed pattern; then there is simply nothing found
			dirs = append(dirs, matches...)
		}
	}
	return dirs
}

// fetch gets the binaries from the place the library knows, once, and moves them into
// their final place when they are complete. It can be interrupted at any time; the next
// call begins again, from the archive if that had arrived.
func fetch(ctx context.Context, opts Options, account account, major int) (Binaries, error) {
	version, ok := fetchable[major]
	if !ok {
		return Binaries{}, fmt.Errorf("fetch PostgreSQL %d: not on offer", major)
	}
	root, err := cacheFor(opts.CacheDir, account)
	if err != nil {
		return Binaries{}, err
	}
	final := filepath.Join(root, "postgresql-"+string(version))
	unpacked := filepath.Join(root, "fetching")
	for _, leftover := range []string{unpacked, final} {
		if err := os.RemoveAll(leftover); err != nil {
			return Binaries{}, fmt.Errorf("clear earlier fetch: %w", err)
		}
	}
	began := time.Now()
	if err := download(ctx, opts, version, unpacked, filepath.Join(root, "archive")); err != nil {
		return Binaries{}, fmt.Errorf("fetch PostgreSQL %s: %w", version, err)
	}
	if account.dropped {
		if err := openToAll(filepath.Join(unpacked, "pg")); err != nil {
			return Binaries{}, err
		}
	}
	if err := folder.SyncTree(filepath.Join(unpacked, "pg")); err != nil {
		return Binaries{}, err
	}
	if err := os.Rename(filepath.Join(unpacked, "pg"), final); err != nil {
		return Binaries{}, fmt.Errorf("put PostgreSQL in place: %w", err)
	}
	if err := folder.Sync(root); err != nil {
		return Binaries{}, err
	}
	if err := errors.Join(os.RemoveAll(unpacked), os.RemoveAll(filepath.Join(root, "archive"))); err != nil {
		return Binaries{}, fmt.Errorf("clear after fetching: %w", err)
	}
	opts.Logger.Info("fetched PostgreSQL", "version", string(version), "folder", final, "took", time.Since(began))
	return inspect(ctx, filepath.Join(final, "bin"))
}

// cacheFor chooses a folder the server's user can run programs from.
func cacheFor(cacheDir string, account account) (string, error) {
	if !account.dropped {
		return cacheDir, folder.Private(cacheDir)
	}
	if err := errors.Join(os.MkdirAll(sharedCache, 0o755), os.Chmod(sharedCache, 0o755)); err != nil {
		return "", fmt.Errorf("make %s: %w", sharedCache, err)
	}
	return sharedCache, nil
}

// openToAll lets all users read and run the unpacked files, also under a strict umask.
func openToAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		mode := info.Mode().Perm() | 0o444
		if entry.IsDir() || mode&0o100 != 0 {
			mode |= 0o111
		}
		return os.Chmod(path, mode)
	})
}

// download runs the library until the binaries are unpacked, in two rounds: the first one only
// fetches the archive, which is then checked against the sum in [sums], and the second one
// unpacks it. So no file of an unexpected archive is ever run.
func download(ctx context.Context, opts Options, version embedded.PostgresVersion, unpacked, archive string) error {
	// The library cannot unpack below a link that leads nowhere, and so the first round ends.
	closed := filepath.Join(unpacked, "closed")
	if err := errors.Join(os.MkdirAll(unpacked, 0o755), os.Symlink("nowhere", closed)); err != nil {
		return fmt.Errorf("prepare folder: %w", err)
	}
	fetched := runLibrary(ctx, opts, version, unpacked, archive, filepath.Join(closed, "pg"))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := check(archive); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fetched // why nothing came
		}
		return err
	}
	pg := filepath.Join(unpacked, "pg")
	err := runLibrary(ctx, opts, version, unpacked, archive, pg)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, there := os.Stat(filepath.Join(pg, "bin")); there != nil {
		return err // why nothing was unpacked
	}
	_, err = inspect(ctx, filepath.Join(pg, "bin"))
	return err
}

// runLibrary runs the library's Start. Only its beginning is wanted: fetch and unpack. Then it
// would run initdb, which refuses root and would make a cluster with a password; a data
// folder that claims to be a cluster already makes it skip that, and its attempt to start a
// server there fails at once, because apart from the claim the folder is empty. So an error
// is what success looks like, and the proof is that the binaries are there and run.
func runLibrary(ctx context.Context, opts Options, version embedded.PostgresVersion, unpacked, archive, pg string) error {
	data := filepath.Join(unpacked, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(version), 0o600); err != nil {
		return fmt.Errorf("prepare folder: %w", err)
	}
	port, err := anyPort()
	if err != nil {
		return err
	}
	config := embedded.DefaultConfig().
		Version(version).
		Port(port). // it insists on a free one, though nothing will listen
		CachePath(archive).
		BinariesPath(pg).
		RuntimePath(filepath.Join(unpacked, "run")).
		DataPath(data).
		Logger(io.Discard)

	result := make(chan error, 1)
	// The library takes no context. Interrupted, we leave it to finish into a folder that
	// the next fetch clears.
	go func() {
		err := embedded.NewDatabase(config).Start()
		removeLogs()
		result <- err
	}()
	return follow(ctx, result, pg, opts.Progress)
}

// removeLogs removes the logs that the library leaves among the temporary files.
// The library keeps its own logs open, and by that they are told from the logs of
// other programs.
func removeLogs() {
	logs, err := filepath.Glob(filepath.Join(os.TempDir(), "embedded_postgres_log*"))
	if err != nil || len(logs) == 0 {
		return
	}
	open, err := filepath.Glob("/dev/fd/*")
	if err != nil {
		return
	}
	for _, path := range logs {
		ours := slices.ContainsFunc(open, func(fd string) bool { return sameFile(fd, path) })
		if ours {
			_ = os.Remove(path) // it is small, and it is in a folder that is cleared
		}
	}
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// follow reports progress until the library is done. The library downloads into memory,
// so there is no file to measure before it unpacks.
func follow(ctx context.Context, result <-chan error, unpacked string, progress func(done, total int64, what string)) error {
	if progress == nil {
		progress = func(int64, int64, string) {}
	}
	const unknown = -1
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if done := folderSize(unpacked); done == 0 {
			progress(0, unknown, "downloading PostgreSQL")
		} else {
			progress(done, unknown, "unpacking PostgreSQL")
		}
		select {
		case err := <-result:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func folderSize(dir string) (total int64) {
	// What cannot be read is not counted: files appear and move while we look.
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}

func anyPort() (uint32, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := uint32(l.Addr().(*net.TCPAddr).Port) //nolint:gosec,forcetypeassert // a TCP listener's port
	return port, l.Close()
}
