package hook

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/memory"
)

func TestArguments(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		sessionStart: "session-start", postToolUseFailure: "post-tool-use-failure", preToolUse: "pre-tool-use",
		stop: "stop", userPromptSubmit: "user-prompt-submit", preCompact: "pre-compact",
	} {
		if Argument(event) != want || eventOf(want) != event || eventOf(event) != event {
			t.Errorf("%s is written %s", event, Argument(event))
		}
	}
	if eventOf("session") != "" || eventOf("") != "" {
		t.Error("what is no event is taken for one")
	}
}

// main runs a hook with a stdin and returns what it printed.
func (b *bench) main(t *testing.T, event string, stdin io.Reader) string {
	t.Helper()
	var out bytes.Buffer
	o := b.options(event, nil, &out)
	o.Stdin = stdin
	if code := Main(o); code != 0 {
		t.Errorf("exit code %d", code)
	}
	return out.String()
}

func TestOddStdin(t *testing.T) {
	t.Parallel()
	for name, stdin := range map[string]io.Reader{
		"empty":         strings.NewReader(""),
		"garbage":       strings.NewReader("\x00\xff garbage"),
		"half":          strings.NewReader(`{"hook_event_name":"SessionStart","session_id":`),
		"array":         strings.NewReader(`[1,2]`),
		"string":        strings.NewReader(`"SessionStart"`),
		"broken":        iotest.ErrReader(errors.New("broken pipe")),
		"too long":      io.MultiReader(strings.NewReader(`{"a":"`), io.LimitReader(zeros{}, maxStdin+1000)),
		"unknown event": strings.NewReader(`{"hook_event_name":"NoSuchEvent"}`),
		"no event":      strings.NewReader(`{}`),
		"null":          strings.NewReader(`null`),
		"wrong types":   strings.NewReader(`{"hook_event_name":7,"session_id":{"a":1}}`),
	} {
		b := newBench(t)
		b.client.hits = someHits()
		if got := b.main(t, sessionStart, stdin); got != "" {
			t.Errorf("%s: printed %q", name, got)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// Fields of the wrong type are as if they were not there; the answer needs no
// end of the stream.
func TestToleratesOddFields(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.client.hits = someHits()
	in, out := io.Pipe()
	defer out.Close()
	go func() {
		// Nothing is lost if nobody reads: the test fails on the answer.
		_, _ = out.Write([]byte(`{"hook_event_name":"SessionStart","session_id":"../../etc/passwd","source":7,"is_interrupt":"x","new":[{}]}`))
	}()
	if got := b.main(t, sessionStart, in); !strings.Contains(got, "five times") {
		t.Errorf("printed %q", got)
	}
}

func TestPanicIsNotTheEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.change = func(o *Options) { o.Before = func(string) { panic("on request " + secret) } }
	if got := b.run(t, preToolUse, storeCall("mcp__mneme__memory_store", map[string]any{"text": "a"})); got != "" {
		t.Errorf("printed %q", got)
	}
	if line := b.lastLine(t); line.Outcome != hooklog.Failed || line.Detail != "panic: string" {
		t.Errorf("the log has %+v", line)
	}
}

func TestPanicBesideTheWorkIsNotTheEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.cfg.Temporal.Address = "127.0.0.1:1" // so that dialling and looking around are side by side
	b.change = func(o *Options) {
		o.Dial = func(context.Context, config.Config, memory.Redactor) (Client, error) { panic("on request") }
	}
	if got := b.run(t, sessionStart, map[string]any{"source": "startup"}); got != "" {
		t.Errorf("printed %q", got)
	}
	if line := b.lastLine(t); line.Outcome != hooklog.Failed {
		t.Errorf("the log has %+v", line)
	}
}

func TestDeadlineHolds(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*bench, *Options){
		"mneme hangs":    func(b *bench, _ *Options) { b.client.hang = true },
		"everything":     func(_ *bench, o *Options) { o.Before = func(string) { select {} } },
		"stdin is open":  func(_ *bench, o *Options) { o.Stdin, _ = io.Pipe() },
		"stdout is full": func(b *bench, o *Options) { b.client.hits = someHits(); _, o.Stdout = io.Pipe() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.change = func(o *Options) { o.Deadline = 300 * time.Millisecond; change(b, o) }
			began := time.Now()
			if got := b.run(t, sessionStart, map[string]any{"source": "startup"}); got != "" {
				t.Errorf("printed %q", got)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if line := b.lastLine(t); line.Outcome != hooklog.Late && line.Outcome != hooklog.Down {
				t.Errorf("the log has %+v", line)
			}
		})
	}
}

