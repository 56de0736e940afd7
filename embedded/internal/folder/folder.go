// Package folder makes the folders that the embedded servers keep their data
// in: private to the user, and used by one server at a time.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// ErrInUse says that another live process works in the same folder.
var ErrInUse = errors.New("another process uses this folder")

// Private makes dir with its parents, so that a power cut keeps them, and takes it away from
// everybody else.
func Private(dir string) error {
	there := dir // the part of dir that was there before
	for there != filepath.Dir(there) {
		if _, err := os.Stat(there); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		there = filepath.Dir(there)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	for made := dir; made != there; made = filepath.Dir(made) {
		if err := Sync(filepath.Dir(made)); err != nil {
			return err
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("make folder private: %w", err)
	}
	return nil
}

// Sync waits until the disk has the names in dir: of files that were made, renamed or removed.
// What is in a file has to be synced itself.
func Sync(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	err = f.Sync()
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	return nil
}

// SyncTree waits until the disk has everything in and below dir, but not the name of dir.
func SyncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("sync folder %s: %w", dir, err)
		case entry.IsDir():
			return Sync(path)
		case !entry.Type().IsRegular(): // a link is in its folder
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("sync file: %w", err)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("sync file %s: %w", path, err)
		}
		return nil
	})
}

// Lock takes the lock file at path, or fails with [ErrInUse]. The kernel gives
// the lock back when the process ends, however it ends.
func Lock(path string) (unlock func() error, err error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		return nil, fmt.Errorf("lock %s: %w", path, ErrInUse)
	}
	return lock.Unlock, nil
}
