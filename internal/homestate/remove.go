package homestate

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// CheckRemovable refuses a data folder that must not be deleted as a whole: one that is none of
// mneme's, a link, or a folder above the user's own files.
func CheckRemovable(home string) error {
	const hint = "delete what is mneme's in it by hand"
	info, err := os.Lstat(home)
	if err != nil {
		return memory.Errorf(memory.NotFound, "there is nothing to delete", "open data folder: %w", err)
	}
	if !info.IsDir() {
		return memory.Errorf(memory.Refused, hint, "the data folder %s is a link or no folder", home)
	}
	if user, err := os.UserHomeDir(); err == nil {
		if inside, err := filepath.Rel(home, user); err == nil && filepath.IsLocal(inside) {
			return memory.Errorf(memory.Refused, hint, "the data folder %s holds your home folder", home)
		}
	}
	entries, err := os.ReadDir(home)
	if err != nil {
		return fmt.Errorf("read data folder: %w", err)
	}
	ours, err := config.IsHome(home)
	if err != nil {
		return err
	}
	if len(entries) > 0 && !ours || filepath.Dir(home) == home {
		return memory.Errorf(memory.Refused, hint, "the folder %s holds nothing that mneme made", home)
	}
	return nil
}

// RemoveHome deletes a data folder with all that is in it. No daemon may run there.
func RemoveHome(home string) error {
	if err := CheckRemovable(home); err != nil {
		return err
	}
	pid, err := Holder(home)
	if err != nil {
		return err
	}
	if pid != 0 {
		return memory.Errorf(memory.Conflict, `stop it with "mneme down"`, "process %d still uses the data folder", pid)
	}
	if err := os.RemoveAll(home); err != nil {
		return memory.Errorf(memory.Internal, "delete the rest by hand", "delete the data folder: %w", err)
	}
	return nil
}
