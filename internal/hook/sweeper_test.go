package hook

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/hook/session"
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

// sweeper is a daemon's, on the bench's home.
func (b *bench) sweeper(model *teller) *Sweeper {
	return &Sweeper{Config: b.cfg, Redactor: stars{}, Chat: model.chat, Now: time.Now}
}

func TestAChatModelSweepsInTheDaemon(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.cfg.Ollama.ChatModel = "llama3.2"
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
	model := &teller{answer: `{"facts":[{"text":"The CI image ships glibc 2.28, which has no getentropy, so cmd/keygen failed to link.",` +
		`"type":"learning","score":0.9,"sources":["e2"]}]}`}
	s := b.sweeper(model)
	for round, want := range []int{1, 0, 0} {
		n, err := s.Sweep(t.Context())
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
	var c conversation
	c.finding(2)
	b.say(t, &c)
	b.run(t, sessionEnd, map[string]any{"reason": "other"})
	n, err := b.sweeper(&teller{err: errors.New("no such model")}).Sweep(t.Context())
	if err != nil || n != 1 {
		t.Fatalf("took %d, %v", n, err)
	}
	if b.stores(t) != 1 {
		t.Errorf("stored %+v", b.client.stored)
	}
}
