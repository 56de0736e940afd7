package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/memory"
)

// TestFolder expects a warning for a missing data folder, and for a folder that other users
// may enter.
func TestFolder(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	o := Options{Config: config.Config{Home: home}}
	var warning Warning
	if _, err := o.folder(t.Context()); !errors.As(err, &warning) || memory.CodeOf(warning.Err) != memory.NotFound {
		t.Errorf("none: %v", err)
	}
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if detail, err := o.folder(t.Context()); err != nil || detail != home {
		t.Errorf("closed: %q, %v", detail, err)
	}
	if err := os.Chmod(home, 0o755); err != nil { //nolint:gosec // that is what is to be found
		t.Fatal(err)
	}
	if _, err := o.folder(t.Context()); !errors.As(err, &warning) || memory.CodeOf(warning.Err) != memory.Conflict {
		t.Errorf("open: %v", err)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	at := func(year int) Options {
		return Options{Now: func() time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }}
	}
	var warning Warning
	if _, err := at(1970).clock(t.Context()); !errors.As(err, &warning) {
		t.Errorf("1970: %v", err)
	}
	if _, err := at(2026).clock(t.Context()); err != nil {
		t.Errorf("2026: %v", err)
	}
}

// TestHooks warns when a quarter of the last hooks failed or were late.
func TestHooks(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := Options{Config: config.Config{Home: home}}
	add := func(outcome string, n int) {
		for range n {
			if err := hooklog.Append(home, hooklog.Entry{At: time.Now(), Event: "Stop", Outcome: outcome}); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(hooklog.Late, fewHooks-1)
	if _, err := o.hooks(t.Context()); err != nil {
		t.Errorf("too few to tell: %v", err)
	}
	add(hooklog.Late, 1)
	var warning Warning
	if detail, err := o.hooks(t.Context()); !errors.As(err, &warning) {
		t.Errorf("all late: %q, %v", detail, err)
	}
}
