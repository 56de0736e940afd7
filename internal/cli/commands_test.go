package cli

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

func TestStoreSendsWhatWasSaid(t *testing.T) {
	t.Parallel()
	var got memory.StoreInput
	c := fake{store: func(in memory.StoreInput) (memory.StoreResult, error) {
		got = in
		return memory.StoreResult{
			ID: idA, Status: memory.Accepted, WaitingFor: "Ollama", Project: in.Project, Collection: in.Collection,
			Message: "accepted; it will be stored when Ollama is back",
		}, nil
	}}
	s := newSession(t, c)
	code, out, errs := s.run(t.Context(), "store", "--type", "learning", "--tags", "B,a", "--tags", "c", "--importance", "0", "--pin",
		"--session", "s1", "--created-at", "2024-05-01 10:00", "--link", "builds_on:"+idB, "two", "words")
	if code != 0 || !strings.Contains(out, "will be stored when Ollama is back") {
		t.Fatalf("exit %d, %q, %q", code, out, errs)
	}
	if got.Text != "two words" || got.Project != "here" || got.Collection != memory.Learnings || strings.Join(got.Tags, " ") != "a b c" ||
		*got.Importance != 0 || !got.Pinned || got.Session != "s1" || got.Source != memory.SourceCLI || got.User == "" ||
		!got.CreatedAt.Equal(time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)) || got.Links[0] != (memory.LinkRequest{TargetID: idB, Type: "builds_on"}) {
		t.Errorf("sent %+v", got)
	}
	s.stdin = "from stdin\n"
	for _, args := range [][]string{{"store"}, {"store", "-"}} {
		if code, _, errs := s.run(t.Context(), args...); code != 0 || got.Text != "from stdin" {
			t.Errorf("%v: exit %d, %q, %s", args, code, got.Text, errs)
		}
	}
}

func TestProjectOfStoreAndRecall(t *testing.T) {
	t.Parallel()
	const odd = `o'hara/"app" $(x)`
	for _, c := range []struct {
		name string
		env  string
		args []string
		want string
	}{
		{"current folder", "", nil, "here"},
		{"setting", "set", nil, "set"},
		{"flag", "set", []string{"--project", odd}, odd},
		{"global", "set", []string{"--global"}, memory.Global},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var stored, asked string
			s := newSession(t, fake{
				store: func(in memory.StoreInput) (memory.StoreResult, error) {
					stored = in.Project
					return memory.StoreResult{}, nil
				},
				recall: func(q memory.Query) (memory.RecallResult, error) {
					asked = q.Project
					return memory.RecallResult{}, nil
				},
			})
			s.env["MNEME_PROJECT"] = c.env
			s.run(t.Context(), append([]string{"store", "x"}, c.args...)...)
			s.run(t.Context(), append([]string{"recall", "x"}, c.args...)...)
			if stored != c.want || asked != c.want {
				t.Errorf("stored in %q, asked %q, want %q", stored, asked, c.want)
			}
		})
	}
}

func TestRecallSendsFilters(t *testing.T) {
	t.Parallel()
	var got memory.Query
	s := newSession(t, fake{recall: func(q memory.Query) (memory.RecallResult, error) { got = q; return memory.RecallResult{}, nil }})
	code, _, errs := s.run(t.Context(), "recall", "--all-projects", "--min-score", "0.5", "--limit", "100", "--type", "fact,note",
		"--collection", "learnings", "--tags", "A", "--since", "2024-01-01", "--before", "2024-02-01T00:00:00+01:00", "who", "cares")
	if code != ExitNothing {
		t.Fatalf("exit %d, %s", code, errs)
	}
	if got.Text != "who cares" || !got.AllProjects || *got.MinScore != 0.5 || got.Limit != 100 || len(got.Types) != 2 ||
		got.Collections[0] != "learnings" || got.Tags[0] != "a" || got.Since.Day() != 1 || got.Before.UTC().Hour() != 23 {
		t.Errorf("sent %+v", got)
	}
}

func TestForgetAsksAPerson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer string
		code   int
		gone   bool
	}{
		{"yes\n", 0, true},
		{"YES\n", 0, true},
		{"2\n", 0, true},
		{"3\n", 0, false},
		{"\n", 0, false},
		{"n\n", 0, false},
		{"", 0, false},
	} {
		gone := false
		f := fixed()
		forget := f.forget
		f.forget = func(in memory.ForgetInput) (memory.ForgetReceipt, error) {
			gone = gone || !in.DryRun
			if in.Filter.Project != "here" {
				t.Errorf("a filter went to project %q", in.Filter.Project)
			}
			return forget(in)
		}
		s := newSession(t, f)
		s.tty, s.stdin = true, c.answer
		code, _, errs := s.run(t.Context(), "forget", "--tags", "old")
		if code != c.code || gone != c.gone || !strings.Contains(errs, "This forgets 2 memories. Type 2 ") ||
			!strings.Contains(errs, "We use goose for <migrations>.") {
			t.Errorf("%q: exit %d, gone %v, %q", c.answer, code, gone, errs)
		}
	}
}

