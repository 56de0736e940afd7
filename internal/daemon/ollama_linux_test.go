package daemon_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/testkit/otheruser"
	"github.com/mneme-memory/mneme/memory"
)

// foreignOllama is a server of Ollama's protocol that belongs to another user of the machine.
// It counts the texts that it is sent to embed.
func foreignOllama(t *testing.T) (address string, embedded *atomic.Int32) {
	t.Helper()
	embedded = &atomic.Int32{}
	target := ollamaAt(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/api/embed" {
			embedded.Add(1)
		}
		return false
	})
	l := otheruser.Listen(t, "127.0.0.1:0")
	front := &httptest.Server{Listener: l, Config: &http.Server{Handler: forward(t, "http://"+target)}} //nolint:gosec // for a test
	front.Start()
	t.Cleanup(front.Close)
	return l.Addr().String(), embedded
}

// TestForeignOllama does not embed with what another user of the machine runs where Ollama is
// looked for, says why, and does so once the user agreed to it.
func TestForeignOllama(t *testing.T) {
	t.Parallel()
	address, embedded := foreignOllama(t)
	home := t.TempDir()
	r := run(t, home, map[string]string{"MNEME_EMBED_MODEL": ""}, lookAt(address))
	s := r.state.Services[homestate.OllamaService]
	if s.Mode != homestate.Embedded || !strings.Contains(s.Note, "another user (61234)") || !strings.Contains(s.Note, "mneme up --use-ollama") {
		t.Errorf("a new home: %+v", s)
	}
	stored(t, r.client, fact, "a")
	r.stop()
	if embedded.Load() > 0 {
		t.Fatal("a text reached the other user")
	}

	// A home that needs a model of a real Ollama waits, and says why.
	home = t.TempDir()
	wants := map[string]string{"MNEME_EMBED_MODEL": "mneme-static:latest"}
	r = run(t, home, wants, lookAt(address))
	i := r.inspect(t, homestate.OllamaService)
	if len(i.Problems) == 0 || memory.CodeOf(i.Problems[0]) != memory.Refused || !strings.Contains(memory.HintOf(i.Problems[0]), "--use-ollama") {
		t.Errorf("it says of itself %+v", i)
	}
	r.stop()
	if embedded.Load() > 0 {
		t.Fatal("a text reached the other user")
	}

	// Agreed to once: for this Ollama, also at the next start, and for no other.
	if err := config.WriteOllamaAgreement(home, config.OllamaAgreement{User: config.UnknownUser}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r = run(t, home, wants, lookAt(address))
		if i := r.inspect(t, homestate.OllamaService); len(i.Problems) > 0 {
			t.Errorf("what was agreed to is not used: %v", i.Problems)
		}
		r.stop()
	}
	if embedded.Load() == 0 {
		t.Error("what was agreed to is not used")
	}
	other, embedded := foreignOllama(t)
	r = run(t, home, wants, lookAt(other))
	if i := r.inspect(t, homestate.OllamaService); len(i.Problems) == 0 || embedded.Load() > 0 {
		t.Errorf("another one is used too: %+v", i)
	}
}
