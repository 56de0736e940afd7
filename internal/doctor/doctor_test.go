package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// TestRun runs checks that succeed, warn, fail and cannot be made; what needs a check that did
// not succeed is not asked, and says which one is to blame.
func TestRun(t *testing.T) {
	t.Parallel()
	answer := func(detail string, err error) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return detail, err }
	}
	never := func(context.Context) (string, error) {
		t.Error("asked although it needs what failed")
		return "", nil
	}
	broken := memory.Down("Qdrant", "start it", errors.New("does not answer"))
	checks := []Check{
		{Name: "fine", Run: answer("all well", nil)},
		{Name: "worn", Needs: []string{"fine"}, Run: answer("old", Warning{memory.Errorf(memory.Conflict, "renew it", "is worn")})},
		{Name: "broken", Needs: []string{"worn"}, Run: answer("", broken)},
		{Name: "next", Needs: []string{"fine", "broken"}, Run: never},
		{Name: "last", Needs: []string{"next"}, Run: never},
		{Name: "unknown", Run: answer("", Skipped("nobody knows"))},
		{Name: "plain", Needs: []string{"unknown"}, Run: answer("so far", errors.New("it makes no sense"))},
	}
	var told []string
	got, err := Run(t.Context(), checks, func(r Result) error { told = append(told, r.Name); return nil })
	if err != nil || len(told) != len(checks) {
		t.Fatalf("told of %v, %v", told, err)
	}
	want := []Result{
		{Name: "fine", Status: OK, Detail: "all well"},
		{Name: "worn", Status: Warn, Detail: "old: is worn", Hint: "renew it"},
		{Name: "broken", Status: Fail, Detail: "does not answer", Hint: "start it", Err: broken},
		{Name: "next", Status: Skip, Detail: "not asked: first mend broken"},
		{Name: "last", Status: Skip, Detail: "not asked: first mend broken"},
		{Name: "unknown", Status: Skip, Detail: "nobody knows"},
		{Name: "plain", Status: Fail, Detail: "so far: it makes no sense"},
	}
	for i, w := range want {
		g := got[i]
		if g.Name == "plain" && strings.Contains(g.Hint, "the check of plain") {
			g.Hint, g.Err = "", nil
		}
		if g != w {
			t.Errorf("got  %+v\nwant %+v", g, w)
		}
	}
}

// TestRunEndsWithItsContext has the caller give up in the middle.
func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	got, err := Run(ctx, []Check{
		{Name: "a", Run: func(context.Context) (string, error) { return "", nil }},
		{Name: "b", Run: func(context.Context) (string, error) { cancel(); return "", nil }},
		{Name: "c", Run: func(context.Context) (string, error) { t.Error("asked"); return "", nil }},
	}, nil)
	if !errors.Is(err, context.Canceled) || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// everywhere are the services at given addresses.
func everywhere(t *testing.T) config.Config {
	t.Helper()
	env := map[string]string{
		"MNEME_HOME": t.TempDir(), "MNEME_TEMPORAL_ADDRESS": "127.0.0.1:1", "MNEME_POSTGRES_URL": "postgres://127.0.0.1:2/m",
		"MNEME_QDRANT_ADDRESS": "127.0.0.1:3", "MNEME_OLLAMA_URL": "http://127.0.0.1:4",
	}
	cfg, err := config.Load(config.Sources{Env: func(name string) string { return env[name] }})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func answering(i memory.Inspection) func(context.Context) memory.Inspection {
	return func(context.Context) memory.Inspection { return i }
}

// TestLookIsBounded asks a server that never answers and does not even heed its context.
func TestLookIsBounded(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	// An inspector that heeds its context returns its own words.
	worded := func(ctx context.Context) memory.Inspection {
		<-ctx.Done()
		var i memory.Inspection
		i.Fail(memory.Down("Temporal", "", errors.New("waiting for connections to become ready")))
		return i
	}
	o := Options{Config: everywhere(t), Servers: Servers{Inspect: map[string]func(context.Context) memory.Inspection{
		homestate.QdrantService:   func(context.Context) memory.Inspection { <-release; return memory.Inspection{} },
		homestate.PostgresService: answering(memory.Inspection{Version: "15.8", Supported: true}),
		homestate.TemporalService: worded,
	}}}
	found := o.Look(t.Context(), 50*time.Millisecond)
	q := found[homestate.QdrantService]
	if len(q.Inspection.Problems) != 1 || memory.CodeOf(q.Inspection.Problems[0]) != memory.Unavailable ||
		!strings.Contains(q.Inspection.Problems[0].Error(), "no answer within 50ms") || !strings.Contains(memory.HintOf(q.Inspection.Problems[0]), "MNEME_QDRANT_ADDRESS") {
		t.Errorf("the one that does not answer: %+v", q)
	}
	if w := found[homestate.TemporalService].Inspection.Problems; len(w) != 1 || w[0].Error() != "no answer within 50ms" {
		t.Errorf("the one with words of its own: %v", w)
	}
	if p := found[homestate.PostgresService]; !p.Fine() || p.Inspection.Version != "15.8" {
		t.Errorf("the one that answers: %+v", p)
	}
	if o := found[homestate.OllamaService]; o.Known() || o.Fine() {
		t.Errorf("the one that nobody asks: %+v", o)
	}
}

// TestFit compares what ledger, index and model say of their vectors.
func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                 string
		ledger, index, model memory.Inspection
		qdrant, ollama       string // the problem that is found, "" for none
	}{
		{"all the same", of("a", 3), of("", 3), of("a", 3), "", ""},
		{"nothing stored", of("", 0), of("", 0), of("a", 3), "", ""},
		{"nothing stored, collections made", of("", 0), of("", 3), of("a", 3), "", ""},
		{"another index", of("a", 3), of("", 4), of("a", 3), "vectors of 4 numbers, the stored memories have 3", ""},
		{"another index for an empty ledger", of("", 0), of("", 4), of("a", 3), "vectors of 4 numbers, the embedding model's have 3", ""},
		{"another model", of("a", 3), of("", 3), of("b", 4), "", "embedded with a, the model in use is b"},
		{"another ledger's index", ledgerOf("x", 3), ledgerOf("y", 4), of("", 3), "belong to another mneme (y; this one is x)", ""},
		{"its own index", ledgerOf("x", 3), ledgerOf("x", 3), of("", 3), "", ""},
		{"an index of before there were identities", ledgerOf("x", 3), of("", 3), of("", 3), "", ""},
		{"a server is down", memory.Inspection{}, of("", 4), memory.Inspection{}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found := map[string]Server{
				homestate.PostgresService: {Inspection: c.ledger}, homestate.QdrantService: {Inspection: c.index}, homestate.OllamaService: {Inspection: c.model},
			}
			fit(found)
			for name, want := range map[string]string{homestate.PostgresService: "", homestate.QdrantService: c.qdrant, homestate.OllamaService: c.ollama} {
				problems := found[name].Inspection.Problems
				if want == "" && len(problems) > 0 {
					t.Errorf("%s: %v", name, problems)
				}
				if want != "" && (len(problems) != 1 || !strings.Contains(problems[0].Error(), want) || memory.CodeOf(problems[0]) != memory.Refused || memory.HintOf(problems[0]) == "") {
					t.Errorf("%s: %v, want %q", name, problems, want)
				}
			}
		})
	}
}

