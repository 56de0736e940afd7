package realtest

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
	"github.com/mneme-memory/mneme/memory"
)

// status is what "mneme status --json" tells; the rest of it is not looked at.
type status struct {
	Model    string             `json:"model"`
	Services map[string]service `json:"services"`
	Stats    *memory.Stats      `json:"stats"`
}

type service struct {
	Address   string `json:"address"`
	Mode      string `json:"mode"`
	Version   string `json:"version"`
	Supported bool   `json:"supported"`
	OK        bool   `json:"ok"`
	Detail    string `json:"detail"`
}

// status asks until all servers have answered within the second that they are given: on a busy
// machine they may need several tries.
func (w *world) status(t *testing.T) status {
	t.Helper()
	var a answer
	wait.Until(t, "mneme status finds nothing wrong", func() bool {
		a = w.cli(t, "status", "--json")
		return a.code == 0
	})
	return decode[status](t, a.stdout)
}

// hit is what "mneme recall --json" tells of a memory.
type hit struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// The fact that is stored, the same as another would write it, another fact,
// and a question.
const (
	fact     = "The staging database is rebuilt from scratch every night at two o'clock."
	reworded = "A staging database is rebuilt from scratch every night, at two o'clock!"
	stranger = "Releases are tagged by the build server, never by hand."
	asked    = "when does the staging database get rebuilt"
)

// TestOllama uses a real Ollama with everything else embedded.
func TestOllama(t *testing.T) {
	need(t, "ollama")
	o := startOllama(t)
	given := []string{"MNEME_OLLAMA_URL=" + o.url(), "MNEME_EMBED_MODEL=" + model}
	t.Run("given", func(t *testing.T) { uses(t, newWorld(t, given...), homestate.Given) })
	t.Run("found", func(t *testing.T) {
		uses(t, newWorld(t, "OLLAMA_HOST="+o.addr, "MNEME_EMBED_MODEL="+model), homestate.Found)
	})
	t.Run("no such model", func(t *testing.T) {
		noSuchModel(t, newWorld(t, "MNEME_OLLAMA_URL="+o.url(), "MNEME_EMBED_MODEL=no-such-model"))
	})
	t.Run("switched", func(t *testing.T) { switched(t, newWorld(t), given) })
	t.Run("reembed", func(t *testing.T) {
		reembeds(t, newWorld(t, "OLLAMA_HOST="+o.addr, "MNEME_EMBED_MODEL=mneme-static"))
	})
	t.Run("gone", func(t *testing.T) { gone(t, o, newWorld(t, given...)) })
}

// uses stores and recalls, and looks what doctor and status say.
func uses(t *testing.T, w *world, mode string) {
	w.up(t)
	s := w.status(t)
	if got := s.Services[homestate.OllamaService]; got.Mode != mode || !got.OK || !got.Supported || s.Model != model {
		t.Errorf("status says %+v, model %s", got, s.Model)
	}
	first := w.stored(t, fact, memory.Stored)
	w.stored(t, stranger, memory.Stored)
	if again := w.stored(t, reworded, memory.MergedIn); again.ID != first.ID {
		t.Errorf("the same fact was merged into %s, not %s", again.ID, first.ID)
	}
	w.finds(t)
	if out := w.ok(t, "doctor"); !strings.Contains(out, dimensions+" dimensions") {
		t.Errorf("doctor does not tell the model's dimension:\n%s", out)
	}
}

// reembeds goes from the built-in model to that of a real Ollama and back, without a change of the
// settings, and with a restart in between.
func reembeds(t *testing.T, w *world) {
	w.up(t)
	w.stored(t, fact, memory.Stored)
	w.stored(t, stranger, memory.Stored)
	w.finds(t)
	if out := w.ok(t, "reembed", "--model", model); !strings.Contains(out, model+" is in force") || !strings.Contains(out, "in common") {
		t.Errorf("reembed says\n%s", out)
	}
	w.finds(t)
	w.ok(t, "down")
	w.up(t)
	if s := w.status(t); s.Model != model || s.Stats == nil || s.Stats.Dimension != 384 {
		t.Errorf("after a restart status says %s, %+v", s.Model, s.Stats)
	}
	w.stored(t, "The office cat is called Schroedinger.", memory.Stored)
	w.finds(t)
	if out := w.ok(t, "reembed", "--back"); !strings.Contains(out, "mneme-static is in force") {
		t.Errorf("reembed --back says\n%s", out)
	}
	w.finds(t)
	w.ok(t, "reembed", "--drop-old")
	w.finds(t)
	if out := w.ok(t, "doctor"); strings.Contains(out, model) {
		t.Errorf("doctor still tells of the other model:\n%s", out)
	}
}

