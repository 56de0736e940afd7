package homestate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// LockPath returns the lock file of a home. The daemon holds an exclusive lock
// on it from before it starts anything until everything has stopped, and its
// process id stands in it. The kernel gives the lock back when the process
// ends, however it ends: so a state file without a held lock is stale.
func LockPath(home string) string { return filepath.Join(home, "lock") }

// holdFor is how long a taker of the lock puts up with those who only look at
// it: [Holder] shares it for a moment.
const holdFor = 300 * time.Millisecond

// Hold makes this process the daemon of a home; held is false when another one
// is. Call release when everything has stopped.
func Hold(ctx context.Context, home string) (release func() error, held bool, err error) {
	l := flock.New(LockPath(home), flock.SetPermissions(0o600))
	waiting, cancel := context.WithTimeout(ctx, holdFor)
	defer cancel()
	ok, err := l.TryLockContext(waiting, holdFor/30)
	if ctx.Err() != nil {
		return nil, false, errors.Join(ctx.Err(), l.Close())
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, false, errors.Join(fmt.Errorf("lock %s: %w", home, err), l.Close())
	}
	if !ok {
		return nil, false, l.Close()
	}
	// Written in place: a renamed file would be another one than the locked.
	if err := os.WriteFile(LockPath(home), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, false, errors.Join(fmt.Errorf("sign the lock: %w", err), l.Unlock())
	}
	return l.Unlock, true, nil
}

// Holder returns the process id of a home's daemon, whether it is ready,
// starting or stopping; 0 if there is none.
func Holder(home string) (pid int, err error) {
	text, err := os.ReadFile(LockPath(home))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at the lock of the daemon: %w", err)
	}
	pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || !Exists(pid) {
		return 0, nil //nolint:nilerr // just made, or what a power cut left: nobody signed it
	}
	l := flock.New(LockPath(home))
	free, err := l.TryRLock()
	if err != nil {
		return 0, fmt.Errorf("look at the lock of the daemon: %w", err)
	}
	if free { // the number went to another program
		return 0, l.Unlock()
	}
	return pid, nil
}

// Exists reports whether a process has this number.
func Exists(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// Running returns the daemon of a home if it is ready. The state file of one
// that was killed may name a process that is now another program's: only the
// held lock proves that it is ours.
func Running(home string) (d Daemon, ready bool, err error) {
	d, err = Read(home)
	if errors.Is(err, fs.ErrNotExist) {
		return Daemon{}, false, nil
	}
	if err != nil {
		return Daemon{}, false, err
	}
	holder, err := Holder(home)
	return d, err == nil && holder == d.PID, err
}
