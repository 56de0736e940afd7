package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/mneme-memory/mneme/internal/autostart"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

const (
	tailLines = 20 // shown when the daemon dies
	tailBytes = 16 << 10

	// stopTimeout is how long a daemon whose start was given up may take to undo it.
	stopTimeout = 10 * time.Second
)

// detach starts this program again in a session of its own, waits until it is
// ready and leaves it alone.
func (a *app) detach(ctx context.Context, cfg config.Config, timeout time.Duration) error {
	log, err := autostart.OpenLog(cfg.Home)
	if err != nil {
		return err
	}
	defer log.Close()
	start, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	child, err := a.child(cfg, log)
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return fmt.Errorf("start %s: %w", child.Path, err)
	}
	died := make(chan error, 1)
	go func() { died <- child.Wait() }()
	a.note("starting, process %d, log in %s", child.Process.Pid, log.Name())
	return a.awaitChild(ctx, cfg, child, died, log.Name(), start, timeout)
}

func (a *app) awaitChild(ctx context.Context, cfg config.Config, child *exec.Cmd, died <-chan error, log string, start int64, timeout time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var d homestate.Daemon
	err := until(waiting, func() (bool, error) {
		select {
		case err := <-died:
			return false, childDied(err, log, start)
		default:
		}
		var alive bool
		var err error
		d, alive, err = homestate.Running(cfg.Home)
		return alive, err
	})
	if waiting.Err() != nil && err != nil {
		giveUp(child, died)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return memory.Errorf(memory.Unavailable, "see "+log, "mneme was not ready after %s:\n%s", timeout, tail(log, start))
	}
	if err != nil {
		return err
	}
	if d.PID != child.Process.Pid {
		return a.printReady(ctx, cfg, d, alreadyRunning) // another one was quicker
	}
	return a.printReady(ctx, cfg, d, inBackground)
}

// giveUp ends a daemon that is still starting: left alone it would go on behind the
// user's back. A daemon that takes too long to clean up may finish on its own.
func giveUp(child *exec.Cmd, died <-chan error) {
	child.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended by itself
	timer := time.NewTimer(stopTimeout)
	defer timer.Stop()
	select {
	case <-died:
	case <-timer.C:
	}
}

func childDied(err error, log string, start int64) error {
	if err == nil {
		err = errors.New("it ended by itself")
	}
	lines := tail(log, start)
	if lines == "" {
		lines = "  (it wrote nothing)"
	}
	return memory.Errorf(memory.Internal, "the whole log is "+log, "mneme did not start (%w). Its last words:\n%s", err, lines)
}

// child is the command of the daemon. Settings that came by flag go by
// environment, where other users of the machine cannot read them.
func (a *app) child(cfg config.Config, log *os.File) (*exec.Cmd, error) {
	exe, err := a.sys.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	environ := append([]string{}, a.sys.Environ...)
	for _, d := range config.Describe() {
		if given := a.settings[d.Setting]; given != nil && *given != "" && d.Setting != "home" {
			environ = append(environ, d.Env+"="+*given)
		}
	}
	return autostart.Command(exe, cfg.Home, environ, log)
}

// tail returns the last lines of a log from an offset on, indented. A log that
// cannot be read has none.
func tail(path string, start int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		start = max(start, info.Size()-tailBytes)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, start, tailBytes))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(printable(string(text))), "\n")
	lines = lines[max(0, len(lines)-tailLines):]
	if len(lines) == 1 && lines[0] == "" {
		return ""
	}
	return "  " + strings.Join(lines, "\n  ")
}