// never is a terminal at which nobody types.
type never struct{ done <-chan struct{} }

func (n never) Read([]byte) (int, error) { <-n.done; return 0, errors.New("closed") }

func TestInterruptEndsAReadOfTheTerminal(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if _, err := interruptible(ctx, func() (int, error) { return never{t.Context().Done()}.Read(nil) }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRebuildThatIsNotEqual(t *testing.T) {
	t.Parallel()
	s := newSession(t, fake{rebuild: func(memory.RebuildInput, func(memory.RebuildReport)) (memory.RebuildReport, error) {
		return memory.RebuildReport{Done: true, Collections: []memory.RebuildCollection{{Collection: "learnings", Ledger: 2, Index: 1, Unequal: []string{idA}}}}, nil
	}})
	code, out, errs := s.run(t.Context(), "rebuild")
	if code != ExitUnexpected || !strings.Contains(out, "NO") || !strings.Contains(errs, "not equal") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}

func TestExitCodesOfErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		code int
	}{
		{errors.New("surprise"), ExitUnexpected},
		{memory.Errorf(memory.Conflict, "", "other model"), ExitUnexpected},
		{memory.Errorf(memory.Invalid, "", "bad"), ExitUsage},
		{memory.Errorf(memory.NotFound, "", "gone"), ExitNothing},
		{memory.Down("Qdrant", "h", errors.New("no answer")), ExitDown},
		{memory.Refusal("Qdrant", "h", errors.New("another key")), ExitDown},
		{context.DeadlineExceeded, ExitDown},
	} {
		s := newSession(t, fake{history: func(string) (memory.History, error) { return memory.History{}, c.err }})
		code, out, errs := s.run(t.Context(), "history", idA)
		if code != c.code || out != "" || !strings.Contains(errs, "mneme: error: "+c.err.Error()) {
			t.Errorf("%v: exit %d, %q", c.err, code, errs)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	s := newSession(t, fake{history: func(string) (memory.History, error) { interrupt(); return memory.History{}, ctx.Err() }})
	if code, _, errs := s.run(ctx, "history", idA); code != ExitInterrupted || errs != "mneme: error: interrupted\n" {
		t.Errorf("interrupted: exit %d, %q", code, errs)
	}
}

// inspected makes servers whose Qdrant is as given and whose others are fine.
func inspected(qdrant memory.Inspection) func(config.Config, homestate.Daemon) doctor.Servers {
	return func(cfg config.Config, d homestate.Daemon) doctor.Servers {
		s := doctor.Servers{Inspect: map[string]func(context.Context) memory.Inspection{}}
		for _, name := range append(homestate.ServiceNames(), doctor.Worker) {
			i := memory.Inspection{Version: "9.9", Supported: true}
			if name == homestate.QdrantService {
				i = qdrant
			}
			s.Inspect[name] = func(context.Context) memory.Inspection { return i }
		}
		return s
	}
}

// The states of a Qdrant.
func fineQdrant() memory.Inspection {
	return memory.Inspection{Version: "1.17.1", Supported: true, Facts: []string{"7 collections"}}
}

func wornQdrant() memory.Inspection {
	i := fineQdrant()
	i.Warn(memory.Errorf(memory.NotFound, "make them anew", "collections are missing"))
	return i
}

func refusingQdrant() memory.Inspection {
	i := fineQdrant()
	i.Fail(memory.Refusal("Qdrant", "check the key", errors.New("it refuses the key")))
	return i
}

func downQdrant() memory.Inspection {
	var i memory.Inspection
	i.Fail(memory.Down("Qdrant", "start it", errors.New("does not answer")))
	return i
}

// given has all servers at addresses that are set, so that no daemon is missed.
func given(s *session) {
	for name, value := range map[string]string{
		"MNEME_TEMPORAL_ADDRESS": "127.0.0.1:1", "MNEME_POSTGRES_URL": "postgres://me:secret@127.0.0.1:2/mneme",
		"MNEME_QDRANT_ADDRESS": "127.0.0.1:3", "MNEME_OLLAMA_URL": "http://127.0.0.1:4",
	} {
		s.env[name] = value
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	counts := fake{
		stats:  func() (memory.Stats, error) { return memory.Stats{Live: map[string]int{"facts": 2}, Projects: 1}, nil },
		recall: func(memory.Query) (memory.RecallResult, error) { return memory.RecallResult{}, nil },
	}
	for _, c := range []struct {
		name   string
		qdrant memory.Inspection
		client fake
		code   int
		want   []string
	}{
		{"well", fineQdrant(), counts, 0, []string{"ok    Qdrant          1.17.1 at 127.0.0.1:3, 7 collections", "ok    index           2 memories in 1 project"}},
		{"warned", wornQdrant(), counts, 0, []string{"warn  Qdrant          1.17.1 at 127.0.0.1:3, 7 collections: collections are missing", "→ make them anew"}},
		{"refuses", refusingQdrant(), counts, ExitDown, []string{"fail  Qdrant          1.17.1 at 127.0.0.1:3, 7 collections: it refuses the key", "→ check the key"}},
		{"down", downQdrant(), counts, ExitDown, []string{"fail  Qdrant          does not answer", "→ check MNEME_QDRANT_ADDRESS"}},
		{"broken", fineQdrant(), fake{stats: func() (memory.Stats, error) { return memory.Stats{}, errors.New("makes no sense") }, recall: counts.recall}, ExitUnexpected, []string{"fail  index           makes no sense"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, c.client)
			given(s)
			s.deps.Servers = inspected(c.qdrant)
			code, out, errs := s.run(t.Context(), "doctor")
			if code != c.code {
				t.Errorf("exit %d, %s %s", code, out, errs)
			}
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing in\n%s", want, out)
				}
			}
			if code, out, _ := s.run(t.Context(), "doctor", "--json"); code != c.code || !strings.Contains(out, `"status": "`) {
				t.Errorf("json: exit %d, %s", code, out)
			}
		})
	}
}

