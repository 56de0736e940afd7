package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// The free space below which the check of the disk warns or fails, in bytes.
const (
	littleDisk = 1 << 30
	noDisk     = 100 << 20
)

// folder finds a data folder that others may enter.
func (o Options) folder(context.Context) (string, error) {
	home := o.Config.Home
	info, err := os.Stat(home)
	if errors.Is(err, os.ErrNotExist) {
		return home, Warning{memory.Errorf(memory.NotFound, `"mneme up" creates it`, "does not exist yet")}
	}
	if err != nil {
		return home, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return home, Warning{memory.Errorf(memory.Conflict, "chmod 700 the data folder", "other users may enter it (mode %o)", info.Mode().Perm())}
	}
	return home, nil
}

// disk finds a disk that is nearly full.
func (o Options) disk(context.Context) (string, error) {
	home := o.Config.Home
	var fs syscall.Statfs_t
	if _, err := os.Stat(home); errors.Is(err, os.ErrNotExist) {
		home = filepath.Dir(home) // where it will be
	}
	if err := syscall.Statfs(home, &fs); err != nil {
		return "", Warning{fmt.Errorf("ask for the free space of %s: %w", home, err)}
	}
	free := uint64(fs.Bavail) * uint64(fs.Bsize) //nolint:unconvert // the types differ between systems
	detail := fmt.Sprintf("%.1f GB free", float64(free)/1e9)
	const hint = "make room, or move the data folder and set MNEME_HOME"
	switch {
	case free < noDisk:
		return detail, memory.Errorf(memory.Conflict, hint, "almost nothing can be stored")
	case free < littleDisk:
		return detail, Warning{memory.Errorf(memory.Conflict, hint, "little is left")}
	}
	return detail, nil
}

// clock finds a clock that was never set: confidence fades by dates.
func (o Options) clock(context.Context) (string, error) {
	now := o.Now()
	detail := now.Format(time.RFC3339)
	if now.Year() < 2025 {
		return detail, Warning{memory.Errorf(memory.Conflict, "set the clock of this machine", "the clock is in the past")}
	}
	return detail, nil
}
