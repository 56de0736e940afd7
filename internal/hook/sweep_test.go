package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// The lines of a conversation, as the client writes them.
type conversation struct {
	lines []string
	n     int
}

func (c *conversation) line(v map[string]any) string {
	c.n++
	uuid := fmt.Sprintf("u%03d", c.n)
	v["uuid"], v["sessionId"], v["timestamp"], v["cwd"] = uuid, theSession, fmt.Sprintf("2026-03-01T10:%02d:00Z", c.n), "/shop"
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	c.lines = append(c.lines, string(data))
	return uuid
}

func (c *conversation) person(text string) {
	c.line(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}})
}

func (c *conversation) model(text string) {
	c.line(map[string]any{"type": "assistant", "message": map[string]any{
		"id": fmt.Sprintf("msg_%d", c.n), "role": "assistant", "content": []any{map[string]any{"type": "text", "text": text}},
	}})
}

// finding is a turn in which something is learned.
func (c *conversation) finding(n int) {
	c.person(fmt.Sprintf("Please look into failure number %d of the build", n))
	c.model("I looked into it. " + []string{
		"The root cause was that gateway.example.org closes idle connections after 11 seconds, so internal/pool/pool.go handed out dead ones.",
		"The root cause was that the CI image ships glibc 2.28, which has no getentropy, so cmd/keygen failed to link.",
		"The root cause was that MAX_UPLOAD_MB is read before config.yaml is parsed, so avatars above 2 MB were refused.",
		"The root cause was that TestInvoice compares dates in local time, so it fails every evening in Auckland.",
		"The root cause was that the orders_by_day view locks the invoices table while VACUUM FULL is running.",
		"The root cause was that webpack.prod.js minifies class names, so the router could not find CheckoutPage.",
	}[n%6])
}

func (b *bench) say(t *testing.T, c *conversation) {
	t.Helper()
	if err := os.WriteFile(b.transcript, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// stores counts what the fake has, after everything was delivered.
func (b *bench) stores(t *testing.T) int {
	t.Helper()
	b.deliver(t)
	return len(b.client.stored)
}

func TestCompactSavesWhatWasFound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var c conversation
	c.finding(1)
	b.say(t, &c)
	if got := b.run(t, preCompact, map[string]any{"trigger": "auto"}); got != "Saved 1 new memory\n" {
		t.Errorf("printed %q", got)
	}
	if n := b.stores(t); n != 1 {
		t.Fatalf("%d stored: %+v", n, b.client.stored)
	}
	for _, in := range b.client.stored {
		if in.Source != memory.SourceHook || in.Collection != memory.ShortTerm || in.Session != theSession || in.Project != "example.org/me/shop" {
			t.Errorf("stored %+v", in)
		}
	}
	// The same once more, as the client may ask: nothing new is found.
	b.run(t, preCompact, map[string]any{"trigger": "auto"})
	b.run(t, sessionEnd, map[string]any{"reason": "other"})
	if n := b.stores(t); n != 1 {
		t.Errorf("%d stored", n)
	}
	a := answerOf(t, sessionStart, b.run(t, sessionStart, map[string]any{"source": "compact"}))
	if a.SystemMessage != "Saved 1 new memory (mneme review shows them)" || a.Specific != nil {
		t.Errorf("after the compaction: %+v", a)
	}
}

func TestCompactWithoutAnythingPrintsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if got := b.run(t, preCompact, map[string]any{"trigger": "manual"}); got != "" {
		t.Errorf("without a transcript: %q", got)
	}
	var c conversation
	c.person("say hi")
	c.model("hi")
	b.say(t, &c)
	if got := b.run(t, preCompact, map[string]any{"trigger": "manual"}); got != "" {
		t.Errorf("with nothing in it: %q", got)
	}
}

// The sweeps together find each thing once, whatever the order they come in.
func TestSweepsGoOnFromEachOther(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var c conversation
	for n := range 6 {
		c.finding(n)
		b.say(t, &c)
		b.run(t, []string{stop, preCompact, stop}[n%3], map[string]any{"trigger": "auto", "last_assistant_message": "x"})
	}
	b.run(t, sessionEnd, map[string]any{"reason": "other"})
	if n := b.stores(t); n != 6 {
		t.Errorf("%d of 6 findings are stored", n)
	}
	if s := b.state(t); s.Extracted != 6 || !s.Ended {
		t.Errorf("the session has %+v", s)
	}
}

func TestSessionHasABound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.cfg.Hooks.ExtractMax = 2
	var c conversation
	for n := range 5 {
		c.finding(n)
		b.say(t, &c)
		b.run(t, preCompact, map[string]any{"trigger": "auto"})
	}
	if n := b.stores(t); n != 2 {
		t.Errorf("%d stored, want 2", n)
	}
}

// Sweeps that race take each thing once.
func TestSweepsAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var c conversation
	for n := range 4 {
		c.finding(n)
	}
	b.say(t, &c)
	var wg sync.WaitGroup
	for _, event := range []string{preCompact, sessionEnd, stop, preCompact, sessionEnd} {
		wg.Go(func() { b.run(t, event, map[string]any{"trigger": "auto"}) })
	}
	wg.Wait()
	if n := b.stores(t); n != 4 || b.state(t).Extracted != 4 {
		t.Errorf("%d stored, %d extracted, want 4", n, b.state(t).Extracted)
	}
}

