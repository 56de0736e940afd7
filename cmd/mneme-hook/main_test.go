package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/hook"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/testkit/program"
	"github.com/mneme-memory/mneme/memory"
)

// limit is how long anything may take before a test gives up.
const limit = 30 * time.Second

var binary string // built once, by TestMain

func TestMain(m *testing.M) { os.Exit(program.Main(m, &binary, "CGO_ENABLED=0")) }

// process is one run of the binary on a home of its own, where nothing runs.
type process struct {
	*exec.Cmd
	home           string
	stdout, stderr bytes.Buffer
}

func command(t *testing.T, home string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	p := &process{Cmd: exec.CommandContext(ctx, binary, args...), home: home}
	p.Env = []string{
		"MNEME_HOME=" + home, "HOME=" + filepath.Dir(home), "PATH=" + os.Getenv("PATH"), "MNEME_AUTOSTART=false",
		"CLAUDE_PROJECT_DIR=" + filepath.Dir(home), "CLAUDE_CODE_MESSAGING_TOKEN=" + token,
	}
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}

// token is in the environment, as a secret may be.
const token = "tok-3f9a1c77d2e84b56"

func event(name string) string {
	return fmt.Sprintf(`{"session_id":"s1","transcript_path":"/none/t.jsonl","cwd":"/","hook_event_name":%q,"source":"startup",`+
		`"tool_name":"mcp__mneme__memory_store","tool_input":{"text":"fact A"},"tool_use_id":"t1","error":"boom","prompt":"how are payments retried?"}`+"\n", name)
}

func newHome(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "home")
}

// finish waits for the end and checks what holds for every run: status 0 and
// nothing on stderr.
func (p *process) finish(t *testing.T) string {
	t.Helper()
	if err := p.Wait(); err != nil || p.stderr.Len() > 0 {
		t.Errorf("%v ended with %v, stderr %q", p.Args[1:], err, &p.stderr)
	}
	return p.stdout.String()
}

func (p *process) log(t *testing.T) []hooklog.Entry {
	t.Helper()
	list, err := hooklog.Read(p.home, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestEveryEventWithoutMneme(t *testing.T) {
	t.Parallel()
	for _, name := range hook.Events() {
		p := command(t, newHome(t), hook.Argument(name))
		p.Stdin = strings.NewReader(event(name))
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		if out := p.finish(t); out != "" {
			t.Errorf("%s printed %q", name, out)
		}
	}
}

func TestOddRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  []string
		stdin string
		env   string
		want  string // outcome in the log; "" means that there may be no line
	}{
		"garbage":      {[]string{"session-start"}, "garbage", "", hooklog.Failed},
		"nothing":      {[]string{"session-start"}, "", "", hooklog.Failed},
		"no arguments": {nil, event("SessionStart"), "", hooklog.Down},
		"odd argument": {[]string{"--help"}, event("SessionStart"), "", hooklog.Down},
		"panic":        {[]string{"pre-tool-use"}, event("PreToolUse"), "MNEME_HOOK_TEST=panic", hooklog.Failed},
		"hangs":        {[]string{"user-prompt-submit"}, event("UserPromptSubmit"), "MNEME_HOOK_TEST=hang", hooklog.Late},
		"bad setting":  {[]string{"session-start"}, event("SessionStart"), "MNEME_UI_PORT=" + token, hooklog.Down},
		"no home":      {[]string{"session-start"}, event("SessionStart"), "MNEME_HOME=/proc/none", ""},
		"50 MB":        {[]string{"post-tool-use"}, `{"hook_event_name":"PostToolUse","x":"` + strings.Repeat("a", 50<<20) + `"}`, "", hooklog.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := command(t, newHome(t), c.args...)
			if c.env != "" {
				p.Env = append(p.Env, c.env)
			}
			p.Stdin = strings.NewReader(c.stdin)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			if out := p.finish(t); out != "" {
				t.Errorf("printed %q", out)
			}
			log := p.log(t)
			if c.want != "" && (len(log) != 1 || log[0].Outcome != c.want && log[0].Outcome != hooklog.Late) {
				t.Errorf("logged %+v, want %s", log, c.want)
			}
			if data, err := os.ReadFile(hooklog.Path(p.home)); err == nil && bytes.Contains(data, []byte(token)) {
				t.Errorf("the log holds a value of the environment: %s", data)
			}
		})
	}
}

