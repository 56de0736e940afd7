package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 10 * time.Second
	// A server that lived this long before it died starts again without delay.
	steadyAfter = time.Minute

	logCheckInterval    = time.Hour
	statusCheckInterval = 2 * time.Second
)

// supervise starts the server again whenever it dies, until ctx ends.
func (s *Server) supervise(ctx context.Context) {
	defer close(s.done)
	trim := time.NewTicker(logCheckInterval)
	defer trim.Stop()
	status := time.NewTicker(statusCheckInterval)
	defer status.Stop()
	backoff, born := firstBackoff, time.Now()
	for {
		s.mu.Lock()
		current := s.child
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-status.C:
			s.hasten(current)
			continue
		case <-trim.C:
			if err := trimLog(s.place.logFile); err != nil {
				s.log.Warn("trim postgres log", "error", err)
			}
			continue
		case <-current.exited:
		}
		if time.Since(born) > steadyAfter {
			backoff = firstBackoff
		}
		s.log.Warn("postgres ended, starting it again", "error", current.err, "in", backoff)
		if !wait(ctx, backoff) {
			return
		}
		backoff, born = min(2*backoff, maxBackoff), time.Now()
		s.relaunch(ctx)
	}
}

// hasten ends a server that somebody else asked to end with SIGTERM. That way it would wait
// for every connection to be closed and refuse new ones until then, and a pool keeps its
// connections for hours. What it is up to stands on the last line of its pid file.
func (s *Server) hasten(c *child) {
	text, err := os.ReadFile(filepath.Join(s.place.data, "postmaster.pid"))
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "stopping") {
		return // no file: it is starting or has ended, which the supervisor sees
	}
	if err := c.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.log.Warn("hasten the end of postgres", "error", err)
	}
}

// relaunch replaces the dead child. If that fails, the dead one stays in its place and the
// supervisor comes back for it.
func (s *Server) relaunch(ctx context.Context) {
	if err := s.place.stopOrphan(ctx); err != nil {
		s.log.Error("clear what postgres left", "error", err)
		return
	}
	next, err := launch(ctx, s.bin, s.place)
	if err != nil {
		s.log.Error("start postgres again", "error", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.child = next
	s.log.Info("postgres is back", "pid", next.pid())
}

// wait sleeps for d, and reports false if ctx ended first.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
