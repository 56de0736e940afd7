package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mneme-memory/mneme/memory"
)

// EnsureHome creates the data folder for its owner alone, or checks that it is
// so. A folder of ours that others may read is closed to them. A folder with
// other files in it is refused, not closed: MNEME_HOME=/tmp is a slip of the
// pen.
func EnsureHome(home string) error {
	const hint = "set MNEME_HOME to a folder of your own"
	info, err := os.Stat(home)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(home, 0o700); err != nil {
			return memory.Errorf(memory.Invalid, hint, "create data folder: %w", err)
		}
		return nil
	}
	if err != nil {
		return memory.Errorf(memory.Invalid, hint, "open data folder: %w", err)
	}
	if !info.IsDir() {
		return memory.Errorf(memory.Invalid, hint, "the data folder %s is not a folder", home)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return memory.Errorf(memory.Invalid, "run mneme as that user, or "+hint,
			"the data folder %s belongs to user %d, not to you (%d)", home, st.Uid, os.Geteuid())
	}
	return closeHome(home, info)
}

func closeHome(home string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	ours, err := IsHome(home)
	if err != nil {
		return err
	}
	if !ours || info.Mode()&fs.ModeSticky != 0 {
		return memory.Errorf(memory.Invalid, fmt.Sprintf("set MNEME_HOME to a new folder, or close this one: chmod 700 %s", home),
			"other users may enter the data folder %s, and it holds things that are not mneme's", home)
	}
	if err := os.Chmod(home, 0o700); err != nil {
		return fmt.Errorf("close data folder to other users: %w", err)
	}
	return nil
}

// IsHome reports whether a folder may be a data folder: it is empty or holds something that mneme
// makes.
func IsHome(home string) (bool, error) {
	entries, err := os.ReadDir(home)
	if err != nil {
		return false, fmt.Errorf("read data folder: %w", err)
	}
	if len(entries) == 0 {
		return true, nil
	}
	for _, name := range []string{FileName, "daemon.json", "lock", "logs"} {
		_, err := os.Lstat(filepath.Join(home, name))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("read data folder: %w", err)
		}
	}
	return false, nil
}
