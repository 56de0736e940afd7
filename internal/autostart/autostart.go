// Package autostart starts "mneme up" in the background, on behalf of the
// programs that Claude Code starts: they must not wait for it, there must be
// one daemon however many of them begin at once, and a daemon that cannot
// start must not be started over and over.
//
// [Start] decides and returns at once; [Attempt.Wait] waits for the daemon. A
// stamp file in the home folder tells of a start that is under way or failed;
// the daemon removes it ([Clear]) when it is ready.
package autostart

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// System is the world around the caller. [OS] returns the real one.
type System struct {
	Env        func(string) string
	Environ    []string               // all of the environment
	Executable func() (string, error) // path of the caller's program
	Now        func() time.Time
}

// OS returns the process's own system.
func OS() System {
	return System{Env: os.Getenv, Environ: os.Environ(), Executable: os.Executable, Now: time.Now}
}

// Outcome says what [Start] found or did.
type Outcome string

// The outcomes.
const (
	Off      Outcome = "off"      // by setting, or because Temporal is elsewhere
	Ready    Outcome = "ready"    // the daemon runs already
	Starting Outcome = "starting" // somebody else's start is under way
	Started  Outcome = "started"  // this call started it
	Waiting  Outcome = "waiting"  // the last starts failed, and it is too early for the next
)

// Attempt is the outcome of one [Start].
type Attempt struct {
	Outcome Outcome
	PID     int // of the process that was started; 0 unless Started

	home string
	at   time.Time
	now  func() time.Time
}

// Start starts the daemon of cfg's home unless one runs, is starting or failed
// a moment ago, or unless there is nothing to start. It never waits.
func Start(cfg config.Config, sys System) (*Attempt, error) {
	a := &Attempt{home: cfg.Home, at: sys.Now(), now: sys.Now}
	if !cfg.Autostart || cfg.Temporal.Address != "" {
		a.Outcome = Off
		return a, nil
	}
	if _, ready, err := homestate.Running(cfg.Home); err == nil && ready {
		a.Outcome = Ready
		return a, nil
	}
	if err := config.EnsureHome(cfg.Home); err != nil {
		return nil, err
	}
	// Only who holds this lock may start a daemon; a process without the lock can rely on the
	// holder.
	lock := flock.New(filepath.Join(cfg.Home, "autostart.lock"), flock.SetPermissions(0o600))
	first, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the start of the daemon: %w", err)
	}
	if !first {
		a.Outcome = Starting
		return a, nil
	}
	err = a.decide(sys)
	if err := errors.Join(err, lock.Unlock()); err != nil {
		return nil, err
	}
	return a, nil
}

// decide sets the outcome, and starts the daemon if it is Started.
func (a *Attempt) decide(sys System) error {
	holder, err := homestate.Holder(a.home)
	if err != nil {
		return err
	}
	if holder != 0 {
		a.Outcome = Starting
		if _, ready, err := homestate.Running(a.home); err == nil && ready {
			a.Outcome = Ready
		}
		return nil
	}
	last, err := readStamp(a.home)
	if err != nil {
		return err
	}
	switch {
	case last.underWay(a.at):
		a.Outcome = Starting
		return nil
	case a.at.Before(last.next()):
		a.Outcome = Waiting
		return nil
	}
	return a.launch(sys, last)
}

func (a *Attempt) launch(sys System, last stamp) error {
	program, err := Find(sys)
	if err != nil {
		return err
	}
	// Stamped before and after: if this process is killed in between, the next one waits.
	next := stamp{At: a.at, Failures: last.failed()}
	if err := next.write(a.home); err != nil {
		return err
	}
	if a.PID, err = spawn(program, a.home, sys); err != nil {
		return err
	}
	a.Outcome, next.PID = Started, a.PID
	return next.confirm(a.home)
}

// Find returns the mneme program: the one beside the caller's, else the one
// that MNEME_BIN names, else the one that PATH leads to.
func Find(sys System) (string, error) {
	var dirs []string
	if exe, err := sys.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(exe))
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	var candidates []string
	for _, dir := range dirs {
		candidates = append(candidates, filepath.Join(dir, "mneme"))
	}
	candidates = append(candidates, sys.Env("MNEME_BIN"))
	for _, dir := range filepath.SplitList(sys.Env("PATH")) {
		candidates = append(candidates, filepath.Join(dir, "mneme"))
	}
	for _, path := range candidates {
		// A relative path would be looked for in whatever folder a session began.
		if !filepath.IsAbs(path) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", memory.Errorf(memory.NotFound, "set MNEME_BIN to the path of the mneme program, or start it yourself with \"mneme up\"",
		"start mneme: its program is neither beside this one nor on PATH")
}

const (
	pollEvery = 25 * time.Millisecond
	// grace is how long another process that holds the start's lock may take to stamp.
	grace = 2 * time.Second
)

// Wait returns when the daemon is ready. It fails when the start did, when
// there is none to wait for, or when ctx ends.
func (a *Attempt) Wait(ctx context.Context) error {
	if a.Outcome == Off {
		return nil
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if _, ready, err := homestate.Running(a.home); err != nil || ready {
			return err
		}
		under, err := a.underWay()
		if err != nil {
			return err
		}
		if !under {
			return memory.Down("mneme", "see "+homestate.LogPath(a.home)+`, or run "mneme up" to see what is wrong`, errors.New("mneme could not be started"))
		}
		select {
		case <-ctx.Done():
			return memory.Down("mneme", `try again in a moment, or see "mneme status"`, fmt.Errorf("mneme is still starting: %w", ctx.Err()))
		case <-tick.C:
		}
	}
}

// underWay reports whether a daemon may still become ready.
func (a *Attempt) underWay() (bool, error) {
	holder, err := homestate.Holder(a.home)
	if err != nil || holder != 0 {
		return true, err
	}
	last, err := readStamp(a.home)
	now := a.now()
	return last.underWay(now) || a.Outcome == Starting && now.Sub(a.at) < grace, err
}
