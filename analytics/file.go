package analytics

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/mneme-memory/mneme/memory"
)

// The limits of DuckDB while a snapshot is taken or a report is read: an
// analysis must not take the machine from the work that it is about.
const (
	memoryLimit = "512MB"
	threads     = "2"
)

// FileName is the name of the DuckDB file in its folder.
const FileName = "mneme.duckdb"

// The other files of the folder. DuckDB puts its log beside the working copy.
const (
	workName = "next.duckdb"
	copyName = "next.copy"
	lockName = "lock"
	tempName = "tmp"
)

// The ways to open a file.
const (
	readOnly  = "READ_ONLY"
	readWrite = "READ_WRITE"
)

// ErrNotLinked says that this program has no DuckDB; see [Linked]. It is a
// conflict, because trying again does not help.
var ErrNotLinked = memory.Errorf(memory.Conflict, "install a C++ compiler (g++) and build mneme again",
	"this mneme was built without DuckDB, which the analysis needs")

// open opens a DuckDB file. Extensions are neither fetched nor loaded: what
// is built in is enough, and nothing of ours calls out.
func open(path, mode string) (*sql.DB, error) {
	settings := url.Values{
		"access_mode": {mode}, "memory_limit": {memoryLimit}, "threads": {threads},
		"temp_directory":               {filepath.Join(filepath.Dir(path), tempName)},
		"autoinstall_known_extensions": {"false"},
		"autoload_known_extensions":    {"false"},
	}
	c, err := connector(path, settings)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return sql.OpenDB(c), nil
}

// copyFile copies a file and makes the copy durable before it has its name.
// It reports false when there is nothing to copy.
func copyFile(from, via, to string) (bool, error) {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("copy the last snapshot: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(via, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return false, fmt.Errorf("copy the last snapshot: %w", err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return false, errors.Join(fmt.Errorf("copy the last snapshot: %w", err), os.Remove(via))
	}
	if err := os.Rename(via, to); err != nil {
		return false, fmt.Errorf("copy the last snapshot: %w", err)
	}
	return true, nil
}

// publish makes a finished file durable and puts it in the place of the last.
func publish(from, to string) error {
	if err := syncPath(from); err != nil {
		return err
	}
	if err := os.Chmod(from, 0o600); err != nil {
		return fmt.Errorf("publish snapshot: %w", err)
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("publish snapshot: %w", err)
	}
	return syncPath(filepath.Dir(to))
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}

// removeAll removes files that may not be there.
func removeAll(paths ...string) error {
	for _, p := range paths {
		if err := os.RemoveAll(p); err != nil {
			return fmt.Errorf("remove %s: %w", p, err)
		}
	}
	return nil
}
