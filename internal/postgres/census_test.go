package postgres_test

import (
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestCensus counts what is live, by everything it can be counted by.
func TestCensus(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	mine, theirs, gone := rec(memory.Memories, "One."), rec(memory.Learnings, "Two.", 0, 1, 0, 0), rec(memory.Memories, "Three.", 0, 0, 1, 0)
	mine.Tags, theirs.Tags, gone.Tags = []string{"db", "ops"}, []string{"db"}, []string{"gone"}
	theirs.Project, theirs.Type = "theirs", memory.TypeLearning
	theirs.ID = memory.NewID(theirs.Project, theirs.Collection, theirs.Text)
	for _, r := range []memory.Record{mine, theirs, gone} {
		store(t, l, r)
	}
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{gone.ID}, false); err != nil {
		t.Fatal(err)
	}
	all, err := l.Census(t.Context(), memory.CensusInput{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(all.Tags, []memory.Tally{{Name: "db", Count: 2}, {Name: "ops", Count: 1}}) || len(all.Projects) != 2 || len(all.Types) != 2 ||
		len(all.Collections) != 2 || len(all.Growth) != 1 || all.Growth[0].Count != 2 || all.Bytes < 1<<20 {
		t.Errorf("all: %+v", all)
	}
	some, err := l.Census(t.Context(), memory.CensusInput{Projects: []string{"theirs"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(some.Types, []memory.Tally{{Name: memory.TypeLearning, Count: 1}}) || !slices.Equal(some.Tags, []memory.Tally{{Name: "db", Count: 1}}) {
		t.Errorf("theirs: %+v", some)
	}
}

// TestPagesBySort pages through a list in another order than that of ids.
func TestPagesBySort(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	var want []string
	for i, text := range []string{"One.", "Two.", "Three."} {
		r := rec(memory.Memories, text, float32(i), 1, 0, 0)
		r.Importance, r.Tags, r.Session, r.Position = .9-float64(i)/10, []string{"db", text[:1]}, "s", i+1
		store(t, l, r)
		want = append(want, r.ID)
	}
	var got []string
	for skip := range 4 {
		found, err := l.Records(t.Context(), memory.Page{
			Sort: memory.SortImportance, Skip: skip, Limit: 1, Tags: []string{"DB"}, Session: "s", Types: []string{memory.TypeFact}, Projects: []string{"p", "x"},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range found {
			got = append(got, r.ID)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("in the order %v, want %v", got, want)
	}
	before := day0.AddDate(-1, 0, 0)
	for _, p := range []memory.Page{{Before: &before}, {Tags: []string{"nobody"}}, {Projects: []string{"x"}}, {Types: []string{memory.TypeNote}}, {Session: "t"}} {
		if found, err := l.Records(t.Context(), p); err != nil || len(found) != 0 {
			t.Errorf("%+v: %d, %v", p, len(found), err)
		}
	}
}
