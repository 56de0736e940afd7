package child

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// spawn runs a shell script that says a line when it is ready, and then reads its input.
func spawn(t *testing.T, script string) *Process {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script+"; echo ready; exec cat") //nolint:noctx // Stop ends it
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	p, err := Start(cmd, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(Step{syscall.SIGKILL, time.Minute}) })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestStopAsksHarder(t *testing.T) {
	t.Parallel()
	p := spawn(t, `trap "" TERM`) // what is ignored stays so in the program that follows
	err := p.Stop(Step{syscall.SIGTERM, 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "does not end") {
		t.Fatalf("deaf to SIGTERM: %v", err)
	}
	if err := p.Stop(Step{syscall.SIGTERM, 10 * time.Millisecond}, Step{syscall.SIGKILL, time.Minute}); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if !errors.As(p.Err(), &exit) {
		t.Errorf("it ended with %v", p.Err())
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("signal to what has ended: %v", err)
	}
}

func TestNoSuchProgram(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nothing")
	if _, err := Start(exec.Command(path), syscall.SIGKILL); !errors.Is(err, os.ErrNotExist) { //nolint:noctx // it never runs
		t.Fatalf("got %v", err)
	}
}

// TestKeeper has the first attempt to start again fail.
func TestKeeper(t *testing.T) {
	t.Parallel()
	first := spawn(t, ":")
	var tries atomic.Int32
	back := make(chan *Process, 1)
	k := Keep("thing", first, func(context.Context) (*Process, error) {
		if tries.Add(1) == 1 {
			return nil, errors.New("not yet")
		}
		p := spawn(t, ":")
		back <- p
		return p, nil
	}, slog.New(slog.DiscardHandler))
	if err := first.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	second := <-back
	if err := k.Stop(Step{syscall.SIGTERM, time.Minute}); err != nil {
		t.Fatal(err)
	}
	<-k.Done()
	if k.Current() != second || tries.Load() != 2 {
		t.Errorf("process %d after %d tries, want %d", k.Current().PID(), tries.Load(), second.PID())
	}
	select {
	case <-second.Exited():
	default:
		t.Error("stopped, but the process lives")
	}
}

func TestLogTail(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("old\n"+strings.Repeat("x\n", 9000)+"1\n2\n3\n4\n5\n6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := LogTail(path, 4); got != "2 | 3 | 4 | 5 | 6" {
		t.Errorf("got %q", got)
	}
	if got := LogTail(path+"x", 0); got != "(not readable)" {
		t.Errorf("got %q", got)
	}
}
