package activities

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// rebuildPage is how many memories are read, embedded or written at a time.
const rebuildPage = 500

// ModelState compares the model in use with the one the ledger was embedded by.
type ModelState struct {
	Model     string `json:"model"` // in use
	Dimension int    `json:"dimension"`
	Changed   bool   `json:"changed"` // the ledger holds vectors of another model
}

// InspectModel asks the embedding model for its dimension and the ledger for
// what it holds.
func (a *Activities) InspectModel(ctx context.Context) (ModelState, error) {
	vectors, err := a.embed(ctx, ForDocument, []string{"dimension"})
	if err != nil {
		return ModelState{}, err
	}
	stats, err := a.Ledger.Stats(ctx)
	if err != nil {
		return ModelState{}, err
	}
	s := ModelState{Model: a.Embedder.Model(), Dimension: len(vectors[0])}
	s.Changed = stats.Model != "" && (stats.Model != s.Model || stats.Dimension != s.Dimension)
	return s, nil
}

// ReembedInput asks to embed the whole ledger with the model in use.
type ReembedInput struct {
	State ModelState `json:"state"`
	User  string     `json:"user,omitempty"`
}

// Reembed embeds every live memory anew. It heartbeats the last id and goes
// on from there when it is tried again.
func (a *Activities) Reembed(ctx context.Context, in ReembedInput) (int, error) {
	after, done := lastID(ctx), 0
	for {
		records, err := a.Ledger.Records(ctx, memory.Page{After: after, Limit: rebuildPage})
		if err != nil {
			return done, err
		}
		if len(records) == 0 {
			step := op(ctx, in.User, memory.ActionRebuild, "model")
			return done, a.Ledger.ReplaceModel(ctx, step, in.State.Model, in.State.Dimension)
		}
		texts := make([]string, len(records))
		for i := range records {
			records[i].Model, texts[i] = in.State.Model, records[i].Text
		}
		for from := 0; from < len(texts); from += embedBatch {
			to := min(from+embedBatch, len(texts))
			vectors, err := a.embed(ctx, ForDocument, texts[from:to])
			if err != nil {
				return done, err
			}
			for i, v := range vectors {
				records[from+i].Vector = v
			}
			activity.RecordHeartbeat(ctx, after)
		}
		after = records[len(records)-1].ID
		if err := a.Ledger.Reembedded(ctx, op(ctx, in.User, memory.ActionRebuild, "reembed/"+after), records); err != nil {
			return done, err
		}
		done += len(records)
		activity.RecordHeartbeat(ctx, after)
	}
}

// lastID returns the id that an earlier try of this activity came to.
func lastID(ctx context.Context) string {
	var id string
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &id); err != nil {
			return ""
		}
	}
	return id
}

// RebuildCollectionInput names a collection to write anew.
type RebuildCollectionInput struct {
	Collection string `json:"collection"`
	Dimension  int    `json:"dimension"`
	User       string `json:"user,omitempty"`
}

// RecreateCollection drops a collection and marks its memories as unindexed.
func (a *Activities) RecreateCollection(ctx context.Context, in RebuildCollectionInput) error {
	if err := a.Index.Recreate(ctx, in.Collection, in.Dimension); err != nil {
		return err
	}
	return a.Ledger.MarkUnindexed(ctx, in.Collection)
}

// FillIndex writes everything the index has yet to learn, and returns how
// many memories that were.
func (a *Activities) FillIndex(ctx context.Context) (int, error) {
	for done := 0; ; {
		ids, err := a.Ledger.Unindexed(ctx, rebuildPage)
		if err != nil || len(ids) == 0 {
			return done, err
		}
		if err := a.SyncIndex(ctx, SyncInput{IDs: ids}); err != nil {
			return done, err
		}
		done += len(ids)
		activity.RecordHeartbeat(ctx, ids[len(ids)-1])
	}
}

// CompareCollection counts and hashes a collection in ledger and index.
func (a *Activities) CompareCollection(ctx context.Context, in RebuildCollectionInput) (memory.RebuildCollection, error) {
	out := memory.RebuildCollection{Collection: in.Collection}
	sum := a.Digest(nil) // of nothing, as the index says it
	for after := ""; ; {
		records, err := a.Ledger.Records(ctx, memory.Page{Collection: in.Collection, After: after, Limit: rebuildPage})
		if err != nil {
			return out, err
		}
		if len(records) == 0 {
			break
		}
		if sum, err = sum.Add(a.Digest(records)); err != nil {
			return out, err
		}
		after = records[len(records)-1].ID
		activity.RecordHeartbeat(ctx, after)
	}
	index, err := a.Index.Digest(ctx, in.Collection)
	if err != nil {
		return out, err
	}
	out.Ledger, out.LedgerHash = sum.Count, sum.Hash
	out.Index, out.IndexHash = index.Count, index.Hash
	out.Equal = sum == index || sum.Count == 0 && index.Count == 0
	details := map[string]any{"ledger": out.Ledger, "index": out.Index, "equal": out.Equal}
	step := op(ctx, in.User, memory.ActionRebuild, "compare/"+in.Collection)
	if err := a.Ledger.Note(ctx, step, "", in.Collection, details); err != nil {
		return out, fmt.Errorf("note the rebuild of %s: %w", in.Collection, err)
	}
	return out, nil
}
