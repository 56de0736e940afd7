package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mneme-memory/mneme/embedded/internal/child"
)

// stopOrphan ends a server that still runs on this cluster although nobody holds the
// folder's lock: the child of a parent that was killed, caught in the middle of its
// shutdown. Two servers on one cluster would destroy it; PostgreSQL guards against that
// with the same file, and here the guard becomes a wait instead of an error.
func (p *place) stopOrphan(ctx context.Context) error {
	pid, err := postmasterPID(filepath.Join(p.data, "postmaster.pid"))
	if err != nil || pid == 0 {
		return err
	}
	for _, step := range []struct {
		signal  syscall.Signal
		timeout time.Duration
	}{
		{syscall.SIGINT, fastTimeout},
		{syscall.SIGQUIT, immediateTimeout},
	} {
		if !p.isOurs(ctx, pid) {
			return nil
		}
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop earlier postgres (pid %d): %w", pid, err)
		}
		if p.waitGone(ctx, pid, step.timeout) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("wait for earlier postgres (pid %d): %w", pid, err)
		}
	}
	return fmt.Errorf("stop earlier postgres (pid %d): it does not end; end it with: kill -9 %d", pid, pid)
}

func (p *place) waitGone(ctx context.Context, pid int, timeout time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for p.isOurs(ctx, pid) {
		if !child.Wait(ctx, 20*time.Millisecond) {
			return false
		}
	}
	return true
}

// isOurs reports whether pid is a live server of this very cluster, and not a stranger who
// was given the number later. A server works inside its data folder.
func (p *place) isOurs(ctx context.Context, pid int) bool {
	if runtime.GOOS == "linux" {
		cwd, err := os.Stat(fmt.Sprintf("/proc/%d/cwd/.", pid))
		if err != nil {
			return false
		}
		data, err := os.Stat(p.data)
		return err == nil && os.SameFile(cwd, data)
	}
	out, err := exec.CommandContext(ctx, "ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output() //nolint:gosec // a number
	return err == nil && strings.Contains(string(out), p.data)
}

// postmasterPID reads the number a running server wrote into its cluster; 0 if none did.
func postmasterPID(path string) (pid int, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for an earlier postgres: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	line, _ := bufio.NewReader(f).ReadString('\n') // an empty file is what a power cut leaves
	return parsePID(line), nil
}

// parsePID is forgiving, because nothing can be signalled by a number that is none. PID 1
// and below are never a server of ours; negative numbers would signal a whole group.
func parsePID(line string) int {
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid <= 1 {
		return 0
	}
	return pid
}
