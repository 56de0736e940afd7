package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// TestStoreWhileDown: a text that mneme cannot be given is kept, as the hooks keep theirs.
func TestStoreWhileDown(t *testing.T) {
	t.Parallel()
	down := memory.Down("Temporal", "start it", errors.New("mneme is not running"))
	for name, c := range map[string]struct {
		dial error
		keep error
		exit int
		says string
	}{
		"down":          {dial: down, says: "kept on disk"},
		"full":          {dial: down, keep: errors.New("the spool is full"), exit: ExitDown, says: "could not be kept for later either: the spool is full"},
		"invalid":       {dial: down, keep: memory.Errorf(memory.Invalid, "", "too long"), exit: ExitUsage, says: "too long"},
		"another error": {dial: memory.Errorf(memory.Invalid, "", "a wrong key"), exit: ExitUsage, says: "a wrong key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, fake{})
			var kept []memory.StoreInput
			s.deps.Dial = func(context.Context, config.Config) (Client, error) { return nil, c.dial }
			redacted := memory.StoreInput{Text: "The port is [redacted].", Project: memory.Global, Collection: memory.Memories}
			s.deps.Keep = func(_ config.Config, in memory.StoreInput) (memory.StoreInput, error) {
				kept = append(kept, in)
				return redacted, c.keep
			}
			code, out, errs := s.run(t.Context(), "store", "The port is 80.", "--global")
			if code != c.exit || !strings.Contains(out+errs, c.says) {
				t.Errorf("exit %d, %s %s", code, out, errs)
			}
			if code == 0 && !strings.Contains(out, memory.ShortID(redacted.ID())) {
				t.Errorf("not the id of what is kept, %s: %s", memory.ShortID(redacted.ID()), out)
			}
			if wants := memory.CodeOf(c.dial) == memory.Unavailable; (len(kept) == 1) != wants || wants && kept[0].Text != "The port is 80." {
				t.Errorf("kept %+v", kept)
			}
		})
	}
}

func TestTheLastPartNamesTheFoldersProject(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"shop": "github.com/acme/shop", "other": "other", "github.com/acme/shop": "github.com/acme/shop"} {
		s := newSession(t, fake{store: func(in memory.StoreInput) (memory.StoreResult, error) {
			return memory.StoreResult{ID: idA, Status: memory.Stored, Project: in.Project, Collection: in.Collection}, nil
		}})
		s.deps.Project = func(string) string { return "github.com/acme/shop" }
		code, out, errs := s.run(t.Context(), "store", "x", "--project", name)
		if code != 0 || !strings.Contains(out, "project "+want+")") || (name != want) != strings.Contains(errs, "is taken for this folder's project") {
			t.Errorf("%s: exit %d, %s %s", name, code, out, errs)
		}
	}
}

func TestTheBuiltInModelIsNoOllama(t *testing.T) {
	t.Parallel()
	s := doctor.Server{
		Service:    homestate.Service{Address: "127.0.0.1:1", Mode: homestate.Embedded},
		Inspection: memory.Inspection{Version: "0.17.4+mneme", Supported: true, Facts: []string{"mneme-static of 256 dimensions"}},
	}
	if got := headingOf(homestate.OllamaService, s) + ": " + noteOf(homestate.OllamaService, s); got != "Model: embedded, mneme-static of 256 dimensions" {
		t.Errorf("built in: %s", got)
	}
	s.Service.Mode = homestate.Found
	if got := headingOf(homestate.OllamaService, s) + ": " + noteOf(homestate.OllamaService, s); !strings.HasPrefix(got, "Ollama: found, 0.17.4") {
		t.Errorf("found: %s", got)
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		done, left int
		seconds    float64
		want       string
	}{
		{1000, 500, 2, "500/s, 1s left"}, {3, 6, 2, "1.5/s, 4s left"}, {0, 6, 2, ""},
	} {
		if got := pace(c.done, c.left, time.Duration(c.seconds*float64(time.Second))); got != c.want {
			t.Errorf("%d in %v s: %q, want %q", c.done, c.seconds, got, c.want)
		}
	}
}
