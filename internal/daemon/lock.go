package daemon

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/mneme-memory/mneme/memory"
)

// ErrRunning says that another process is the daemon of this home.
var ErrRunning = errors.New("mneme is already running")

// lock makes this process the only daemon of a home. The kernel gives the
// lock back when the process ends, however it ends.
func lock(home string) (*flock.Flock, error) {
	l := flock.New(filepath.Join(home, "lock"), flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", home, err)
	}
	if !ok {
		return nil, &memory.Error{Code: memory.Conflict, Op: "up", Err: ErrRunning, Hint: `see it with "mneme status", stop it with "mneme down"`}
	}
	return l, nil
}
