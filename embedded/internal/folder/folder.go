// Package folder makes the folders that the embedded servers keep their data
// in: private to the user, and used by one server at a time.
package folder

import (
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"
)

// ErrInUse says that another live process works in the same folder.
var ErrInUse = errors.New("another process uses this folder")

// Private makes dir with its parents, and takes it away from everybody else.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("make folder private: %w", err)
	}
	return nil
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
