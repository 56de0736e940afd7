package homestate

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// TestRunning follows a home from nothing to a daemon that was killed.
func TestRunning(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	holder := func() int {
		t.Helper()
		pid, err := Holder(home)
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	ready := func() bool {
		t.Helper()
		_, ok, err := Running(home)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if holder() != 0 || ready() {
		t.Fatal("somebody holds an empty home")
	}
	release, held, err := Hold(t.Context(), home)
	if err != nil || !held {
		t.Fatalf("hold: %v, %v", held, err)
	}
	if holder() != os.Getpid() || ready() {
		t.Errorf("starting: holder %d, ready %v", holder(), ready())
	}
	_, err = TemporalAddress(config.Config{Home: home})
	if memory.CodeOf(err) != memory.Unavailable || !strings.Contains(err.Error(), "starting") {
		t.Errorf("address while starting: %v", err)
	}
	if _, held, err := Hold(t.Context(), home); err != nil || held {
		t.Errorf("held twice: %v, %v", held, err)
	}
	if err := Write(home, Daemon{PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	if !ready() {
		t.Error("not ready")
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if holder() != 0 || ready() { // this process lives, but holds nothing
		t.Errorf("released: holder %d, ready %v", holder(), ready())
	}
}

// TestRunningIsOurs has a state file of a killed daemon whose number went to
// another program, while the next daemon is starting.
func TestRunningIsOurs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	release, _, err := Hold(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	other := exec.CommandContext(t.Context(), "cat") // waits for its input
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); other.Wait() }()
	if err := Write(home, Daemon{PID: other.Process.Pid}); err != nil {
		t.Fatal(err)
	}
	if _, ready, err := Running(home); err != nil || ready {
		t.Errorf("ready %v, %v", ready, err)
	}
}

func TestHolderOfOddLocks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "x", "-1", "0", "99999999999999999999", strconv.Itoa(1 << 30)} {
		home := t.TempDir()
		if err := os.WriteFile(LockPath(home), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if pid, err := Holder(home); pid != 0 || err != nil {
			t.Errorf("%q: %d, %v", text, pid, err)
		}
	}
}
