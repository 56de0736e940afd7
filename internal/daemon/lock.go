package daemon

import (
	"context"
	"errors"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// ErrRunning says that another process is the daemon of this home.
var ErrRunning = errors.New("mneme is already running")

// hold makes this process the only daemon of a home.
func hold(ctx context.Context, home string) (release func() error, err error) {
	release, held, err := homestate.Hold(ctx, home)
	if err != nil {
		return nil, err
	}
	if !held {
		return nil, &memory.Error{Code: memory.Conflict, Op: "up", Err: ErrRunning, Hint: `see it with "mneme status", stop it with "mneme down"`}
	}
	return release, nil
}
