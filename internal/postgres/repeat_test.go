package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

// TestRepeatedStepsCountOnce runs the same random steps in two projects, in
// one of them each step up to three times, also long after it was done. Both
// must end alike.
func TestRepeatedStepsCountOnce(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	for seed := range uint64(8) {
		once, often := fmt.Sprint("once", seed), fmt.Sprint("often", seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		var done []func() bool
		for i := range 30 {
			kind, which, other := rng.IntN(11), rng.IntN(6), rng.IntN(6)
			apply(t, l, once, i, kind, which, other)
			again := func() bool { return apply(t, l, often, i, kind, which, other) }
			if again() {
				done = append(done, again)
			}
			if len(done) > 0 && rng.IntN(2) == 0 {
				done[rng.IntN(len(done))]() // a retry that comes late
			}
		}
		if a, b := state(t, l, once), state(t, l, often); !slices.Equal(a, b) {
			t.Errorf("seed %d:\nonce  %v\noften %v", seed, a, b)
		}
	}
}

// numberedIn is one of six facts; the first two say the same.
func numberedIn(project string, i int) memory.Record {
	text := []string{"The tests use Go.", "Tests use Go", "Two.", "Three.", "Four.", "Five."}[i]
	v := make([]float32, 6)
	v[max(1, i)] = 1
	r := rec(memory.ShortTerm, text, v...)
	r.Project, r.ID = project, memory.NewID(project, memory.ShortTerm, text)
	// Who survives a merge must not hang on ids, which differ between the projects.
	r.CreatedAt = day0.Add(time.Duration(i) * time.Second)
	return r
}

// apply does step i and reports whether it was applied: one that was refused
// may be tried again, and then be applied.
func apply(t *testing.T, l *postgres.Ledger, project string, i, kind, which, other int) bool {
	t.Helper()
	a, b := numberedIn(project, which), numberedIn(project, other)
	op := memory.Op{WorkflowID: project, RunID: "r", Step: fmt.Sprint("step", i), Action: memory.ActionStore}
	scope := memory.Scope{Project: project, Now: day0.Add(100 * day)}
	applied := true
	var err error
	switch kind {
	case 0, 1:
		_, err = l.Store(t.Context(), op, a, nil, nothingNear)
	case 2:
		_, err = l.Import(t.Context(), op, []memory.Record{a, b}, nil)
	case 3:
		err = l.Recalled(t.Context(), op, memory.Recalled{Query: memory.Query{Project: project}, Hits: []memory.Hit{{ID: a.ID, Strong: true}, {ID: b.ID, Strong: true}}, At: day0})
	case 4:
		_, err = l.Forget(t.Context(), op, []string{a.ID}, other == 0)
	case 5:
		_, err = l.Merge(t.Context(), op, []string{a.ID, b.ID}, scope)
	case 6:
		_, err = l.Promote(t.Context(), op, scope)
	case 7:
		var d memory.DuplicateResult
		d, err = l.Confirm(t.Context(), op, a, nothingNear)
		applied = d.Found
	case 8:
		_, err = l.Credit(t.Context(), op, memory.CreditInput{IDs: []string{a.ID, b.ID}, Helped: other%2 == 0})
	case 9:
		_, err = l.Fold(t.Context(), op, []string{a.ID, b.ID})
		applied, err = unlessRefused(err)
	case 10:
		text := fmt.Sprintf("Edited %d.", i)
		_, err = l.Update(t.Context(), op, memory.UpdateInput{ID: a.ID, Text: &text}, a.Vector, model)
		applied, err = unlessRefused(err)
	}
	if err != nil {
		t.Fatalf("%s %d: %v", project, kind, err)
	}
	return applied
}

// unlessRefused passes over what the rules forbid: it must be forbidden to both.
func unlessRefused(err error) (applied bool, other error) {
	if err != nil && !memory.Retryable(err) {
		return false, nil
	}
	return err == nil, err
}

// state describes a project's memories without their ids.
func state(t *testing.T, l *postgres.Ledger, project string) []string {
	t.Helper()
	var out []string
	for i := range 6 {
		ds, err := l.Get(t.Context(), []string{numberedIn(project, i).ID})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			h := history(t, l, d.ID)
			out = append(out, fmt.Sprintf("%d %s %q in %s: %.9f, %d recalls, %d versions, %d audit rows",
				i, d.State, d.Text, d.Collection, d.Confidence, d.AccessCount, len(h.Versions), len(h.Audit)))
		}
	}
	return out
}