// stored stores a text and wants to be told so.
func (w *world) stored(t testing.TB, text string, want memory.Status) memory.StoreResult {
	t.Helper()
	r := decode[memory.StoreResult](t, w.ok(t, "store", "--json", "--project", "p", text))
	// On a busy machine a step may take longer than the fast path has time.
	if r.Status != want && r.Status != memory.Accepted {
		t.Errorf("store %q: told %+v, want %s", text, r, want)
	}
	return r
}

// finds wants the fact, and as the first.
func (w *world) finds(t testing.TB) {
	t.Helper()
	eventually(t, func() string {
		a := w.cli(t, "recall", "--json", "--project", "p", asked)
		if a.code != 0 || a.stderr != "" {
			return a.String()
		}
		// After a merge it has both wordings.
		if hits := decode[[]hit](t, a.stdout); !strings.Contains(hits[0].Text, "staging database") {
			return "found " + a.stdout
		}
		return ""
	})
}

// noSuchModel names a model that Ollama neither has nor can get.
func noSuchModel(t *testing.T, w *world) {
	w.upPartly(t)
	a := w.cli(t, "status")
	if a.code != 5 || !strings.Contains(a.stdout, "no-such-model") {
		t.Errorf("status does not tell of the model: %s", a)
	}
	for _, args := range [][]string{{"doctor"}, {"store", "--project", "p", fact}} { // a store is accepted all the same
		if a := w.cli(t, args...); (a.code == 0) != (args[0] == "store") || !strings.Contains(a.stdout+a.stderr, "ollama pull no-such-model") {
			t.Errorf("mneme %s does not say what to do: %s", args[0], a)
		}
	}
}

// switched fills a ledger with the built-in model, and goes on with another.
func switched(t *testing.T, w *world, settings []string) {
	before := w.with("MNEME_EMBED_MODEL=mneme-static")
	before.ok(t, "up", "--detach")
	before.stored(t, fact, memory.Stored)
	before.stored(t, stranger, memory.Stored)
	before.finds(t)
	before.ok(t, "down")

	after := w.with(settings...)
	after.upPartly(t)
	for _, args := range [][]string{{"recall", "--project", "p", asked}, {"store", "--project", "p", "Something new."}, {"doctor"}} {
		if a := after.cli(t, args...); !strings.Contains(a.stdout+a.stderr, "mneme rebuild") {
			t.Errorf("mneme %s does not name the way out: %s", args[0], a)
		}
	}
	after.ok(t, "rebuild")
	after.finds(t)
	after.stored(t, reworded, memory.MergedIn)
	after.ok(t, "doctor")
}

// gone takes Ollama away while something is stored.
func gone(t *testing.T, o *ollama, w *world) {
	w.up(t)
	w.stored(t, fact, memory.Stored)
	away := func(text string, leave, back func()) {
		t.Helper()
		leave()
		began := time.Now()
		r := decode[memory.StoreResult](t, w.ok(t, "store", "--json", "--project", "p", text))
		if r.Status != memory.Accepted || r.WaitingFor != "Ollama" {
			t.Errorf("told %+v, want accepted, waiting for Ollama", r)
		}
		if a := w.cli(t, "recall", "--project", "p", asked); a.code != 0 || !strings.Contains(a.stderr, "keywords alone") || !strings.Contains(a.stdout, "staging") {
			t.Errorf("recall without Ollama: %s", a)
		}
		t.Logf("answered in %s", time.Since(began))
		back()
		eventually(t, func() string {
			if a := w.cli(t, "get", "--json", r.ID); a.code != 0 {
				return "not stored: " + a.String()
			}
			return ""
		})
	}
	away("Kill: backups are kept for thirty days.", o.kill, func() { o.start(t) })
	away("Stop: invoices are sent on the first of the month.", func() { o.signal(syscall.SIGSTOP) }, func() { o.signal(syscall.SIGCONT) })
	w.finds(t)
}