// TestStatusIsTrue shows what the servers say of themselves, and tells by the exit code whether
// all of it works.
func TestStatusIsTrue(t *testing.T) {
	t.Parallel()
	counts := fake{stats: func() (memory.Stats, error) { return memory.Stats{Live: map[string]int{"facts": 2}, Projects: 1}, nil }}
	old := memory.Inspection{}
	old.Learn("Qdrant", "1.9.0", "1.10")
	for _, c := range []struct {
		name   string
		qdrant memory.Inspection
		code   int
		want   []string
		json   string
	}{
		{"well", fineQdrant(), 0, []string{"ok    Qdrant", "1.17.1 (supported), 7 collections", "Memories", "2 in 1 project"}, `"ok": true`},
		{"warned", wornQdrant(), 0, []string{"warn  Qdrant", "Qdrant: collections are missing", "→ make them anew"}, `"message": "collections are missing"`},
		{"refuses", refusingQdrant(), ExitPartly, []string{"fail  Qdrant", "Qdrant: it refuses the key", "→ check the key"}, `"code": "refused"`},
		{"down", downQdrant(), ExitPartly, []string{"down  Qdrant", "Qdrant: does not answer", "→ check MNEME_QDRANT_ADDRESS"}, `"code": "unavailable"`},
		{"old", old, ExitPartly, []string{"fail  Qdrant", "1.9.0 (not supported)", "1.10 or newer is needed"}, `"supported": false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, counts)
			given(s)
			s.deps.Servers = inspected(c.qdrant)
			code, out, errs := s.run(t.Context(), "status")
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing in\n%s", want, out)
				}
			}
			if code != c.code || strings.Contains(out, "secret") {
				t.Errorf("exit %d, want %d\n%s%s", code, c.code, out, errs)
			}
			if code, out, _ := s.run(t.Context(), "status", "--json"); code != c.code || !strings.Contains(out, c.json) || strings.Contains(out, "secret") {
				t.Errorf("json: exit %d, want %d and %s\n%s", code, c.code, c.json, out)
			}
		})
	}
}

func TestStaleStateFile(t *testing.T) {
	t.Parallel()
	s := newSession(t, fake{})
	// Process 1 exists, but it is not ours: nobody holds the lock.
	if err := homestate.Write(s.home, homestate.Daemon{PID: 1}); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := s.run(t.Context(), "down"); code != 0 || out != "mneme is not running\n" {
		t.Errorf("down: exit %d, %q", code, out)
	}
	if _, err := os.Stat(homestate.Path(s.home)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stale file is still there: %v", err)
	}
}

func TestColourOnlyWhereWanted(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	a := &app{sys: System{StdoutTTY: true, Env: func(k string) string { return env[k] }}}
	if !strings.Contains(a.paint().red("x"), "\x1b[31m") {
		t.Error("no colour on a terminal")
	}
	env["NO_COLOR"] = "1"
	if a.paint().red("x") != "x" {
		t.Error("colour in spite of NO_COLOR")
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/a/b-c": "/a/b-c", "/my dir/x": "'/my dir/x'", "/it's": `'/it'\''s'`} {
		if got := quoted(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