func of(model string, dimension int) memory.Inspection {
	return memory.Inspection{Model: model, Dimension: dimension}
}

func ledgerOf(ledger string, dimension int) memory.Inspection {
	return memory.Inspection{Ledger: ledger, Dimension: dimension}
}

// TestAdvise gives a server that is down the hint that goes with where it comes from, and
// leaves what a server refuses alone.
func TestAdvise(t *testing.T) {
	t.Parallel()
	down := memory.Down("x", "the adapter's hint", errors.New("no answer"))
	for _, c := range []struct {
		name, mode string
		err        error
		want       string
	}{
		{homestate.QdrantService, homestate.Embedded, down, `"mneme down"`},
		{homestate.QdrantService, homestate.Found, down, `"mneme down"`},
		{homestate.PostgresService, homestate.Embedded, down, "postgres.log"},
		{homestate.PostgresService, homestate.Given, down, "MNEME_POSTGRES_URL"},
		{homestate.TemporalService, homestate.Given, down, "MNEME_TEMPORAL_ADDRESS"},
		{homestate.OllamaService, homestate.Found, down, "the adapter's hint"},
		{homestate.OllamaService, homestate.Embedded, down, `"mneme down"`},
		{homestate.QdrantService, homestate.Given, memory.Refusal("Qdrant", "check the key", errors.New("no")), "check the key"},
	} {
		err := advise(c.name, homestate.Service{Mode: c.mode}, c.err)
		if !strings.Contains(memory.HintOf(err), c.want) || err.Error() != c.err.Error() {
			t.Errorf("%s %s: %v (%s)", c.mode, c.name, err, memory.HintOf(err))
		}
	}
}

// TestTheBuiltInModelIsNoOllama: the model that comes with mneme has a name of its own, and no
// version of a server that nobody installed.
func TestTheBuiltInModelIsNoOllama(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string][2]string{
		homestate.Embedded: {"built-in model", "mneme's own at 127.0.0.1:1, mneme-static of 256 dimensions"},
		homestate.Found:    {"Ollama", "0.17.4+mneme at 127.0.0.1:1, mneme-static of 256 dimensions"},
	} {
		o := Options{
			Daemon: homestate.Daemon{PID: 1, Services: map[string]homestate.Service{homestate.OllamaService: {Address: "127.0.0.1:1", Mode: mode}}},
			Servers: Servers{Inspect: map[string]func(context.Context) memory.Inspection{
				homestate.OllamaService: func(context.Context) memory.Inspection {
					return memory.Inspection{Version: "0.17.4+mneme", Supported: true, Facts: []string{"mneme-static of 256 dimensions"}}
				},
			}},
		}
		for _, c := range o.Checks() {
			if c.Name != want[0] {
				continue
			}
			if detail, err := c.Run(t.Context()); detail != want[1] || err != nil {
				t.Errorf("%s: %q, %v", mode, detail, err)
			}
			want[0] = ""
		}
		if want[0] != "" {
			t.Errorf("%s: there is no check of %s", mode, want[0])
		}
	}
}
