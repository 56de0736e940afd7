package realtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mneme-memory/mneme/internal/testkit/program"
)

// world is one user's machine: a home and settings.
type world struct {
	home string // MNEME_HOME
	env  []string
}

// newWorld makes a user with settings, as NAME=value.
func newWorld(t *testing.T, settings ...string) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{home: filepath.Join(dir, "data")}
	w.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir(), "USER=tester", "LANG=C.UTF-8", "TZ=UTC",
		"MNEME_HOME=" + w.home, "MNEME_UI_PORT=0", "MNEME_AUTOSTART=false", "MNEME_QDRANT_BINARY=none",
	}, settings...)
	return w
}

// with is the same user with other settings.
func (w *world) with(settings ...string) *world {
	return &world{home: w.home, env: append(w.env[:len(w.env):len(w.env)], settings...)}
}

func (w *world) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, name), args...)
	cmd.Env, cmd.Dir = w.env, filepath.Dir(w.home)
	return cmd
}

// answer is how a command ended.
type answer struct {
	code           int
	stdout, stderr string
}

func (a answer) String() string { return fmt.Sprintf("exit %d\n%s%s", a.code, a.stdout, a.stderr) }

// cli runs one mneme command to its end.
func (w *world) cli(t testing.TB, args ...string) answer {
	t.Helper()
	// Also when the test is over: what was started is stopped then.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	cmd := w.command(ctx, "mneme", args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatalf("mneme %.80q: %v", args, err)
	}
	a := answer{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	t.Logf("mneme %.120q: %.2000s", args, a)
	return a
}

// ok is cli for a command that succeeds; it returns what it printed.
func (w *world) ok(t testing.TB, args ...string) string {
	t.Helper()
	a := w.cli(t, args...)
	if a.code != 0 {
		t.Fatalf("mneme %.200q: %s", args, a)
	}
	return a.stdout
}

// up starts mneme, and stops it with the test at the latest.
func (w *world) up(t *testing.T) {
	t.Helper()
	w.downAfter(t)
	w.ok(t, "up", "--detach")
}

// upPartly starts mneme where something is known to be wrong with a server.
func (w *world) upPartly(t *testing.T) {
	t.Helper()
	w.downAfter(t)
	if a := w.cli(t, "up", "--detach"); a.code != 5 {
		t.Fatalf("mneme up --detach does not tell that a server is not as it should be: %s", a)
	}
}

func (w *world) downAfter(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		if a := w.cli(t, "down"); a.code != 0 {
			t.Errorf("down: %s", a)
		}
	})
}

// decode reads what a command printed with --json.
func decode[T any](t testing.TB, text string) T {
	t.Helper()
	var out T
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in %.500s", err, text)
	}
	return out
}

// killAll ends what this run has started, by whatever process.
func killAll(dir string) {
	for pid := range program.Of(dir) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // one that has just ended needs none
	}
}
