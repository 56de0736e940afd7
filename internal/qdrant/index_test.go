package qdrant_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	server "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/keyword"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// open returns an index with empty collections of three numbers: in a server
// of its own, or in the one that MNEME_TEST_QDRANT_ADDRESS names, whose
// collections it empties (so tests do not run in parallel there).
func open(t *testing.T) *qdrant.Index {
	t.Helper()
	address := os.Getenv("MNEME_TEST_QDRANT_ADDRESS")
	if address == "" {
		s, err := server.Start(t.Context(), server.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		})
		address = s.Addr()
	}
	return openAt(t, address)
}

// openAt returns an index with empty collections of three numbers.
func openAt(t *testing.T, address string) *qdrant.Index {
	t.Helper()
	x := dial(t, address)
	for _, name := range memory.Collections() {
		if err := x.Recreate(t.Context(), name, 3); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func dial(t *testing.T, address string) *qdrant.Index {
	t.Helper()
	return dialAs(t, address, first, nil)
}

// dialAs connects for a ledger, with what change says.
func dialAs(t *testing.T, address string, l *ledger, change func(*qdrant.Options)) *qdrant.Index {
	t.Helper()
	o := qdrant.Options{Address: address, Document: keyword.Vector, Query: keyword.Query, Ledger: l, Timeout: 5 * time.Second}
	if change != nil {
		change(&o)
	}
	x, err := qdrant.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func start() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 891234000, time.UTC) }

func rec(text string, v memory.Vector, change func(*memory.Record)) memory.Record {
	r := memory.Record{Vector: v, Memory: memory.Memory{
		Collection: memory.Memories, Project: "p", Type: memory.TypeFact, Tags: []string{}, Text: text,
		Confidence: .5, Importance: 1, CreatedAt: start(), LastAccessed: start(), Source: memory.SourceTool,
		ContentHash: memory.ContentHash(text), Model: "m", State: memory.Live,
	}}
	if change != nil {
		change(&r)
	}
	r.ID = memory.NewID(r.Project, r.Collection, r.Text)
	return r
}

func put(t *testing.T, x *qdrant.Index, records ...memory.Record) {
	t.Helper()
	for range 2 { // repeating changes nothing
		if err := x.Upsert(t.Context(), records); err != nil {
			t.Fatal(err)
		}
	}
}

func texts(cs []memory.Candidate) []string {
	out := []string{}
	for _, c := range cs {
		out = append(out, c.Text)
	}
	slices.Sort(out)
	return out
}

func TestSearchReturnsWhatWasWritten(t *testing.T) {
	x := open(t)
	expires := start().Add(time.Hour)
	want := rec("The retry policy is exponential.", memory.Vector{3, 4, 0}, func(r *memory.Record) {
		r.Tags, r.ExpiresAt, r.Session, r.Position = []string{"a", "b"}, &expires, "s/1", 7
		r.Pinned, r.AccessCount, r.Confidence = true, 5, .625
	})
	put(t, x, want)
	got, err := x.Search(t.Context(), memory.Search{Text: "retry", Vector: memory.Vector{1, 0, 0}, Limit: 5, Now: start()})
	if err != nil || len(got) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	// No answer shows these, so they are not fetched.
	want.Source, want.ContentHash, want.Model, want.ExpiresAt = "", "", "", nil
	if !reflect.DeepEqual(got[0].Memory, want.Memory) {
		t.Errorf("got  %+v\nwant %+v", got[0].Memory, want.Memory)
	}
	if c := got[0]; !c.HasCosine || c.Cosine < .5999 || c.Cosine > .6001 || c.Keyword <= 0 {
		t.Errorf("evidence %v %v %v", c.HasCosine, c.Cosine, c.Keyword)
	}
}

func TestSearchFilters(t *testing.T) {
	x := open(t)
	later, past := start().Add(time.Hour), start().Add(-time.Minute)
	near := memory.Vector{1, .1, 0}
	put(t, x,
		rec("plain", near, nil),
		rec("tagged", near, func(r *memory.Record) { r.Tags = []string{"go", "style"} }),
		rec("half tagged", near, func(r *memory.Record) { r.Tags = []string{"go"} }),
		rec("other project", near, func(r *memory.Record) { r.Project = "q" }),
		rec("global", near, func(r *memory.Record) { r.Project = memory.Global }),
		rec("learning", near, func(r *memory.Record) { r.Collection, r.Type = memory.Learnings, memory.TypeLearning }),
		rec("later", near, func(r *memory.Record) { r.CreatedAt = later }),
		rec("said", near, func(r *memory.Record) { r.Project, r.Session, r.Position = "r", "s1", 1 }),
		rec("said elsewhere", near, func(r *memory.Record) { r.Project, r.Session, r.Position = "r", "s2", 1 }),
		rec("expired", near, func(r *memory.Record) { r.ExpiresAt = &past }),
	)
	for name, c := range map[string]struct {
		search memory.Search
		want   []string
	}{
		"project":       {memory.Search{Projects: []string{"p", memory.Global}}, []string{"global", "half tagged", "later", "learning", "plain", "tagged"}},
		"all tags":      {memory.Search{Tags: []string{"go", "style"}}, []string{"tagged"}},
		"one tag":       {memory.Search{Tags: []string{"go"}}, []string{"half tagged", "tagged"}},
		"type":          {memory.Search{Types: []string{memory.TypeLearning, memory.TypeNote}}, []string{"learning"}},
		"collection":    {memory.Search{Collections: []string{memory.Learnings}}, []string{"learning"}},
		"since":         {memory.Search{Since: &later}, []string{"later"}},
		"before":        {memory.Search{Before: &later, Projects: []string{"q"}}, []string{"other project"}},
		"excluded":      {memory.Search{Projects: []string{"q"}, Exclude: []string{memory.NewID("q", memory.Memories, "other project")}}, []string{}},
		"session":       {memory.Search{Session: "s1"}, []string{"said"}},
		"quoted name":   {memory.Search{Projects: []string{`a"b/c`}}, []string{}},
		"keywords only": {memory.Search{Text: "tagged", Vector: memory.Vector{}}, []string{"half tagged", "tagged"}},
	} {
		s := c.search
		s.Now, s.Limit = start(), 5
		if s.Text == "" {
			s.Vector = near
		}
		got, err := x.Search(t.Context(), s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(texts(got), c.want) {
			t.Errorf("%s: got %q, want %q", name, texts(got), c.want)
		}
		if s.Text != "" && (got[0].HasCosine || got[0].Keyword <= 0) {
			t.Errorf("%s: evidence %+v", name, got[0])
		}
	}
}

func TestSearchFindsNeighbours(t *testing.T) {
	x := open(t)
	var records []memory.Record
	for i := range 250 { // more than a search looks deep
		records = append(records, rec(fmt.Sprintf("filler %d", i), memory.Vector{.5, 1, 0}, nil))
	}
	for i, text := range []string{"before", "zebra question", "answer", "next", "far"} {
		v := memory.Vector{0, 0, 1}
		if i == 1 {
			v = memory.Vector{1, 0, 0}
		}
		records = append(records, rec(text, v, func(r *memory.Record) { r.Session, r.Position = "s", i+1 }))
	}
	put(t, x, records...)
	for name, c := range map[string]struct {
		search memory.Search
		want   map[string]bool
	}{
		"a good hit has neighbours": {
			memory.Search{Text: "zebra", Vector: memory.Vector{1, 0, 0}, Limit: 5},
			map[string]bool{"before": true, "zebra question": true, "answer": true, "next": true, "far": false},
		},
		"a poor one is alone": { // found by its word, it lends nothing
			memory.Search{Text: "zebra", Vector: memory.Vector{0, 1, .2}, Limit: 5},
			map[string]bool{"before": false, "zebra question": true, "answer": false},
		},
	} {
		got, err := x.Search(t.Context(), c.search)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range c.want {
			if slices.Contains(texts(got), text) != want {
				t.Errorf("%s: %q found: %v", name, text, !want)
			}
		}
	}
}

func TestNear(t *testing.T) {
	x := open(t)
	like := rec("like", memory.Vector{1, 0, 0}, nil)
	put(t, x, like,
		rec("same direction", memory.Vector{9, 0, 0}, nil),
		rec("at the bar", memory.Vector{.6, .8, 0}, nil),
		rec("other type", memory.Vector{1, 0, 0}, func(r *memory.Record) { r.Type = memory.TypeNote }),
		rec("other project", memory.Vector{1, 0, 0}, func(r *memory.Record) { r.Project = "q" }),
		rec("nothing", memory.Vector{0, 0, 0}, nil),
	)
	zero := rec("zero", memory.Vector{0, 0, 0}, nil)
	got, err := x.NearEach(t.Context(), []memory.Record{zero, like}, .7, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(got[0]) != 0 || len(got[1]) != 1 || got[1][0].ID != memory.NewID("p", memory.Memories, "same direction") {
		t.Errorf("got %+v", got)
	}
	if all, err := x.NearEach(t.Context(), []memory.Record{like}, -1, 10); err != nil || len(all[0]) != 3 {
		t.Errorf("without a bar %d near, %v", len(all[0]), err)
	}
}

func TestAlike(t *testing.T) {
	x := open(t)
	like := rec("the port of the proxy", memory.Vector{1, 0, 0}, nil)
	near := rec("same direction", memory.Vector{9, 1, 0}, func(r *memory.Record) { r.Type, r.Collection = memory.TypeNote, memory.ShortTerm })
	words := rec("a port, and a proxy", memory.Vector{-1, 0, 0}, func(r *memory.Record) { r.Project = memory.Global })
	put(t, x, like, near, words,
		rec("neither", memory.Vector{-1, 0, 0}, func(r *memory.Record) { r.Project = "q" }),
		rec("scratch", memory.Vector{9, 1, 0}, func(r *memory.Record) { r.Collection = memory.Working }),
	)
	got, err := x.Alike(t.Context(), like, []string{"p", memory.Global}, memory.Comparable(memory.Memories), 1)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, m := range got {
		found[m.ID] = true
	}
	if !found[near.ID] || !found[words.ID] || len(found) != 2 {
		t.Errorf("got %+v, want what is near in another collection and what has the words everywhere", got)
	}
}

func TestDeleteAndMissing(t *testing.T) {
	x := open(t)
	a, b := rec("a", memory.Vector{1, 0, 0}, nil), rec("b", memory.Vector{0, 1, 0}, nil)
	put(t, x, a, b)
	for range 2 {
		if err := x.Delete(t.Context(), memory.Memories, []string{a.ID}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Delete(t.Context(), memory.Memories, nil); err != nil {
		t.Fatal(err)
	}
	missing, err := x.Missing(t.Context(), memory.Memories, []string{a.ID, b.ID})
	if err != nil || !slices.Equal(missing, []string{a.ID}) {
		t.Errorf("missing %q, %v", missing, err)
	}
}

func TestRefusals(t *testing.T) {
	x := open(t)
	if err := x.EnsureCollections(t.Context(), 3); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"another dimension": x.EnsureCollections(t.Context(), 4),
		"a wrong vector":    x.Upsert(t.Context(), []memory.Record{rec("a", memory.Vector{1}, nil)}),
	} {
		if memory.CodeOf(err) != memory.Refused || memory.HintOf(err) == "" {
			t.Errorf("%s: %v (%s)", what, err, memory.CodeOf(err))
		}
	}
	bad := rec("a", memory.Vector{1, 2, 3}, func(r *memory.Record) { r.Collection = "x" })
	if err := x.Upsert(t.Context(), []memory.Record{bad}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("unknown collection: %v", err)
	}
}

func TestRebuildGraphs(t *testing.T) {
	x := open(t)
	put(t, x, rec("few", memory.Vector{1, 0, 0}, nil))
	if rebuilt, err := x.RebuildGraphs(t.Context(), memory.Memories); err != nil || rebuilt {
		t.Errorf("a small collection has no graphs: %v, %v", rebuilt, err)
	}
	if v, err := x.Version(t.Context()); err != nil || v == "" {
		t.Errorf("version %q, %v", v, err)
	}
}

// TestNothingThereYet searches a server that nothing was ever written to, and
// then one of whose collections one is lost.
func TestNothingThereYet(t *testing.T) {
	t.Parallel()
	s, err := server.Start(t.Context(), server.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	x := dial(t, s.Addr())
	for _, collections := range [][]string{nil, {memory.Learnings}} {
		found, err := x.Search(t.Context(), memory.Search{Text: "word", Vector: memory.Vector{1, 0, 0}, Collections: collections})
		if err != nil || len(found) != 0 {
			t.Errorf("%v: got %v, %v", collections, found, err)
		}
	}
	if err := x.Recreate(t.Context(), memory.Memories, 3); err != nil {
		t.Fatal(err)
	}
	_, err = x.Search(t.Context(), memory.Search{Text: "word"})
	if memory.CodeOf(err) != memory.Unavailable || memory.HintOf(err) == "" {
		t.Errorf("six of seven collections are gone: %v", err)
	}
}

// TestKeyWithoutTLS sends the key to a server on loopback, and warns nobody:
// what does not leave the machine needs no encryption.
func TestKeyWithoutTLS(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	s, err := server.Start(t.Context(), server.Options{Dir: t.TempDir(), APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	for key, want := range map[string]memory.Code{"key": "", "wrong": memory.Refused} {
		x, err := qdrant.Open(qdrant.Options{Address: s.Addr(), Document: keyword.Vector, Query: keyword.Query, Ledger: first, APIKey: key})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = x.Close() }()
		if err := x.EnsureCollections(t.Context(), 3); memory.CodeOf(err) != want {
			t.Errorf("key %q: %v", key, err)
		}
	}
	if log.Len() > 0 {
		t.Errorf("on loopback: %s", log.String())
	}
	x, err := qdrant.Open(qdrant.Options{Address: "192.0.2.1:6334", Document: keyword.Vector, Query: keyword.Query, Ledger: first, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	if !strings.Contains(log.String(), "without TLS") {
		t.Errorf("another machine: no warning in %q", log.String())
	}
}

func TestDown(t *testing.T) {
	t.Parallel()
	x := dial(t, "127.0.0.1:1")
	_, err := x.Search(t.Context(), memory.Search{Text: "word"})
	if memory.CodeOf(err) != memory.Unavailable || memory.PartOf(err) != "Qdrant" || memory.HintOf(err) == "" {
		t.Errorf("got %v (%s)", err, memory.CodeOf(err))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Version(ctx); err == nil {
		t.Error("a cancelled call succeeded")
	}
	if _, err := qdrant.Open(qdrant.Options{Address: "nowhere"}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("an address without port: %v", err)
	}
}
