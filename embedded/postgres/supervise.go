package postgres

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mneme-memory/mneme/embedded/internal/child"
)

const (
	logCheckInterval    = time.Hour
	statusCheckInterval = 2 * time.Second
)

// relaunch starts the server again after it died.
func (s *Server) relaunch(ctx context.Context) (*child.Process, error) {
	if err := s.place.stopOrphan(ctx); err != nil {
		return nil, err
	}
	return launch(ctx, s.bin, s.place)
}

// upkeep looks after a running server until Stop.
func (s *Server) upkeep() {
	trim := time.NewTicker(logCheckInterval)
	defer trim.Stop()
	status := time.NewTicker(statusCheckInterval)
	defer status.Stop()
	for {
		select {
		case <-s.keeper.Done():
			return
		case <-status.C:
			s.hasten(s.keeper.Current())
		case <-trim.C:
			if err := trimLog(s.place.logFile); err != nil {
				s.log.Warn("trim postgres log", "err", err)
			}
		}
	}
}

// hasten ends a server that somebody else asked to end with SIGTERM. That way it would wait
// for every connection to be closed and refuse new ones until then, and a pool keeps its
// connections for hours. What it is up to stands on the last line of its pid file.
func (s *Server) hasten(server *child.Process) {
	text, err := os.ReadFile(filepath.Join(s.place.data, "postmaster.pid"))
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "stopping") {
		return // no file: it is starting or has ended, which the keeper sees
	}
	if err := server.Signal(syscall.SIGINT); err != nil {
		s.log.Warn("hasten the end of postgres", "err", err)
	}
}
