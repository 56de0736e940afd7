package qdrant_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-memory/mneme/memory"
)

// TestPinned finds what is pinned of a project, and then what is weighty, each the most
// important first, in all collections.
func TestPinned(t *testing.T) {
	t.Parallel()
	x := open(t)
	pinned := func(project, collection string, importance float64) func(*memory.Record) {
		return func(r *memory.Record) {
			r.Project, r.Collection, r.Importance, r.Pinned = project, collection, importance, true
		}
	}
	weighs := func(typ string, importance float64) func(*memory.Record) {
		return func(r *memory.Record) { r.Project, r.Type, r.Importance = "p", typ, importance }
	}
	put(t, x,
		rec("minor", memory.Vector{1, 0, 0}, pinned("p", memory.Memories, 0.2)),
		rec("major", memory.Vector{0, 1, 0}, pinned("p", memory.Learnings, 0.9)),
		rec("everywhere", memory.Vector{0, 0, 1}, pinned(memory.Global, memory.Memories, 0.5)),
		rec("of another project", memory.Vector{1, 1, 0}, pinned("q", memory.Memories, 1)),
		rec("not pinned", memory.Vector{0, 1, 1}, func(r *memory.Record) { r.Project = "p" }),
		rec("weighty decision", memory.Vector{1, 0, 1}, weighs(memory.TypeDecision, 0.8)),
		rec("usual decision", memory.Vector{1, 0, 2}, weighs(memory.TypeDecision, 0.7)),
		rec("weighty preference", memory.Vector{1, 0, 3}, weighs(memory.TypePreference, 0.95)),
		rec("weighty fact", memory.Vector{1, 0, 4}, weighs(memory.TypeFact, 1)),
	)
	for limit, want := range map[int][]string{9: {"major", "everywhere", "minor", "weighty preference", "weighty decision"}, 1: {"major"}} {
		found, err := x.Pinned(t.Context(), memory.Search{Projects: []string{"p", memory.Global}, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range found {
			got = append(got, m.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
