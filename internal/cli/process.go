package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/mneme-memory/mneme/internal/config"
)

// pollEvery is how often the state of a daemon is looked at while waiting.
const pollEvery = 50 * time.Millisecond

// running returns the daemon of a home if it is alive. The state file of one
// that was killed may name a process that is now another program's: only a
// held lock proves that it is ours.
func running(home string) (config.Daemon, bool, error) {
	d, err := config.ReadDaemon(home)
	if errors.Is(err, os.ErrNotExist) {
		return config.Daemon{}, false, nil
	}
	if err != nil {
		return config.Daemon{}, false, err
	}
	if !exists(d.PID) {
		return d, false, nil
	}
	held, err := lockHeld(home)
	return d, held, err
}

func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// lockHeld tries to share the daemon's exclusive lock. It is asked only when
// the process of the state file exists, so that it hardly ever gets the lock,
// and then for no time.
func lockHeld(home string) (bool, error) {
	if _, err := os.Stat(config.LockPath(home)); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	lock := flock.New(config.LockPath(home))
	got, err := lock.TryRLock()
	if err != nil {
		return false, fmt.Errorf("look at the lock of the daemon: %w", err)
	}
	if got {
		return false, lock.Unlock()
	}
	return true, nil
}

// until asks done again and again until it says yes or fails, or ctx ends.
func until(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
