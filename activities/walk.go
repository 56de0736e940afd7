package activities

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// The bounds of a walk.
const (
	idsPage   = 1000 // ids of points that are read at a time
	namedMost = 20   // ids that a report names
)

// walkState is how far a walk has come. Heartbeats hold it, so that the next try goes on
// from there, and whoever waits can be told.
type walkState struct {
	memory.RebuildCollection

	After   string `json:"after"`   // the last id that is done
	Through bool   `json:"through"` // all are
	Lost    int    `json:"lost"`    // points that are still missing, by what was counted first
}

// walk goes through one collection in the order of ids.
type walk struct {
	walkState

	a *Activities
}

// WalkCollection goes through a collection in ledger and index side by side, in the order of
// ids. It writes the points that are missing or hold something else, deletes those that the
// ledger does not know, and looks at each of them again. The collection answers meanwhile.
//
// Others go on storing, forgetting and recalling: what they change is theirs to bring to the
// index, so a memory counts as different only if it is while its row is locked and in step.
func (a *Activities) WalkCollection(ctx context.Context, in RebuildCollectionInput) (memory.RebuildCollection, error) {
	w := walk{a: a}
	w.RebuildCollection = memory.RebuildCollection{Collection: in.Collection, Mended: []string{}, Unequal: []string{}}
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &w.walkState); err != nil {
			return w.RebuildCollection, fmt.Errorf("read how far the walk through %s was: %w", in.Collection, err)
		}
	}
	if err := w.begin(ctx); err != nil {
		return w.RebuildCollection, err
	}
	for !w.Through {
		if err := w.page(ctx); err != nil {
			return w.RebuildCollection, err
		}
		activity.RecordHeartbeat(ctx, w.walkState)
	}
	return w.RebuildCollection, w.end(ctx, op(ctx, in.User, memory.ActionRebuild, "walk/"+in.Collection))
}

// begin counts the missing points, so that answers can give the number from now on. A try
// that goes on counts again: the last report of the one before may be some pages old.
func (w *walk) begin(ctx context.Context) error {
	c, err := w.count(ctx)
	if err != nil {
		return err
	}
	w.Ledger, w.Index, w.Lost = c.Ledger, c.Index, c.Lost
	return w.a.Ledger.NoteLost(ctx, map[string]int{w.Collection: w.Lost})
}

// count returns the counts of the walk's collection.
func (w *walk) count(ctx context.Context) (memory.IndexCollection, error) {
	state, err := w.a.compareCounts(ctx)
	for _, c := range state.Collections {
		if c.Collection == w.Collection {
			return c, err
		}
	}
	return memory.IndexCollection{}, err
}

// page compares one page of memories, and the points from the last page up to its end.
func (w *walk) page(ctx context.Context) error {
	records, err := w.a.Ledger.Records(ctx, memory.Page{Collection: w.Collection, After: w.After, Limit: rebuildPage})
	if err != nil {
		return err
	}
	upTo := ""
	if len(records) == rebuildPage {
		upTo = records[len(records)-1].ID
	}
	d, err := w.a.compare(ctx, w.Collection, records)
	if err != nil {
		return err
	}
	if err := w.mend(ctx, d.IDs()); err != nil {
		return err
	}
	if err := w.sweep(ctx, records, upTo); err != nil {
		return err
	}
	w.Compared += len(records)
	w.After, w.Through = upTo, upTo == ""
	return nil
}

// mend writes the points of those of ids that differ while nobody else can change them, and
// looks at them again.
func (w *walk) mend(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	lost := 0
	err := w.a.Ledger.Settled(ctx, ids, func(ctx context.Context, held []memory.Record) error {
		held = in(w.Collection, held)
		if err := w.a.stillInForce(ctx, held); err != nil {
			return err
		}
		d, err := w.a.compare(ctx, w.Collection, held)
		if err != nil || len(d.IDs()) == 0 {
			return err
		}
		wrong := only(held, d.IDs())
		write := func() error { return w.a.index(ctx).Upsert(ctx, wrong) }
		if err := w.a.inCollections(ctx, len(wrong[0].Vector), write); err != nil {
			return err
		}
		left, err := w.a.compare(ctx, w.Collection, wrong)
		if err != nil {
			return err
		}
		w.Written += len(wrong)
		w.Mended, w.Unequal = someOf(w.Mended, d.IDs()), someOf(w.Unequal, left.IDs())
		lost = len(d.Missing)
		return nil
	})
	if err != nil || lost == 0 || w.Lost == 0 {
		return err
	}
	w.Lost = max(0, w.Lost-lost)
	return w.a.Ledger.NoteLost(ctx, map[string]int{w.Collection: w.Lost})
}

// sweep deletes the points after the last page and up to an id, or to the end, that belong
// to no memory.
func (w *walk) sweep(ctx context.Context, records []memory.Record, upTo string) error {
	known := make(map[string]bool, len(records))
	for _, r := range records {
		known[r.ID] = true
	}
	for after := w.After; ; {
		ids, err := w.a.index(ctx).IDs(ctx, w.Collection, after, idsPage)
		if err != nil {
			return err
		}
		var unknown []string
		for _, id := range ids {
			if upTo != "" && id > upTo {
				return w.drop(ctx, unknown)
			}
			if !known[id] {
				unknown = append(unknown, id)
			}
		}
		if err := w.drop(ctx, unknown); err != nil || len(ids) < idsPage {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// drop deletes those of ids that are strangers.
func (w *walk) drop(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	strangers, err := w.a.Ledger.Strangers(ctx, w.Collection, ids)
	if err != nil || len(strangers) == 0 {
		return err
	}
	if err := w.a.index(ctx).Delete(ctx, w.Collection, strangers); err != nil {
		return err
	}
	w.Deleted += len(strangers)
	w.Mended = someOf(w.Mended, strangers)
	// A forgotten text that was stored again between the question and the deletion has lost
	// its new point. It is no stranger any more, and gets it back.
	return w.mend(ctx, strangers)
}

// end counts once more, takes the note of what is missing away and leaves an audit row.
func (w *walk) end(ctx context.Context, step memory.Op) error {
	c, err := w.count(ctx)
	if err != nil {
		return err
	}
	w.Ledger, w.Index = c.Ledger, c.Index
	w.Equal = len(w.Unequal) == 0 && c.Equal()
	if err := w.a.Ledger.NoteLost(ctx, map[string]int{w.Collection: c.Lost}); err != nil {
		return err
	}
	details := map[string]any{
		"ledger": w.Ledger, "index": w.Index, "equal": w.Equal,
		"compared": w.Compared, "written": w.Written, "deleted": w.Deleted,
	}
	if err := w.a.Ledger.Note(ctx, step, "", w.Collection, details); err != nil {
		return fmt.Errorf("note the rebuild of %s: %w", w.Collection, err)
	}
	return nil
}

// only returns the records with one of the ids.
func only(records []memory.Record, ids []string) []memory.Record {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	var out []memory.Record
	for _, r := range records {
		if wanted[r.ID] {
			out = append(out, r)
		}
	}
	return out
}

// someOf adds ids to those that a report names.
func someOf(names, more []string) []string {
	return append(names, more[:min(len(more), namedMost-len(names))]...)
}
