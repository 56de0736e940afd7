package activities

import (
	"context"
	"slices"

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
	// Beside says that a changed model is taken up beside the index that answers.
	Beside bool `json:"beside,omitempty"`
}

// InspectModel asks the embedding model for its dimension and the ledger for
// what it holds.
func (a *Activities) InspectModel(ctx context.Context) (ModelState, error) {
	a.known.forget()
	model := a.Embedder.Model()
	if slices.Contains(a.inForce(ctx).Replaced, model) { // it was changed by mneme, the settings were not
		model = a.model(ctx)
	}
	dimension, err := a.dimensionOf(ctx, model)
	if err != nil {
		return ModelState{}, err
	}
	stats, err := a.Ledger.Stats(ctx)
	if err != nil {
		return ModelState{}, err
	}
	s := ModelState{Model: model, Dimension: dimension, Beside: a.IndexOf != nil && a.EmbedderOf != nil}
	s.Changed = stats.Model != "" && (stats.Model != s.Model || stats.Dimension != s.Dimension)
	return s, nil
}

// ReembedInput asks to embed the whole ledger with the model in use.
type ReembedInput struct {
	State ModelState `json:"state"`
	User  string     `json:"user,omitempty"`
	// KeepModel leaves the old model on record, for AdoptModel to change when the index
	// holds the new vectors: until then, queries go by keywords.
	KeepModel bool `json:"keep_model,omitempty"`
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
			if in.KeepModel {
				return done, nil
			}
			return done, a.AdoptModel(ctx, in)
		}
		texts := make([]string, len(records))
		for i := range records {
			records[i].Model, texts[i] = in.State.Model, records[i].Text
		}
		for from := 0; from < len(texts); from += embedBatch {
			to := min(from+embedBatch, len(texts))
			vectors, err := a.embed(ctx, memory.ForDocument, texts[from:to])
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

// AdoptModel records that the ledger holds vectors of the model in use, after [Activities.Reembed]
// has seen to it.
func (a *Activities) AdoptModel(ctx context.Context, in ReembedInput) error {
	return a.Ledger.ReplaceModel(ctx, op(ctx, in.User, memory.ActionRebuild, "model"), in.State.Model, in.State.Dimension)
}

// FitInput names collections and the length of their vectors.
type FitInput struct {
	Collections []string `json:"collections"`
	Dimension   int      `json:"dimension"` // 0 for that of the ledger's vectors, which no collection is dropped for
}

// FitCollections makes collections that are missing, and makes those of other vectors anew.
func (a *Activities) FitCollections(ctx context.Context, in FitInput) error {
	a.ready.Clear()
	a.fits.Clear()
	if in.Dimension != 0 {
		return a.fitAll(ctx, in.Collections, in.Dimension)
	}
	one, err := a.Ledger.Records(ctx, memory.Page{Limit: 1})
	if err != nil || len(one) == 0 {
		return err
	}
	err = a.index(ctx).EnsureCollections(ctx, len(one[0].Vector))
	if memory.CodeOf(err) != memory.Refused {
		return err
	}
	// A backup of another model was restored into a new home: its collections hold nothing.
	if counts, countErr := a.index(ctx).Counts(ctx, true); countErr != nil || !empty(counts) {
		return err
	}
	return a.fitAll(ctx, memory.Collections(), len(one[0].Vector))
}

func (a *Activities) fitAll(ctx context.Context, collections []string, dimension int) error {
	for _, c := range collections {
		if err := a.index(ctx).Fit(ctx, c, dimension); err != nil {
			return err
		}
	}
	return nil
}

// empty reports whether no collection holds a point.
func empty(counts map[string]int) bool {
	for _, n := range counts {
		if n > 0 {
			return false
		}
	}
	return true
}

// InspectIndex compares index and ledger by count and by a sample.
func (a *Activities) InspectIndex(ctx context.Context) (memory.IndexState, error) {
	return a.compareIndex(ctx)
}

// RebuildCollectionInput names a collection to bring in step.
type RebuildCollectionInput struct {
	Collection string `json:"collection"`
	Dimension  int    `json:"dimension"` // of its vectors, for RecreateCollection
	User       string `json:"user,omitempty"`
}

// RecreateCollection is a step of rebuilds that began before version 1 of "walk".
func (a *Activities) RecreateCollection(ctx context.Context, in RebuildCollectionInput) error {
	return a.FitCollections(ctx, FitInput{Collections: []string{in.Collection}, Dimension: in.Dimension})
}

// CompareCollection is a step of rebuilds that began before version 1 of "walk".
func (a *Activities) CompareCollection(ctx context.Context, in RebuildCollectionInput) (memory.RebuildCollection, error) {
	return a.WalkCollection(ctx, in)
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
