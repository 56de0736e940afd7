package activities

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/mneme-memory/mneme/memory"
)

// sampleSize is how many memories and how many points of each collection are looked at to
// see whether their content is right: of an index that is wrong in one point of a hundred,
// nearly half of all samples find one.
const sampleSize = 64

// compareIndex compares each collection with the ledger, by count and by a sample. How
// many points are missing is noted, so that answers can say so.
func (a *Activities) compareIndex(ctx context.Context) (memory.IndexState, error) {
	state, err := a.compareCounts(ctx)
	if err != nil {
		return state, err
	}
	lost := make(map[string]int, len(state.Collections))
	for i := range state.Collections {
		c := &state.Collections[i]
		lost[c.Collection] = c.Lost
		if c.Ledger+c.Index == 0 || !c.Equal() {
			continue // there is nothing to look at, or all of it must be looked at anyway
		}
		if err := a.sample(ctx, c); err != nil {
			return state, err
		}
	}
	err = a.Ledger.NoteLost(ctx, lost)
	a.lag.forget()
	return state, err
}

// compareCounts is the part of [Activities.compareIndex] that counts. Others go on storing
// and forgetting, so the ledger is asked before and after the index.
func (a *Activities) compareCounts(ctx context.Context) (memory.IndexState, error) {
	var state memory.IndexState
	before, err := a.Ledger.Expected(ctx)
	if err != nil {
		return state, err
	}
	points, err := a.index(ctx).Counts(ctx, true)
	if err != nil {
		return state, err
	}
	after, err := a.Ledger.Expected(ctx)
	if err != nil {
		return state, err
	}
	for _, name := range memory.Collections() {
		was, is, n := before[name], after[name], points[name]
		least, most := min(was.Written, is.Written), max(was.Written+was.Marked, is.Written+is.Marked)
		state.Collections = append(state.Collections, memory.IndexCollection{
			Collection: name, Ledger: is.Live, Index: n, Marked: is.Marked,
			Lost: max(0, least-n), Extra: max(0, n-most),
		})
	}
	return state, nil
}

// sample compares some memories of a collection, beginning at a random one, with their
// points, and some points with the ledger.
func (a *Activities) sample(ctx context.Context, c *memory.IndexCollection) error {
	from := ""
	if max(c.Ledger, c.Index) > sampleSize {
		from = memory.NewID(rand.Text(), "", "") // any place in the order of ids
	}
	records, err := a.Ledger.Records(ctx, memory.Page{Collection: c.Collection, After: from, Limit: sampleSize})
	if err != nil {
		return err
	}
	differing, err := a.differing(ctx, c.Collection, records)
	if err != nil {
		return err
	}
	ids, err := a.index(ctx).IDs(ctx, c.Collection, from, sampleSize)
	if errors.Is(err, memory.ErrNoCollection) {
		return nil // the counts say so
	}
	if err != nil {
		return err
	}
	strangers, err := a.Ledger.Strangers(ctx, c.Collection, ids)
	if err != nil {
		return err
	}
	c.Sampled, c.Differ = len(records)+len(ids), len(differing)+len(strangers)
	return nil
}

// differing returns the records whose points differ from what the ledger says. What
// changed since the records were read is not among them.
func (a *Activities) differing(ctx context.Context, collection string, records []memory.Record) ([]string, error) {
	suspects, err := a.compare(ctx, collection, records)
	if err != nil || len(suspects.IDs()) == 0 {
		return nil, err
	}
	var out []string
	err = a.Ledger.Settled(ctx, suspects.IDs(), func(ctx context.Context, held []memory.Record) error {
		d, err := a.compare(ctx, collection, in(collection, held))
		out = d.IDs()
		return err
	})
	return out, err
}

// compare is Index.Compare; of a collection that is not there, all points are missing.
func (a *Activities) compare(ctx context.Context, collection string, records []memory.Record) (memory.Difference, error) {
	if len(records) == 0 {
		return memory.Difference{}, nil
	}
	d, err := a.index(ctx).Compare(ctx, collection, records)
	if !errors.Is(err, memory.ErrNoCollection) {
		return d, err
	}
	for _, r := range records {
		d.Missing = append(d.Missing, r.ID)
	}
	return d, nil
}

// in returns the records of one collection: others were moved since they were read.
func in(collection string, records []memory.Record) []memory.Record {
	var out []memory.Record
	for _, r := range records {
		if r.Collection == collection {
			out = append(out, r)
		}
	}
	return out
}
