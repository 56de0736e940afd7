package endtoend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-memory/mneme/internal/testkit/program"
)

// world is one user's machine: a home, a data folder, the binaries, and all
// that they ever printed.
type world struct {
	bin  string
	dir  string   // everything below; HOME, TMPDIR and the data folder are in it
	home string   // MNEME_HOME
	env  []string // of every process
	said *record
}

// record keeps what processes print. It may be written to by many.
type record struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all.Write(p)
}

func (r *record) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.all.Bytes())
}

// newWorld makes the folders. settings, as NAME=value, come after the defaults.
func newWorld(root, name, bin string, settings ...string) (*world, error) {
	w := &world{bin: bin, dir: filepath.Join(root, name), said: &record{}}
	w.home = filepath.Join(w.dir, "data")
	for _, dir := range []string{"user", "tmp", "folder"} {
		if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o755); err != nil {
			return nil, err
		}
	}
	w.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(w.dir, "user"), "TMPDIR=" + filepath.Join(w.dir, "tmp"),
		"USER=tester", "LANG=C.UTF-8", "TZ=UTC", "MNEME_HOME=" + w.home, "MNEME_UI_PORT=0", "MNEME_AUTOSTART=false", "MNEME_QDRANT_BINARY=none",
		"MNEME_EMBED_MODEL=mneme-static", // whatever Ollama this machine may run
	}, settings...)
	return w, nil
}

// command is a binary of ours, run in an empty folder that is no repository.
func (w *world) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin, name), args...)
	cmd.Env, cmd.Dir = w.env, filepath.Join(w.dir, "folder")
	return cmd
}

// started are all worlds that were ever up, to be stopped on an interrupt.
var started struct {
	sync.Mutex
	worlds []*world
}

// up starts mneme. ctx ends the starting, cleanly.
func (w *world) up(ctx context.Context) error {
	started.Lock()
	started.worlds = append(started.worlds, w)
	started.Unlock()
	return w.must(ctx, "up", "--detach")
}

// readyBut is the exit code of "mneme up" when a server is down or refuses.
const readyBut = 5

// stop stops mneme, however long the tests before it took.
func (w *world) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	return w.must(ctx, "down", "--timeout", patience.String())
}

func (w *world) must(ctx context.Context, args ...string) error {
	cmd := w.command(ctx, "mneme", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // "up" stops what it began
	out, err := cmd.CombinedOutput()
	if _, writeErr := w.said.Write(out); writeErr != nil {
		return writeErr
	}
	if err != nil {
		return fmt.Errorf("mneme %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// answer is how a command ended.
type answer struct {
	code           int
	stdout, stderr string
}

// cli runs one mneme command to its end.
func (w *world) cli(t *testing.T, stdin string, args ...string) answer {
	t.Helper()
	// Also when the test is over: what was started is stopped then.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	cmd := w.command(ctx, "mneme", args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatalf("mneme %.80q: %v", args, err)
	}
	for _, out := range []string{stdout.String(), stderr.String()} {
		if _, err := w.said.Write([]byte(out)); err != nil {
			t.Fatal(err)
		}
	}
	return answer{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// ok is cli for a command that succeeds; it returns what it printed.
func (w *world) ok(t *testing.T, args ...string) string {
	t.Helper()
	a := w.cli(t, "", args...)
	if a.code != 0 {
		t.Fatalf("mneme %.200q: exit %d\n%s%s", args, a.code, a.stdout, a.stderr)
	}
	return a.stdout
}

// leftBehind reports processes that a stopped mneme should have taken along. All
// have the data folder in their command line or their environment.
func (w *world) leftBehind() error { return program.Left(w.home) }
