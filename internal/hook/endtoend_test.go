package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/daemon"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/hook"
	"github.com/mneme-memory/mneme/internal/project"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// patience is how long anything may take before a test gives up.
const patience = 30 * time.Second

// world is a daemon, a repository and a session in it.
type world struct {
	home, dir, transcript string
	cfg                   config.Config
	redactor              memory.Redactor
	client                *workflows.Client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root := t.TempDir()
	w := &world{home: filepath.Join(root, "home"), dir: filepath.Join(root, "shop"), transcript: filepath.Join(root, "s.jsonl")}
	var err error
	if w.cfg, err = config.Load(config.Sources{Env: w.env}); err != nil {
		t.Fatal(err)
	}
	if w.redactor, err = dial.Redactor(config.Temporal{}, "", ""); err != nil {
		t.Fatal(err)
	}
	w.git(t, "init", "-q", "-b", "feature/payment-retries", w.dir)
	w.git(t, "-C", w.dir, "remote", "add", "origin", "https://github.com/example/shop.git")
	w.write(t, "payment.go", "package shop\n")
	w.git(t, "-C", w.dir, "add", ".")
	w.git(t, "-C", w.dir, "-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "-m", "feat(pay): retry payments with exponential backoff")
	w.write(t, "payment.go", "package shop\n\nvar x int\n")
	return w
}

func (w *world) env(name string) string {
	switch name {
	case "MNEME_HOME":
		return w.home
	case "MNEME_EMBED_MODEL":
		return "mneme-static" // whatever Ollama this machine may run
	case "CLAUDE_PROJECT_DIR":
		return w.dir
	case "PATH":
		return os.Getenv("PATH")
	default:
		return ""
	}
}

func (w *world) git(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func (w *world) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// up runs the daemon until the test ends or stop is called.
func (w *world) up(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- daemon.Run(ctx, daemon.Options{
			Config: w.cfg, Version: "test", Redactor: w.redactor, Ready: func(homestate.Daemon) { close(ready) },
			Logger: slog.New(slog.DiscardHandler),
		})
	}()
	select {
	case <-ready:
	case err := <-done:
		cancel()
		t.Fatalf("the daemon ended: %v", err)
	}
	c, err := dial.Open(t.Context(), w.cfg, w.redactor)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	w.client = c
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		c.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the daemon ended: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// run handles one event, as the process does, with the event's own deadline
// made longer: a loaded machine is not what is tested here.
func (w *world) run(t *testing.T, event string, fields map[string]any) string {
	t.Helper()
	all := map[string]any{"session_id": "s1", "transcript_path": w.transcript, "cwd": w.dir, "hook_event_name": event}
	for name, value := range fields {
		all[name] = value
	}
	in, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code := hook.Main(hook.Options{
		Args: []string{hook.Argument(event)}, Env: w.env, Stdin: bytes.NewReader(in), Stdout: &out,
		Config:   func() (config.Config, error) { return w.cfg, nil },
		Redactor: func(string, string) (memory.Redactor, error) { return w.redactor, nil },
		Dial: func(ctx context.Context, cfg config.Config, r memory.Redactor) (hook.Client, error) {
			c, err := dial.Open(ctx, cfg, r)
			if err != nil {
				return nil, err
			}
			return c, nil
		},
		Project: project.Identify, Deadline: patience,
	})
	if code != 0 {
		t.Errorf("%s: exit code %d", event, code)
	}
	return out.String()
}

func (w *world) store(t *testing.T, in memory.StoreInput) string {
	t.Helper()
	if in.Project == "" {
		in.Project = project.Identify(w.dir)
	}
	in.Source = memory.SourceTool
	r, err := w.client.Store(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// deliver waits until the daemon has taken what hooks left.
func (w *world) deliver(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	waiting := spool.Open(w.home, w.redactor)
	for {
		state, err := waiting.State()
		if err != nil {
			t.Fatal(err)
		}
		if state.Quarantined > 0 {
			bad, _ := waiting.Quarantined()
			t.Fatalf("could not be delivered: %+v", bad)
		}
		if state.Entries == 0 {
			return
		}
		if _, err := waiting.Drain(ctx, w.client); err != nil {
			t.Fatal(err)
		}
		if ctx.Err() != nil {
			t.Fatalf("%d requests still wait", state.Entries)
		}
	}
}

// drained waits until the daemon has emptied the spool by itself.
func (w *world) drained(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		state, err := spool.Open(w.home, w.redactor).State()
		if err != nil {
			t.Fatal(err)
		}
		if state.Entries == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%d requests still wait", state.Entries)
		}
	}
}

// history returns the actions in a memory's audit, oldest first.
func (w *world) history(t *testing.T, id string) []memory.Audit {
	t.Helper()
	h, err := w.client.History(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return h.Audit
}

func count(rows []memory.Audit, action string) int {
	n := 0
	for _, r := range rows {
		if r.Action == action {
			n++
		}
	}
	return n
}

func (w *world) confidence(t *testing.T, id string) float64 {
	t.Helper()
	list, err := w.client.Get(t.Context(), []string{id})
	if err != nil || len(list) != 1 {
		t.Fatalf("get %s: %+v, %v", id, list, err)
	}
	return list[0].Confidence
}

// fresh waits until the bookkeeping of a recall is done.
func (w *world) fresh(t *testing.T, id string, recalls int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for count(w.history(t, id), memory.ActionRecall) < recalls {
		if ctx.Err() != nil {
			t.Fatalf("%s was not counted as recalled %d times", id, recalls)
		}
	}
}

// TestASessionEndToEnd is one session with a real daemon: it begins, stores
// what is known already, meets an error that was solved before, and is
// compacted.
func TestASessionEndToEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.up(t)
	payments := w.store(t, memory.StoreInput{Text: "Payments are retried with exponential backoff, at most five times, because the bank's gateway drops requests under load"})
	w.store(t, memory.StoreInput{Text: "The garden fence was painted green last summer"})
	foreign := w.store(t, memory.StoreInput{Text: "retry payments with exponential backoff", Project: "another/project"})
	pgx := w.store(t, memory.StoreInput{Text: "We decided to use pgx instead of lib/pq, because lib/pq is in maintenance mode", Type: memory.TypeDecision})
	fix := w.store(t, memory.StoreInput{
		Text: "go test ./... fails with \"undefined: retry.Do\": the module was not vendored; go mod vendor fixed it", Type: memory.TypeError, Tags: []string{"error"},
	})

	start := w.run(t, "SessionStart", map[string]any{"source": "startup"})
	if !strings.Contains(start, memory.ShortID(payments)) || strings.Contains(start, memory.ShortID(foreign)) || strings.Contains(start, "garden fence") {
		t.Errorf("the session starts with %s", start)
	}
	if again := w.run(t, "SessionStart", map[string]any{"source": "startup", "session_id": "s2"}); again != start {
		t.Errorf("the same memories give another text:\n%s\n%s", start, again)
	}

	call := map[string]any{"tool_name": "mcp__mneme__memory_store", "tool_use_id": "t1", "tool_input": map[string]any{"text": "We decided to use pgx instead of lib/pq because lib/pq is in maintenance mode", "type": "decision"}}
	before := w.confidence(t, pgx)
	if got := w.run(t, "PreToolUse", call); !strings.Contains(got, "duplicate detected ("+memory.ShortID(pgx)) {
		t.Errorf("a duplicate is answered with %q", got)
	}
	if after := w.confidence(t, pgx); after <= before {
		t.Errorf("the duplicate's confidence went from %v to %v", before, after)
	}
	call["tool_input"] = map[string]any{"text": "Releases are cut on Thursdays, because support is complete then"}
	if got := w.run(t, "PreToolUse", call); got != "" {
		t.Errorf("a new fact is answered with %q", got)
	}

	failing := map[string]any{"tool_name": "Bash", "tool_use_id": "t2", "tool_input": map[string]any{"command": "go test ./..."}, "error": "Exit code 1\n# shop\n./payment.go:12:3: undefined: retry.Do\nFAIL\tshop [build failed]\nFAIL"}
	if got := w.run(t, "PostToolUseFailure", failing); !strings.Contains(got, "Similar error seen before") || !strings.Contains(got, memory.ShortID(fix)) {
		t.Errorf("an error that was solved before brings %q", got)
	}
	w.fresh(t, fix, 1)
	before = w.confidence(t, fix)
	w.run(t, "PostToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "t3", "tool_input": map[string]any{"command": "go test ./..."}, "tool_response": map[string]any{"stdout": "ok  \tshop\t0.01s"}})
	w.deliver(t)
	if after := w.confidence(t, fix); after <= before || count(w.history(t, fix), memory.ActionCredit) != 1 {
		t.Errorf("the fix that worked went from %v to %v: %+v", before, after, w.history(t, fix))
	}
	if n := count(w.history(t, payments), "inject"); n != 2 {
		t.Errorf("%d injections are in the audit, want 2", n)
	}
	w.compact(t)
}

// compact says something worth keeping and compacts, twice.
func (w *world) compact(t *testing.T) {
	t.Helper()
	const words = "The root cause was that gateway.example.org closes idle connections after 11 seconds, so internal/pool/pool.go handed out dead ones."
	line := func(uuid, typ, role string, content any) string {
		data, err := json.Marshal(map[string]any{
			"type": typ, "uuid": uuid, "sessionId": "s1", "timestamp": "2026-03-01T10:00:00Z", "cwd": w.dir,
			"message": map[string]any{"id": "m" + uuid, "role": role, "content": content},
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(data) + "\n"
	}
	text := line("u1", "user", "user", "why do requests fail now and then?") +
		line("u2", "assistant", "assistant", []any{map[string]any{"type": "text", "text": words}})
	if err := os.WriteFile(w.transcript, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := w.run(t, "PreCompact", map[string]any{"trigger": "auto", "custom_instructions": nil}); got != "Saved 1 new memory\n" {
			t.Errorf("PreCompact printed %q", got)
		}
	}
	w.deliver(t)
	r, err := w.client.Recall(t.Context(), memory.Query{Text: "why does the gateway drop idle connections", Project: project.Identify(w.dir), Collections: []string{memory.ShortTerm}})
	if err != nil || len(r.Hits) != 1 || !strings.Contains(r.Hits[0].Text, "11 seconds") {
		t.Fatalf("recalled %+v, %v", r.Hits, err)
	}
	rows := w.history(t, r.Hits[0].ID)
	if count(rows, memory.ActionStore) != 1 || count(rows, memory.ActionMerge)+count(rows, memory.ActionDuplicate) != 0 {
		t.Errorf("stored more than once: %+v", rows)
	}
	if got := w.run(t, "SessionStart", map[string]any{"source": "compact"}); !strings.Contains(got, `"systemMessage":"Saved 1 new memory (mneme review shows them)"`) {
		t.Errorf("after the compaction the user is told %s", got)
	}
}

// TestNothingIsLostWhileTheDaemonIsDown keeps on the disk what hooks find, and
// the daemon takes it when it starts, once.
func TestNothingIsLostWhileTheDaemonIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	waiting := spool.Open(w.home, w.redactor)
	add := func() {
		t.Helper()
		for _, e := range []spool.Entry{
			{Key: "extract/u1", Store: &memory.StoreInput{Text: "The staging database of shop runs on port 5433", Source: memory.SourceHook, Project: "p"}},
			{Key: "event/e1", Events: []memory.Event{{ID: "e1", Action: "inject", Project: "p"}}},
		} {
			if err := waiting.Add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	add()
	w.up(t)
	w.drained(t)
	// A drainer that was killed before it removed the entries: they come again.
	add()
	w.deliver(t)
	zero := 0.0
	r, err := w.client.Recall(t.Context(), memory.Query{Text: "staging database", Project: "p", MinScore: &zero})
	if err != nil || len(r.Hits) != 1 {
		t.Fatalf("recalled %+v, %v", r.Hits, err)
	}
	rows := w.history(t, r.Hits[0].ID)
	if count(rows, memory.ActionStore) != 1 || count(rows, memory.ActionDuplicate)+count(rows, memory.ActionMerge) != 0 {
		t.Errorf("done more than once: %+v", rows)
	}
	credit := memory.CreditInput{IDs: []string{r.Hits[0].ID}, Helped: true, Project: "p"}
	for range 3 {
		if err := waiting.Add(spool.Entry{Key: "credit/x", Credit: &credit}); err != nil {
			t.Fatal(err)
		}
		w.deliver(t)
	}
	if n := count(w.history(t, r.Hits[0].ID), memory.ActionCredit); n != 1 {
		t.Errorf("credited %d times", n)
	}
}

// TestAnErrorThatWasSolvedComesBack is the story that the hooks exist for: one
// session fails and finds the fix, the next one fails in the same way.
func TestAnErrorThatWasSolvedComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.up(t)
	const failure = "Exit code 1\n# shop\n./payment.go:12:3: undefined: retry.Do\nFAIL\tshop [build failed]\nFAIL"
	w.write(t, "../s.jsonl", solved(failure))
	w.run(t, "SessionEnd", map[string]any{"reason": "other"})
	w.deliver(t)
	// A busy machine may not recall in time, and then the hook says nothing.
	var got string
	n := 1
	wait.Until(t, "the next session that fails is told", func() bool {
		n++
		got = w.run(t, "PostToolUseFailure", map[string]any{
			"session_id": fmt.Sprint("s", n), "transcript_path": w.transcript + fmt.Sprint(n), "tool_name": "Bash", "tool_use_id": "t9",
			"tool_input": map[string]any{"command": "go test ./payment/..."}, "error": strings.ReplaceAll(failure, "12:3", "48:7"),
		})
		return got != ""
	})
	if !strings.Contains(got, "Similar error seen before") || !strings.Contains(got, "go mod vendor") {
		t.Errorf("session %d is told %q", n, got)
	}
}

// solved is the transcript of a session in which a command fails, something is
// done about it, and the command passes.
func solved(failure string) string {
	var b strings.Builder
	n := 0
	line := func(typ, role string, content any) {
		n++
		data, err := json.Marshal(map[string]any{
			"type": typ, "uuid": fmt.Sprint("u", n), "sessionId": "s1", "timestamp": fmt.Sprintf("2026-03-01T10:%02d:00Z", n),
			"message": map[string]any{"id": fmt.Sprint("m", n), "role": role, "content": content},
		})
		if err != nil {
			panic(err)
		}
		b.Write(append(data, '\n'))
	}
	call := func(id, command, result string, failed bool) {
		line("assistant", "assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": command}}})
		line("user", "user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result, "is_error": failed}})
	}
	say := func(text string) { line("assistant", "assistant", []any{map[string]any{"type": "text", "text": text}}) }
	line("user", "user", "please run the tests of the payment package")
	call("t1", "go test ./...", failure, true)
	say("retry.Do is undefined because the vendor folder lacks the module. I will vendor it again.")
	call("t2", "go mod vendor", "", false)
	call("t3", "go test ./...", "ok  \tshop\t0.012s", false)
	say("The tests pass now. The fix was running go mod vendor, because github.com/avast/retry-go was missing from the vendor folder.")
	line("user", "user", "thanks, that is all")
	return b.String()
}
