package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// fakeClient answers from its fields and records each call.
type fakeClient struct {
	hits      []memory.Hit // that every recall finds, but for what it excludes
	duplicate memory.DuplicateResult
	recallErr error
	held      []memory.HeldPrune
	hang      bool // no call returns before its context ends

	mu      sync.Mutex
	queries []memory.Query
	asked   []memory.StoreInput // by Duplicate
	stored  map[string]memory.StoreInput
	credits map[string]memory.CreditInput
	events  []memory.Event
}

func (c *fakeClient) wait(ctx context.Context) error {
	if !c.hang {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (c *fakeClient) Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error) {
	if err := c.wait(ctx); err != nil {
		return memory.RecallResult{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queries = append(c.queries, q)
	var out memory.RecallResult
	for _, h := range c.hits {
		known := false
		for _, id := range q.Exclude {
			known = known || id == h.ID
		}
		if !known && len(out.Hits) < q.Limit {
			out.Hits = append(out.Hits, h)
		}
	}
	return out, c.recallErr
}

func (c *fakeClient) Held(ctx context.Context) ([]memory.HeldPrune, error) {
	return c.held, c.wait(ctx)
}

func (c *fakeClient) Duplicate(ctx context.Context, in memory.StoreInput) (memory.DuplicateResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, in)
	return c.duplicate, c.wait(ctx)
}

func (c *fakeClient) StoreOnce(ctx context.Context, key string, in memory.StoreInput) (memory.StoreResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stored == nil {
		c.stored = map[string]memory.StoreInput{}
	}
	c.stored[key] = in
	return memory.StoreResult{Status: memory.Stored}, c.wait(ctx)
}

func (c *fakeClient) CreditOnce(ctx context.Context, key string, in memory.CreditInput) (memory.CreditResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.credits == nil {
		c.credits = map[string]memory.CreditInput{}
	}
	c.credits[key] = in
	return memory.CreditResult{}, c.wait(ctx)
}

func (c *fakeClient) Record(ctx context.Context, events []memory.Event) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, events...)
	return c.wait(ctx)
}

func (c *fakeClient) Close() {}

// stars takes out one word, as the real redactor does with secrets.
type stars struct{}

const secret = "hunter2hunter2"

func (stars) Redact(text string) (string, []string) {
	return strings.ReplaceAll(text, secret, "[redacted:password]"), nil
}

// bench is a home, a project and what stands behind the hooks.
type bench struct {
	home, dir, transcript string
	cfg                   config.Config
	client                *fakeClient
	down                  bool // nobody answers
	change                func(*Options)
	privacy               []string // warnings about privacy rules
}

func newBench(t *testing.T) *bench {
	t.Helper()
	root := t.TempDir()
	b := &bench{home: filepath.Join(root, "home"), dir: filepath.Join(root, "shop"), transcript: filepath.Join(root, "t.jsonl"), client: &fakeClient{}}
	var err error
	if b.cfg, err = config.Load(config.Sources{Env: b.env}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) env(name string) string {
	return map[string]string{"MNEME_HOME": b.home, "CLAUDE_PROJECT_DIR": b.dir, "PATH": os.Getenv("PATH"), "USER": "me", "HOME": filepath.Dir(b.home)}[name]
}

// event makes an event as Claude Code sends it.
func (b *bench) event(t *testing.T, name string, fields map[string]any) []byte {
	t.Helper()
	all := map[string]any{
		"session_id": "1730c0de-0000-4000-8000-000000000001", "transcript_path": b.transcript, "cwd": b.dir, "hook_event_name": name,
		"permission_mode": "default", "effort": map[string]any{"level": "high"}, "prompt_id": "e540",
	}
	for key, value := range fields {
		all[key] = value
	}
	in, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return append(in, '\n')
}

const theSession = "1730c0de-0000-4000-8000-000000000001"

func (b *bench) options(event string, in []byte, out *bytes.Buffer) Options {
	o := Options{
		Args: []string{Argument(event)}, Env: b.env, Stdin: bytes.NewReader(in), Stdout: out,
		PrivacyWarnings: func(string, string) []string { return b.privacy },
		Config:          func() (config.Config, error) { return b.cfg, nil },
		Redactor:        func(string, string) (memory.Redactor, error) { return stars{}, nil },
		Dial: func(context.Context, config.Config, memory.Redactor) (Client, error) {
			if b.down {
				return nil, memory.Down("Temporal", "", errors.New("mneme is not running"))
			}
			return b.client, nil
		},
		Project: func(string) string { return "example.org/me/shop" }, Deadline: 20 * time.Second,
	}
	if b.change != nil {
		b.change(&o)
	}
	return o
}

// run handles one event and returns what was printed.
func (b *bench) run(t *testing.T, event string, fields map[string]any) string {
	t.Helper()
	var out bytes.Buffer
	if code := Main(b.options(event, b.event(t, event, fields), &out)); code != 0 {
		t.Errorf("%s: exit code %d", event, code)
	}
	return out.String()
}

func (b *bench) lines(t *testing.T) []hooklog.Entry {
	t.Helper()
	list, err := hooklog.Read(b.home, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (b *bench) lastLine(t *testing.T) hooklog.Entry {
	t.Helper()
	list := b.lines(t)
	if len(list) == 0 {
		t.Fatal("the log is empty")
	}
	return list[len(list)-1]
}

func (b *bench) state(t *testing.T) session.State {
	t.Helper()
	state, _, err := session.Open(b.home).Get(theSession)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// deliver empties the spool, as the daemon does.
func (b *bench) deliver(t *testing.T) spool.Report {
	t.Helper()
	report, err := spool.Open(b.home, stars{}).Drain(t.Context(), b.client)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func (b *bench) actions() []string {
	var out []string
	for _, e := range b.client.events {
		out = append(out, e.Action)
	}
	return out
}

const (
	idA = "0a0e0d0c-0b0a-8908-8706-050403020100"
	idB = "0b0e0d0c-0b0a-8908-8706-050403020100"
)

func day(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }

func someHits() []memory.Hit {
	return []memory.Hit{
		{ID: idB, Text: "Payments are retried five times", Type: memory.TypeDecision, Project: "example.org/me/shop", Score: 0.9, Strong: true, CreatedAt: day(2)},
		{ID: idA, Text: "Prefer table-driven tests", Type: memory.TypePreference, Project: memory.Global, Score: 0.8, Strong: true, CreatedAt: day(1)},
	}
}

// answerOf reads an answer and checks what holds for every one: a single JSON
// value with the name of its event.
func answerOf(t *testing.T, event, printed string) answer {
	t.Helper()
	var a answer
	dec := json.NewDecoder(strings.NewReader(printed))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil || dec.More() {
		t.Fatalf("%s printed %q: %v", event, printed, err)
	}
	if a.Specific != nil && a.Specific.Event != event {
		t.Errorf("%s names %q: it would be discarded", event, a.Specific.Event)
	}
	return a
}
