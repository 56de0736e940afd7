package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

// confirm has the index name those ids.
func confirm(t *testing.T, l *postgres.Ledger, name string, r memory.Record, near ...string) memory.DuplicateResult {
	t.Helper()
	d, err := l.Confirm(t.Context(), step(memory.ActionDuplicate, name), r, func(context.Context, []string) ([]memory.Match, error) {
		var matches []memory.Match
		for _, id := range near {
			matches = append(matches, memory.Match{ID: id, Cosine: 1})
		}
		return matches, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestConfirmStoresNothing(t *testing.T) {
	t.Parallel()
	later := day0.Add(time.Hour)
	l := open(t, later)
	r := rec(memory.Memories, "Tests use Go.")
	if d := confirm(t, l, "none", r); d.Found || d.ID != "" {
		t.Errorf("found %+v in an empty ledger", d)
	}
	store(t, l, r)
	sync(t, l)
	other := rec(memory.Memories, "The tests use Go")
	other.Tags, other.Pinned = []string{"new"}, true
	for range 2 { // the second is a retry
		if d := confirm(t, l, "near", other, r.ID); !d.Found || d.ID != r.ID || d.Text != r.Text || d.Project != "p" || d.Collection != memory.Memories || d.Similarity <= memory.DuplicateAbove {
			t.Errorf("found %+v", d)
		}
	}
	m := get(t, l, r.ID)
	if m.Confidence != memory.Gain(.5, memory.MergeGain) || !m.LastAccessed.Equal(later) || m.Pinned || len(m.Tags) != 0 || m.Text != r.Text {
		t.Errorf("became %+v", m)
	}
	stats, err := l.Stats(t.Context())
	if err != nil || stats.States[memory.Live] != 1 || len(stats.States) != 1 {
		t.Errorf("the ledger holds %+v, %v", stats.States, err)
	}
	h := history(t, l, r.ID)
	if len(h.Versions) != 1 || len(h.Audit) != 2 || h.Audit[1].Action != memory.ActionDuplicate || strings.Contains(fmt.Sprint(h.Audit), "Go") {
		t.Errorf("%d versions, audit %+v", len(h.Versions), h.Audit)
	}
	if told := sync(t, l); len(told) != 1 {
		t.Errorf("the index was told %+v", told)
	}
	if d := confirm(t, l, "exact", r); d.Similarity != 1 || d.ID != r.ID {
		t.Errorf("the very same text: %+v", d)
	}
	if d := confirm(t, l, "another port", rec(memory.Memories, "Tests use Python."), r.ID); d.Found {
		t.Errorf("another fact is called the same: %+v", d)
	}
}

// TestConfirmMissCanBeAskedAgain has the miss leave no mark: what is stored
// after it is found by a retry of the very same step.
func TestConfirmMissCanBeAskedAgain(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "New.")
	confirm(t, l, "same", r)
	store(t, l, r)
	if d := confirm(t, l, "same", r); !d.Found {
		t.Error("a miss was kept")
	}
}

func TestConfirmTellsWhenTheIndexIsDown(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	down := memory.Down("Qdrant", "", errors.New("connection refused"))
	_, err := l.Confirm(t.Context(), step(memory.ActionDuplicate, "d"), rec(memory.Memories, "New."),
		func(context.Context, []string) ([]memory.Match, error) { return nil, down })
	if memory.PartOf(err) != "Qdrant" || memory.CodeOf(err) != memory.Unavailable {
		t.Errorf("told %v", err)
	}
}
