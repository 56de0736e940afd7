package autostart

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
	"github.com/mneme-memory/mneme/memory"
)

// bundle is a home, and a folder with a mneme program in it.
type bundle struct {
	cfg config.Config
	sys System
	now time.Time // what sys.Now says
	bin string
}

// setup ends the daemon that a test leaves.
func setup(t *testing.T, env ...string) *bundle {
	t.Helper()
	b := &bundle{bin: t.TempDir(), now: time.Now()}
	if err := os.Symlink(os.Args[0], filepath.Join(b.bin, "mneme")); err != nil {
		t.Fatal(err)
	}
	var err error
	b.cfg, err = config.Load(config.Sources{Env: func(name string) string {
		if name == "MNEME_HOME" {
			return filepath.Join(b.bin, "home")
		}
		return ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.sys = System{
		Env: func(string) string { return "" }, Environ: append([]string{"GORACE=atexit_sleep_ms=0"}, env...),
		Executable: func() (string, error) { return filepath.Join(b.bin, "mneme-mcp"), nil },
		Now:        func() time.Time { return b.now },
	}
	t.Cleanup(func() { b.end(t) })
	return b
}

// end stops the daemon, if there is one, and waits until it is gone.
func (b *bundle) end(t *testing.T) {
	t.Helper()
	pid, err := homestate.Holder(b.cfg.Home)
	if err != nil || pid == 0 {
		return
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	wait.Until(t, "the daemon has ended", func() bool {
		holder, err := homestate.Holder(b.cfg.Home)
		return err == nil && holder == 0
	})
}

func (b *bundle) start(t *testing.T) *Attempt {
	t.Helper()
	a, err := Start(b.cfg, b.sys)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// spawned are the process ids of the programs that were started.
func (b *bundle) spawned(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.cfg.Home, "spawned"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

func TestStartsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.start(t)
	if first.Outcome != Started || first.PID == 0 {
		t.Fatalf("first: %+v", first)
	}
	if err := first.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := b.start(t); again.Outcome != Ready {
		t.Errorf("again: %s", again.Outcome)
	}
	if got := b.spawned(t); len(got) != 1 || got[0] != strconv.Itoa(first.PID) {
		t.Errorf("spawned %q, want %d alone", got, first.PID)
	}
	if pid, err := syscall.Getpgid(first.PID); err != nil || pid != first.PID {
		t.Errorf("process group %d, %v: a closed terminal would end it", pid, err)
	}
	if info, err := os.Stat(homestate.LogPath(b.cfg.Home)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log: %v", err)
	}
	if trouble, err := Look(b.cfg.Home, b.now); err != nil || trouble.Failures != 0 {
		t.Errorf("trouble %+v, %v", trouble, err)
	}
	// Stopped on purpose, the next session may start it again at once.
	b.end(t)
	if next := b.start(t); next.Outcome != Started {
		t.Errorf("after a stop: %s", next.Outcome)
	} else if err := next.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestReadyBeforeItIsStamped is a daemon that is faster than whoever started it.
func TestReadyBeforeItIsStamped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.start(t)
	if err := first.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := (stamp{At: b.now, PID: first.PID}).confirm(b.cfg.Home); err != nil {
		t.Fatal(err)
	}
	if last, err := readStamp(b.cfg.Home); err != nil || !last.At.IsZero() {
		t.Errorf("it left %+v, %v", last, err)
	}
	b.end(t)
	if next := b.start(t); next.Outcome != Started {
		t.Errorf("after a stop: %s", next.Outcome)
	} else if err := next.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHundredAtOnce lets go of a hundred processes at the same moment.
func TestHundredAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	gate, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var callers [100]*exec.Cmd
	var said [100]bytes.Buffer
	for i := range callers {
		cmd := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // ourselves
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "MNEME_HOME="+b.cfg.Home, callerEnv+"="+filepath.Join(b.bin, "mneme-mcp"))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = gate, &said[i], &said[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		callers[i] = cmd
	}
	hold.Close() // the input of all ends
	started := 0
	for i, cmd := range callers {
		if err := cmd.Wait(); err != nil {
			t.Errorf("caller %d: %v: %s", i, err, said[i].String())
		}
		if strings.HasPrefix(said[i].String(), string(Started)) {
			started++
		}
	}
	gate.Close()
	if got := b.spawned(t); len(got) != 1 || started != 1 {
		t.Errorf("%d callers started one, %d processes were started", started, len(got))
	}
}

// TestFailureIsNotRepeatedAtOnce moves the clock through the pauses.
func TestFailureIsNotRepeatedAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, failEnv+"=1")
	fail := func(n int) {
		t.Helper()
		a := b.start(t)
		if a.Outcome != Started {
			t.Fatalf("start %d: %s", n, a.Outcome)
		}
		if err := a.Wait(t.Context()); memory.CodeOf(err) != memory.Unavailable || !strings.Contains(memory.HintOf(err), "mneme.log") {
			t.Fatalf("start %d: %v (%s)", n, err, memory.HintOf(err))
		}
		if trouble, err := Look(b.cfg.Home, b.now); err != nil || trouble.Failures != n {
			t.Fatalf("start %d: trouble %+v, %v", n, trouble, err)
		}
	}
	fail(1)
	for n, pause := 2, firstPause; n <= 4; n, pause = n+1, 2*pause {
		b.now = b.now.Add(pause - time.Second)
		if a := b.start(t); a.Outcome != Waiting {
			t.Errorf("%s after failure %d: %s", pause-time.Second, n-1, a.Outcome)
		} else if err := a.Wait(t.Context()); memory.CodeOf(err) != memory.Unavailable {
			t.Errorf("waiting for nothing: %v", err)
		}
		b.now = b.now.Add(time.Second)
		fail(n)
	}
	log, err := os.ReadFile(homestate.LogPath(b.cfg.Home))
	if err != nil || strings.Count(string(log), "the moon is full") != 4 || !strings.Contains(string(log), `by="mneme-mcp"`) {
		t.Errorf("log: %v\n%s", err, log)
	}
	// One that comes up makes good for all.
	b.now, b.sys.Environ = b.now.Add(mostPause), nil
	a := b.start(t)
	if err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if trouble, err := Look(b.cfg.Home, b.now); err != nil || trouble.Failures != 0 {
		t.Errorf("trouble %+v, %v", trouble, err)
	}
}

func TestOff(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*config.Config){
		"by setting":         func(c *config.Config) { c.Autostart = false },
		"Temporal elsewhere": func(c *config.Config) { c.Temporal.Address = "cluster:7233" },
	} {
		b := setup(t)
		change(&b.cfg)
		a := b.start(t)
		if a.Outcome != Off || a.Wait(t.Context()) != nil {
			t.Errorf("%s: %s", name, a.Outcome)
		}
		if _, err := os.Stat(b.cfg.Home); !os.IsNotExist(err) {
			t.Errorf("%s: the home was touched: %v", name, err)
		}
	}
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := os.Remove(filepath.Join(b.bin, "mneme")); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(b.cfg, b.sys); memory.CodeOf(err) != memory.NotFound || memory.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	program := func(dir, name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	beside, named, onPath, empty := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	want := []string{
		program(beside, "mneme", 0o700), program(named, "other", 0o700), program(onPath, "mneme", 0o700),
	}
	program(empty, "mneme", 0o600) // no program
	for i, dir := range []string{beside, empty, empty} {
		env := map[string]string{"MNEME_BIN": want[1], "PATH": empty + ":relative::" + onPath}
		if i == 2 {
			delete(env, "MNEME_BIN")
		}
		got, err := Find(System{
			Env:        func(name string) string { return env[name] },
			Executable: func() (string, error) { return filepath.Join(dir, "mneme-hook"), nil },
		})
		if err != nil || got != want[i] {
			t.Errorf("case %d: %s, %v, want %s", i, got, err, want[i])
		}
	}
}

// TestNothingIsInherited leaves a pipe open for all children, as some callers do, and sees
// that it ends with us although the daemon lives.
func TestNothingIsInherited(t *testing.T) {
	b := setup(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	leaked, err := syscall.Dup(int(w.Fd())) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	a := b.start(t)
	if err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Close()
	syscall.Close(leaked)
	if _, err := io.ReadAll(r); err != nil { // would not return
		t.Fatal(err)
	}
	if _, ready, err := homestate.Running(b.cfg.Home); err != nil || !ready {
		t.Errorf("the daemon is gone: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := strings.Join(environment([]string{
		"HOME=/h", "PATH=/bin", "MNEME_HOME=/m", "MNEME_PROJECT=p", "MNEME_MCP_TOKEN=secret", "ANTHROPIC_API_KEY=secret",
		"CLAUDE_PROJECT_DIR=/x", "GOOGLE_API_KEY=secret", "OLLAMA_HOST=h", "LC_ALL=C", "odd",
	}), " ")
	if want := "HOME=/h PATH=/bin MNEME_HOME=/m OLLAMA_HOST=h LC_ALL=C"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzStamp(f *testing.F) {
	f.Add([]byte(`{"at":"2026-01-02T03:04:05Z","pid":7,"failures":3}`))
	f.Add([]byte(`{"at":"9999-12-31T23:59:59Z","pid":7,"failures":9223372036854775807}`))
	f.Add([]byte(`{`))
	home := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(stampPath(home), text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := readStamp(home)
		if err != nil {
			t.Fatal(err)
		}
		if pause := s.next().Sub(s.At); !s.At.IsZero() && (pause <= 0 || pause > mostPause) {
			t.Errorf("%q: a pause of %s", text, pause)
		}
	})
}

func TestLogIsPrivate(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := homestate.LogPath(home)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, maxLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenLog(home)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 0 {
		t.Errorf("mode %v, %d bytes, %v", info.Mode(), info.Size(), err)
	}
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Errorf("the long log was not set aside: %v", err)
	}
}