// Stdin and stdout may be closed, or a pipe whose other end is gone.
func TestClosedStreams(t *testing.T) {
	t.Parallel()
	p := command(t, newHome(t), "session-start")
	p.Cmd = exec.CommandContext(t.Context(), "/bin/sh", "-c", `"$0" session-start <&- >&-`, binary)
	p.Env, p.Stderr = command(t, p.home).Env, &p.stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.finish(t)

	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	// An address where somebody answers the phone and says nothing is not
	// needed: PreCompact prints without anybody's help.
	q := command(t, newHome(t), "pre-compact")
	q.Stdin, q.Stdout = strings.NewReader(compaction(t, q.home)), write
	if err := q.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	q.finish(t)
	if log := q.log(t); len(log) != 1 || !strings.Contains(log[0].Detail, "print answer") {
		t.Errorf("logged %+v", log)
	}
}

// compaction writes a transcript in which something is found and returns the
// event.
func compaction(t *testing.T, home string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(home), "t.jsonl")
	text := `{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":"why do requests fail now and then?"}}
{"type":"assistant","uuid":"u2","sessionId":"s1","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"The root cause was that gateway.example.org closes idle connections after 11 seconds, so internal/pool/pool.go handed out dead ones."}]}}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"session_id":"s1","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":null,"transcript_path":%q}`, path)
}

func TestSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			p := command(t, newHome(t), "pre-compact") // with the longest deadline
			stdin, err := p.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			waitHandled(t, p.Process.Pid)
			if err := p.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			p.finish(t)
			stdin.Close()
			if log := p.log(t); len(log) != 1 || log[0].Outcome != hooklog.Late {
				t.Errorf("logged %+v", log)
			}
		})
	}
}

// waitHandled waits until a process has its signal handlers in place: before
// that, a signal ends it in the kernel's way.
func waitHandled(t *testing.T, pid int) {
	t.Helper()
	until := time.Now().Add(limit)
	for time.Now().Before(until) {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("there is no /proc to see a process's signals")
		}
		// SIGPIPE is the last to be ignored: bit 13 of the ignored ones.
		for line := range strings.Lines(string(data)) {
			var ignored uint64
			if _, err := fmt.Sscanf(line, "SigIgn:\t%x", &ignored); err == nil && ignored&(1<<12) != 0 {
				return
			}
		}
	}
	t.Fatal("the process does not get ready")
}

// With mneme hanging (it takes the call and says nothing) a hook ends within
// its deadline.
func TestDeadlineWithMnemeHanging(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, most := range map[string]time.Duration{"SessionStart": 2 * time.Second, "PreToolUse": 1500 * time.Millisecond, "SessionEnd": 1300 * time.Millisecond} {
		p := command(t, newHome(t), hook.Argument(name))
		p.Env = append(p.Env, "MNEME_TEMPORAL_ADDRESS="+silent.Addr().String())
		p.Stdin = strings.NewReader(event(name))
		began := time.Now()
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		p.finish(t)
		if took := time.Since(began); took > most+3*time.Second { // the machine may be loaded
			t.Errorf("%s took %v", name, took)
		}
	}
}

