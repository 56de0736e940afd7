package hook

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/sweep"
	"github.com/mneme-memory/mneme/memory"
)

// teller is a chat model that gives one answer, or fails.
type teller struct {
	answer string
	err    error
	asked  []string
}

func (t *teller) chat(_ context.Context, _, user string, _ json.RawMessage) (string, error) {
	t.asked = append(t.asked, user)
	return t.answer, t.err
}

// sweeper is a daemon's, on the bench's home. It is at work already.
func (b *bench) sweeper(t *testing.T, model *teller) *sweep.Sweeper {
	t.Helper()
	b.update(t, func(*session.State) {}) // a folder of sessions
	s := &sweep.Sweeper{Config: b.cfg, Redactor: stars{}, Chat: model.chat, Now: time.Now}
	if n, err := s.Round(t.Context()); err != nil || n != 0 {
		t.Fatalf("the first round took %d, %v", n, err)
	}
	return s
}

func TestAChatModelSweepsInTheDaemon(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.cfg.Ollama.ChatModel = "llama3.2"
	model := &teller{answer: `{"facts":[{"text":"The CI image ships glibc 2.28, which has no getentropy, so cmd/keygen failed to link.",` +
		`"type":"learning","score":0.9,"sources":["e2"]}]}`}
	s := b.sweeper(t, model)
	var c conversation
	c.finding(1)
	b.say(t, &c)
	for _, event := range []string{stop, preCompact, sessionEnd} {
		if out := b.run(t, event, map[string]any{}); out != "" {
			t.Errorf("%s printed %q: it has not looked at anything", event, out)
		}
	}
	if n := b.stores(t); n != 0 {
		t.Fatalf("a hook stored %d", n)
	}
	for round, want := range []int{1, 0, 0} {
		n, err := s.Round(t.Context())
		if err != nil || n != want {
			t.Fatalf("round %d took %d, %v", round, n, err)
		}
	}
	if len(model.asked) != 1 || !strings.Contains(model.asked[0], "getentropy") {
		t.Errorf("asked %q", model.asked)
	}
	if n := b.stores(t); n != 1 {
		t.Errorf("stored %+v", b.client.stored)
	}
	for _, in := range b.client.stored {
		if !strings.Contains(in.Text, "getentropy") || in.Session != theSession {
			t.Errorf("stored %+v", in)
		}
	}
	if state, _, err := session.Open(b.home).Get(theSession); err != nil || state.Saved != 1 {
		t.Errorf("the next start will say that %d were saved, %v", state.Saved, err)
	}
}

func TestAChatModelThatFailsLeavesItToTheRules(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.cfg.Ollama.ChatModel = "llama3.2"
	s := b.sweeper(t, &teller{err: errors.New("no such model")})
	var c conversation
	c.finding(2)
	b.say(t, &c)
	b.run(t, sessionEnd, map[string]any{"reason": "other"})
	n, err := s.Round(t.Context())
	if err != nil || n != 1 {
		t.Fatalf("took %d, %v", n, err)
	}
	if b.stores(t) != 1 {
		t.Errorf("stored %+v", b.client.stored)
	}
}

// shouting is a project's redactor: it takes out a name, too.
type shouting struct{ stars }

func (s shouting) Redact(text string) (string, []string) {
	text, kinds := s.stars.Redact(text)
	return strings.ReplaceAll(text, "ACME", "[redacted:custom]"), kinds
}

// What the model is asked, and what it says, goes through the project's rules.
func TestTheModelSeesNoSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.cfg.Ollama.ChatModel = "llama3.2"
	model := &teller{answer: `{"facts":[{"text":"The login of ACME with ` + secret + ` goes through proxy.example.org.",` +
		`"type":"learning","score":0.9,"sources":["e2"]}]}`}
	s := b.sweeper(t, model)
	var c conversation
	c.person("log in with " + secret + " at ACME")
	c.model("The root cause was that the login of ACME with " + secret + " goes through proxy.example.org.")
	b.say(t, &c)
	b.run(t, sessionEnd, map[string]any{"reason": "other"})
	dirs := map[string]bool{}
	s.ProjectRedactor = func(dir string) (memory.Redactor, error) {
		dirs[dir] = true
		return shouting{}, nil
	}
	if n, err := s.Round(t.Context()); err != nil || n != 1 {
		t.Fatalf("took %d, %v", n, err)
	}
	if asked := strings.Join(model.asked, "\n"); strings.Contains(asked, secret) || strings.Contains(asked, "ACME") || !strings.Contains(asked, "proxy.example.org") {
		t.Errorf("asked %q", asked)
	}
	if len(dirs) != 1 || !dirs[b.dir] {
		t.Errorf("the redactor of %v", dirs)
	}
	b.stores(t)
	for _, in := range b.client.stored {
		if strings.Contains(in.Text, secret) || strings.Contains(in.Text, "ACME") {
			t.Errorf("stored %q", in.Text)
		}
	}
	s.ProjectRedactor = func(string) (memory.Redactor, error) { return nil, errors.New("unreadable") }
	c.finding(1)
	b.say(t, &c)
	if n, err := s.Round(t.Context()); err == nil || n != 0 || len(model.asked) != 1 {
		t.Errorf("without the project's rules it took %d and asked %d times, %v", n, len(model.asked), err)
	}
}

// With a chat model and nobody who sweeps with it, the hooks do it by rules.
func TestWithoutASweeperTheHooksSweep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.cfg.Ollama.ChatModel = "llama3.2"
	var c conversation
	c.finding(1)
	b.say(t, &c)
	b.run(t, sessionEnd, map[string]any{"reason": "other"})
	if n := b.stores(t); n != 1 {
		t.Errorf("where no sweeper ever was, %d stored", n)
	}
	s := b.sweeper(t, &teller{err: errors.New("not asked")})
	s.Now = func() time.Time { return time.Now().Add(-2 * time.Hour) }
	if _, err := s.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.finding(2)
	b.say(t, &c)
	b.run(t, sessionEnd, map[string]any{"reason": "other"})
	if n := b.stores(t); n != 2 {
		t.Errorf("two hours after the last round of a sweeper, %d stored", n)
	}
}
