package activities

import (
	"context"
	"errors"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// counts is an index and its ledger that only count.
type counts struct {
	Index
	Ledger

	points   int
	without  int               // so many of the first collections are not there
	expected []memory.Expected // for one question after the other
	err      error
	noted    map[string]int
}

func (c *counts) Counts(context.Context, bool) (map[string]int, error) {
	if c.err != nil {
		return nil, c.err
	}
	all := map[string]int{}
	for _, name := range memory.Collections()[c.without:] {
		all[name] = 0
	}
	if c.without == 0 {
		all[memory.Memories] = c.points
	}
	return all, nil
}

func (c *counts) Expected(context.Context) (map[string]memory.Expected, error) {
	e := c.expected[0]
	if len(c.expected) > 1 {
		c.expected = c.expected[1:]
	}
	return map[string]memory.Expected{memory.Memories: e}, nil
}

func (c *counts) NoteLost(_ context.Context, lost map[string]int) error { c.noted = lost; return nil }

func (c *counts) Version(context.Context) (string, error) { return "", nil } // both have one

func (c *counts) Records(context.Context, memory.Page) ([]memory.Record, error) { return nil, nil }
func (c *counts) IDs(context.Context, string, string, int) ([]string, error)    { return nil, nil }
func (c *counts) Strangers(context.Context, string, []string) ([]string, error) { return nil, nil }
func (c *counts) Compare(context.Context, string, []memory.Record) (memory.Difference, error) {
	return memory.Difference{}, nil
}

// TestCompareCounts counts while others store and forget: what is on its way is neither lost
// nor too many.
func TestCompareCounts(t *testing.T) {
	t.Parallel()
	settled := func(n int) memory.Expected { return memory.Expected{Live: n, Written: n} }
	for name, c := range map[string]struct {
		before, after memory.Expected
		points        int
		lost, extra   int
	}{
		"equal":                             {settled(10), settled(10), 10, 0, 0},
		"empty":                             {settled(10), settled(10), 0, 10, 0},
		"one of many":                       {settled(5001), settled(5001), 1, 5000, 0},
		"too many":                          {settled(10), settled(10), 12, 0, 2},
		"stored between":                    {settled(10), settled(11), 11, 0, 0},
		"stored after the points":           {settled(10), settled(11), 10, 0, 0},
		"forgotten between":                 {settled(10), memory.Expected{Live: 9, Written: 9, Marked: 1}, 9, 0, 0},
		"forgotten, and the point is there": {settled(10), memory.Expected{Live: 9, Written: 9, Marked: 1}, 10, 0, 0},
		"marked, and written already":       {memory.Expected{Live: 10, Written: 7, Marked: 3}, memory.Expected{Live: 10, Written: 7, Marked: 3}, 10, 0, 0},
		"marked, and not written yet":       {memory.Expected{Live: 10, Written: 7, Marked: 3}, memory.Expected{Live: 10, Written: 7, Marked: 3}, 7, 0, 0},
	} {
		parts := &counts{points: c.points, expected: []memory.Expected{c.before, c.after}}
		a := &Activities{Index: parts, Ledger: parts}
		state, err := a.compareCounts(t.Context())
		if sum := state.Sum(); err != nil || sum.Lost != c.lost || sum.Extra != c.extra {
			t.Errorf("%s: %+v, %v; want %d lost and %d extra", name, sum, err, c.lost, c.extra)
		}
	}
}

// TestLook follows an index through its life: it is compared at the start, when it was away
// and when points are gone, refilled when it has lost some, and what was prepared in it is
// not believed any more then.
func TestLook(t *testing.T) {
	t.Parallel()
	parts := &counts{points: 10, expected: []memory.Expected{{Live: 10, Written: 10}}}
	a := &Activities{Index: parts, Ledger: parts}
	a.watch.away = true // as WatchIndex begins
	refills, fails := 0, false
	for _, step := range []struct {
		name     string
		points   int
		err      error
		fails    bool // of the refill
		refilled bool
		compared bool
		ready    bool // what was prepared is believed
	}{
		{"the start", 10, nil, false, false, true, true},
		{"all as it was", 10, nil, false, false, false, true},
		{"it is away", 0, memory.Down("Qdrant", "", errors.New("refused")), false, false, false, false},
		{"still away", 0, memory.Down("Qdrant", "", errors.New("refused")), false, false, false, false},
		{"back with all", 10, nil, false, false, true, true},
		{"half is gone", 5, nil, true, true, true, false},
		{"the refill failed", 5, nil, false, true, true, true},
		{"refilled", 10, nil, false, false, false, true},
		{"away for a moment", 0, memory.Down("Qdrant", "", errors.New("refused")), false, false, false, false},
		{"back empty", 0, nil, false, true, true, false},
		{"empty as before", 0, nil, false, false, false, true},
		{"without a collection", -1, nil, false, true, true, false}, // -1: not even an empty one
	} {
		a.ready.Store(place{dimension: 3}, struct{}{})
		parts.points, parts.without = max(0, step.points), max(0, -step.points)
		parts.err, parts.noted, fails = step.err, nil, step.fails
		before := refills
		err := a.look(t.Context(), func(context.Context) error {
			refills++
			if fails {
				return errors.New("no worker")
			}
			return nil
		})
		if (err != nil) != step.fails {
			t.Errorf("%s: %v", step.name, err)
		}
		if (refills > before) != step.refilled || (parts.noted != nil) != step.compared {
			t.Errorf("%s: refilled %v, noted %v; want %v, %v", step.name, refills > before, parts.noted, step.refilled, step.compared)
		}
		if step.refilled && parts.noted[memory.Memories] != 10-parts.points {
			t.Errorf("%s: noted %v", step.name, parts.noted)
		}
		if _, ready := a.ready.Load(place{dimension: 3}); ready != step.ready {
			t.Errorf("%s: ready %v, want %v", step.name, ready, step.ready)
		}
	}
}