// A hundred sessions that are started and killed at any moment leave no
// process, no half-written file, and few whole ones.
func TestSessionsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	const sessions, atOnce = 100, 4
	work := make(chan int)
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for n := range work {
				p := command(t, home, "session-start")
				p.Stdin = strings.NewReader(strings.Replace(event("SessionStart"), `"s1"`, fmt.Sprintf(`"s%d"`, n), 1))
				if err := p.Start(); err != nil {
					t.Error(err)
					return
				}
				kill := time.AfterFunc(time.Duration(n)*time.Millisecond, func() { _ = p.Process.Kill() }) // it may have ended
				_ = p.Wait()                                                                               // killed or not
				kill.Stop()
			}
		})
	}
	for n := range sessions {
		work <- n
	}
	close(work)
	wg.Wait()
	// What is younger than a minute may still be written: only age tells.
	old := time.Now().Add(-time.Hour)
	for _, path := range glob(t, home, ".*.json[0-9]*") {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	p := command(t, home, "session-start")
	p.Env = append(p.Env, "MNEME_TEMPORAL_ADDRESS="+refusing(t))
	p.Stdin = strings.NewReader(event("SessionStart"))
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.finish(t)
	if left := glob(t, home, ".*.json[0-9]*"); len(left) > 0 {
		t.Errorf("half-written files are left: %v", left)
	}
	if n := len(glob(t, home, "*.json")); n > 60 {
		t.Errorf("%d files of sessions in which nothing was said are left", n)
	}
	if list := p.log(t); len(list) == 0 {
		t.Error("no hook came to its end: nothing was tested")
	}
}

// refusing returns an address where nobody listens.
func refusing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func glob(t *testing.T, home, pattern string) []string {
	t.Helper()
	var out []string
	for _, dir := range []string{"sessions", "spool"} {
		found, err := filepath.Glob(filepath.Join(home, dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	return out
}

// stars is a redactor that finds nothing.
type stars struct{}

func (stars) Redact(text string) (string, []string) { return text, nil }

// receiver counts what arrives by key.
type receiver struct{ stores map[string]int }

func (r *receiver) StoreOnce(_ context.Context, key string, _ memory.StoreInput) (memory.StoreResult, error) {
	r.stores[key]++
	return memory.StoreResult{}, nil
}

func (r *receiver) CreditOnce(context.Context, string, memory.CreditInput) (memory.CreditResult, error) {
	return memory.CreditResult{}, nil
}
func (r *receiver) Record(context.Context, []memory.Event) error { return nil }

// Compactions are killed at any moment and repeated: each finding is kept, as
// one request.
func TestCompactionsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	in := compaction(t, home)
	got := receiver{map[string]int{}}
	waiting := spool.Open(home, stars{})
	for n := range 60 {
		p := command(t, home, "pre-compact")
		p.Stdin = strings.NewReader(in)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		if n < 59 { // the last one may finish
			kill := time.AfterFunc(time.Duration(n)*time.Millisecond, func() { _ = p.Process.Kill() }) // it may have ended
			defer kill.Stop()
		}
		_ = p.Wait()   // killed or not
		if n%20 == 0 { // and somebody drains meanwhile
			if _, err := waiting.Drain(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := waiting.Drain(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.stores) != 1 {
		t.Errorf("%d requests arrived, want 1", len(got.stores))
	}
}

// The binary starts with every event, so it stays small.
func TestDependencies(t *testing.T) {
	t.Parallel()
	program.NotLinked(t, map[string]string{
		"go.temporal.io/server":                            "servers belong to the mneme binary",
		"github.com/temporalio/ui-server":                  "servers belong to the mneme binary",
		"github.com/jackc/pgx":                             "activities speak to Postgres, in the worker",
		"github.com/qdrant/go-client":                      "activities speak to Qdrant, in the worker",
		"github.com/ollama/ollama":                         "activities speak to Ollama, in the worker",
		"github.com/duckdb":                                "analytics is not done here",
		"github.com/mark3labs/mcp-go":                      "the MCP server is another door",
		"github.com/mneme-memory/mneme/embedded":           "servers belong to the mneme binary",
		"github.com/mneme-memory/mneme/internal/cli":       "the command line is another door",
		"github.com/mneme-memory/mneme/internal/mcpserver": "the MCP server is another door",
	})
	if info, err := os.Stat(binary); err != nil || info.Size() > 45<<20 { // with symbols; 22 MB without
		t.Errorf("%v bytes, %v", info.Size(), err)
	}
}