// A sweep that was killed between keeping and the checkpoint is repeated: its
// requests have the same keys.
func TestSweepThatWasKilledIsRepeated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.down = true
	var c conversation
	c.finding(1)
	c.finding(2)
	b.say(t, &c)
	b.run(t, preCompact, map[string]any{"trigger": "auto"})
	delivered := b.stores(t)
	b.update(t, func(s *session.State) { *s = session.State{Session: theSession} }) // the checkpoint never was
	b.run(t, preCompact, map[string]any{"trigger": "auto"})
	if again := b.stores(t); delivered != 2 || again != 2 {
		t.Errorf("%d keys, then %d, want 2", delivered, again)
	}
}

func TestSweepWithMnemeDownLosesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.down = true
	var c conversation
	c.finding(1)
	b.say(t, &c)
	if got := b.run(t, preCompact, map[string]any{"trigger": "auto"}); got != "Saved 1 new memory\n" {
		t.Errorf("printed %q", got)
	}
	if line := b.lastLine(t); line.Spooled == 0 || line.Delivered != 0 {
		t.Errorf("the log has %+v", line)
	}
	b.down = false
	b.run(t, stop, nil)
	if len(b.client.stored) != 1 {
		t.Errorf("the next hook delivered %d", len(b.client.stored))
	}
}

// A daemon that runs takes what waits; the hook asks for what it has to tell of,
// and lets nobody wait for the rest.
func TestRunningDaemonIsLeftItsWork(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := config.EnsureHome(b.home); err != nil {
		t.Fatal(err)
	}
	release, held, err := homestate.Hold(t.Context(), b.home)
	if err != nil || !held {
		t.Fatal(held, err)
	}
	t.Cleanup(func() { _ = release() })
	if err := homestate.Write(b.home, homestate.Daemon{PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	older := spool.Open(b.home, stars{})
	if err := older.Add(spool.Entry{Key: "older", Store: &memory.StoreInput{Text: "Backups run at four.", Project: "p"}}); err != nil {
		t.Fatal(err)
	}
	b.run(t, stop, nil)
	b.run(t, sessionStart, map[string]any{"source": "startup"})
	if len(b.client.stored) != 0 {
		t.Errorf("what was left to the daemon was delivered: %v", b.client.stored)
	}
	var c conversation
	c.finding(1)
	b.say(t, &c)
	if got := b.run(t, preCompact, map[string]any{"trigger": "auto"}); got != "Saved 1 new memory\n" {
		t.Errorf("printed %q", got)
	}
	if _, other := b.client.stored["older"]; len(b.client.stored) != 1 || other {
		t.Errorf("delivered %v, want what was found", b.client.stored)
	}
	if b.deliver(t); len(b.client.stored) != 2 {
		t.Errorf("the daemon finds %v", b.client.stored)
	}
}

// The start of a session sweeps sessions that were killed, but neither those
// still in use nor those of other projects.
func TestStartSweepsWhatWasLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var c conversation
	c.finding(1)
	b.say(t, &c)
	b.run(t, sessionStart, map[string]any{"source": "startup"})
	next := map[string]any{"source": "startup", "session_id": "next", "transcript_path": filepath.Join(b.home, "none")}
	b.run(t, sessionStart, next)
	if n := b.stores(t); n != 0 {
		t.Errorf("%d stored of a session that may live", n)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(b.transcript, old, old); err != nil {
		t.Fatal(err)
	}
	b.change = func(o *Options) { o.Project = func(string) string { return "other" } }
	b.run(t, sessionStart, map[string]any{"source": "startup", "session_id": "elsewhere", "transcript_path": "/none"})
	if n := b.stores(t); n != 0 {
		t.Errorf("%d stored by another project's session", n)
	}
	b.change = nil
	b.run(t, sessionStart, next)
	b.run(t, sessionStart, next)
	if n := b.stores(t); n != 1 {
		t.Errorf("%d stored, want 1", n)
	}
	for _, in := range b.client.stored {
		if in.Session != theSession {
			t.Errorf("stored for session %q", in.Session)
		}
	}
}

// What was injected is not learned again.
func TestInjectedTextsAreNotLearned(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var c conversation
	c.finding(1)
	b.say(t, &c)
	text := "The root cause was that the CI image ships glibc 2.28, which has no getentropy, so cmd/keygen failed to link."
	b.client.hits = []memory.Hit{{ID: idA, Text: text, Type: "learning", CreatedAt: day(1)}}
	b.run(t, sessionStart, map[string]any{"source": "startup"})
	b.run(t, preCompact, map[string]any{"trigger": "auto"})
	if n := b.stores(t); n != 0 {
		t.Errorf("%d stored: %+v", n, b.client.stored)
	}
}

func TestTranscriptThatIsNoFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.Mkdir(b.transcript, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := b.run(t, preCompact, map[string]any{"trigger": "auto"}); got != "" {
		t.Errorf("printed %q", got)
	}
}