// A crash is told by the next process, which reads nothing and answers nothing.
func TestCrashIsLogged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.client.hits = someHits()
	b.change = func(o *Options) { o.Args = []string{"crashed", "session-start"} }
	if got := b.run(t, sessionStart, map[string]any{"source": "startup"}); got != "" || len(b.client.queries) != 0 {
		t.Errorf("printed %q after %d questions", got, len(b.client.queries))
	}
	if line := b.lastLine(t); line.Outcome != hooklog.Failed || line.Event != sessionStart || line.Detail != "the program crashed" {
		t.Errorf("the log has %+v", line)
	}
	b.change = func(o *Options) { o.Args = []string{"crashed"} }
	b.run(t, sessionStart, nil) // of no event: it ends well all the same
}

// A disk that hangs, so that not even the log can be written, holds nobody up.
func TestDeadlineHoldsWhenTheLogHangs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.MkdirAll(filepath.Dir(hooklog.Path(b.home)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(hooklog.Path(b.home), 0o600); err != nil { // nobody reads it
		t.Fatal(err)
	}
	b.change = func(o *Options) { o.Deadline = 300 * time.Millisecond }
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.run(t, sessionStart, map[string]any{"source": "startup"})
	}()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("the hook hangs, too")
	}
	if f, err := os.OpenFile(hooklog.Path(b.home), os.O_RDWR, 0); err == nil { // lets the writers go
		f.Close()
	}
}

// A mneme that hangs costs one deadline, not one at every step.
func TestMnemeThatHangsIsLeftAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.client.hang = true
	dials, now := 0, time.Now()
	b.change = func(o *Options) {
		o.Deadline, o.Now = 2*time.Second, func() time.Time { return now }
		dial := o.Dial
		o.Dial = func(ctx context.Context, cfg config.Config, r memory.Redactor) (Client, error) {
			dials++
			return dial(ctx, cfg, r)
		}
	}
	b.run(t, sessionStart, map[string]any{"source": "startup"})
	b.change2(func(o *Options) { o.Deadline = 20 * time.Second })
	for range 3 {
		b.run(t, postToolUseFailure, failing("t1", "go test ./...", goError))
	}
	if dials != 1 {
		t.Errorf("asked %d times", dials)
	}
	b.client.hang, now = false, now.Add(rest+time.Second)
	b.client.hits = fixHit()
	if got := b.run(t, postToolUseFailure, failing("t2", "go vet ./...", goError)); got == "" || dials != 2 {
		t.Errorf("when it is back: %q after %d calls", got, dials)
	}
}

// change2 changes the options once more.
func (b *bench) change2(more func(*Options)) {
	before := b.change
	b.change = func(o *Options) { before(o); more(o) }
}

// After the deadline nothing is printed, even when the work goes on.
func TestNothingAfterTheDeadline(t *testing.T) {
	t.Parallel()
	m := &guard{opts: Options{Stdout: &bytes.Buffer{}, Now: time.Now, Config: func() (config.Config, error) { return config.Config{}, nil }}}
	m.abandon("late")
	if err := m.print([]byte("x")); err != nil || m.opts.Stdout.(*bytes.Buffer).Len() != 0 {
		t.Errorf("printed %q, %v", m.opts.Stdout, err)
	}
}

func TestSignalEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGTERM
	b.change = func(o *Options) { o.Signals = signals; o.Before = func(string) { select {} } }
	if got := b.run(t, sessionStart, nil); got != "" || b.lastLine(t).Detail != "asked to end" {
		t.Errorf("printed %q, logged %+v", got, b.lastLine(t))
	}
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestClosedStdout(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.client.hits = someHits()
	b.change = func(o *Options) { o.Stdout = closedPipe{} }
	b.run(t, sessionStart, map[string]any{"source": "startup"})
	if line := b.lastLine(t); line.Outcome != hooklog.Failed || !strings.Contains(line.Detail, "print answer") {
		t.Errorf("the log has %+v", line)
	}
	if len(b.state(t).Injected) != 0 {
		t.Error("what nobody saw is noted as shown")
	}
}

func TestBadSettings(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.client.hits = someHits()
	b.change = func(o *Options) {
		o.Config = func() (config.Config, error) { return b.cfg, errors.New("bad value " + secret) }
	}
	if got := b.run(t, sessionStart, map[string]any{"source": "startup"}); got == "" {
		t.Error("one bad setting silences the hooks")
	}
	b.findNot(t, secret)
	b.change = func(o *Options) {
		o.Redactor = func(string, string) (memory.Redactor, error) { return nil, errors.New("bad rule " + secret) }
	}
	if got := b.run(t, sessionStart, map[string]any{"source": "startup"}); got != "" {
		t.Errorf("without a redactor it printed %q", got)
	}
	b.findNot(t, secret)
}

// A home that others may enter is not written to.
func TestForeignHome(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.MkdirAll(filepath.Join(b.home, "letters"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(b.home, 0o777); err != nil {
		t.Fatal(err)
	}
	b.run(t, sessionStart, map[string]any{"source": "startup"})
	names, err := os.ReadDir(b.home)
	if err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
}

// FuzzEvent checks that any stdin leads to one answer with the event's name, or
// to none.
func FuzzEvent(f *testing.F) {
	for _, seed := range []string{
		`{"session_id":"1730","transcript_path":"/t.jsonl","cwd":"/a","hook_event_name":"SessionStart","source":"startup"}`,
		`{"session_id":"dd6b","hook_event_name":"PreToolUse","tool_name":"mcp__memory__memory_store","tool_input":{"text":"fact A"},"tool_use_id":"toolu_01"}`,
		`{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"go test ./...","description":"x"},"error":"Exit code 3\nout","is_interrupt":false}`,
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":{"stdout":"FAIL\n","stderr":""}}`,
		`{"hook_event_name":"PreCompact","trigger":"manual","custom_instructions":null}`,
		`{"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done"}`,
		`{"hook_event_name":"SessionEnd","reason":"other"}`, `{"hook_event_name":"UserPromptSubmit","prompt":"how are payments retried?"}`,
		`{"hook_event_name":"SubagentStart","agent_id":"a","agent_type":"Explore"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := parse(bytes.NewReader(data))
		if err != nil {
			return
		}
		if eventOf(in.Event) == "" || eventOf(in.Event) != in.Event {
			return
		}
		b := newBench(t)
		b.client.hits, b.cfg.Hooks.Prompt.Enabled = someHits(), true
		printed := b.main(t, in.Event, bytes.NewReader(data))
		if strings.HasPrefix(printed, "{") {
			answerOf(t, in.Event, printed)
		} else if printed != "" && in.Event != preCompact {
			t.Errorf("printed %q", printed)
		}
	})
}

func TestAnswersAreWhatTheClientTakes(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]answer{
		"":                               {},
		"Saved\n":                        {plain: "Saved"},
		`{"systemMessage":"<x>"}` + "\n": {SystemMessage: "<x>"},
	} {
		got, err := a.bytes()
		if err != nil || string(got) != want {
			t.Errorf("%+v is printed %q, %v", a, got, err)
		}
	}
	if a := contextFor(stop, ""); a.Specific != nil {
		t.Error("an empty context is an answer")
	}
}
