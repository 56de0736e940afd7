package activities

import (
	"context"
	"errors"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// nearDepth is how many near memories are looked at for a duplicate. More
// than a few are only there when all of them say nearly the same. A store looks
// into every collection, and for words too, at alikeDepth each.
const (
	nearDepth  = 8
	alikeDepth = 5
)

// EmbedInput asks for the vector of one text.
type EmbedInput struct {
	Text string `json:"text"`
}

// Embedding is a vector and the model it came from.
type Embedding struct {
	Vector memory.Vector `json:"vector"`
	Model  string        `json:"model"`
}

// EmbedText embeds one text that is to be stored.
func (a *Activities) EmbedText(ctx context.Context, in EmbedInput) (Embedding, error) {
	ctx = a.pin(ctx)
	text, _ := a.Redactor.Redact(in.Text)
	vectors, err := a.embed(ctx, memory.ForDocument, []string{text})
	if err != nil {
		return Embedding{}, err
	}
	return Embedding{Vector: vectors[0], Model: a.model(ctx)}, nil
}

// embed returns one checked vector a text, of the model to work with.
func (a *Activities) embed(ctx context.Context, purpose memory.Purpose, texts []string) ([]memory.Vector, error) {
	embedder, err := a.embedder(ctx)
	if err != nil {
		return nil, err
	}
	return embed(ctx, embedder, purpose, texts)
}

// embed returns one checked vector a text.
func embed(ctx context.Context, embedder Embedder, purpose memory.Purpose, texts []string) ([]memory.Vector, error) {
	vectors, err := embedder.Embed(ctx, purpose, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, memory.Errorf(memory.Internal, "", "the embedding model gave %d vectors for %d texts", len(vectors), len(texts))
	}
	for _, v := range vectors {
		if err := v.Check(); err != nil {
			return nil, memory.Errorf(memory.Internal, "run \"mneme doctor\" to see the embedding model", "embed: %w", err)
		}
	}
	return vectors, nil
}

// SaveInput is a memory with its vector, ready for the ledger.
type SaveInput struct {
	Store     memory.StoreInput `json:"store"`
	Embedding Embedding         `json:"embedding"`
	Asked     time.Time         `json:"asked"` // when the caller began to wait
}

// SaveMemory writes the memory to the ledger, or confirms the one that says
// the same. The index learns of it in a later step: a memory without a point
// can be indexed again, a point without a memory is a hit that cannot be shown.
func (a *Activities) SaveMemory(ctx context.Context, in SaveInput) (memory.StoreResult, error) {
	ctx = a.pin(ctx)
	in, rec, err := a.admit(ctx, in)
	if err != nil {
		return memory.StoreResult{}, err
	}
	step := op(ctx, in.Store.User, memory.ActionStore, "save")
	if in.Store.Request != "" {
		step.Step, step.AnyRun = "save/"+in.Store.Request, true
	}
	step.Notes = a.notes(in)
	return a.Ledger.Store(ctx, step, rec, in.Store.Links, a.near(rec))
}

// current returns the embedding of a text, made anew if it came from another
// model than the one in use: days may have passed since.
func (a *Activities) current(ctx context.Context, e Embedding, text string) (Embedding, error) {
	if e.Model == a.model(ctx) {
		return e, nil
	}
	return a.EmbedText(ctx, EmbedInput{Text: text})
}

// notes are what analysis wants to know of a store.
func (a *Activities) notes(in SaveInput) map[string]any {
	notes := map[string]any{"session": in.Store.Session, "source": in.Store.Source}
	if len(in.Store.Redacted) > 0 {
		notes["redacted"] = in.Store.Redacted
	}
	if !in.Asked.IsZero() { // a step of an older run does not know
		notes["latency_ms"] = millis(a.Now().Sub(in.Asked))
	}
	return notes
}

// admit returns the admitted input, with an embedding of the model in use, and
// the record that it describes. It prepares ledger and index for the record.
func (a *Activities) admit(ctx context.Context, in SaveInput) (SaveInput, memory.Record, error) {
	var err error
	if in.Store, err = memory.Admit(a.Redactor, in.Store); err != nil {
		return in, memory.Record{}, err
	}
	if in.Embedding, err = a.current(ctx, in.Embedding, in.Store.Text); err != nil {
		return in, memory.Record{}, err
	}
	if err := a.prepare(ctx, len(in.Embedding.Vector)); err != nil {
		return in, memory.Record{}, err
	}
	return in, memory.Record{Memory: in.Store.Memory(a.Now(), in.Embedding.Model), Vector: in.Embedding.Vector}, nil
}

// near finds what may say the same as a record.
func (a *Activities) near(rec memory.Record) memory.Near {
	return func(ctx context.Context, collections []string) ([]memory.Match, error) {
		var found []memory.Match
		err := a.inCollections(ctx, len(rec.Vector), func() (err error) {
			found, err = a.index(ctx).Alike(ctx, rec, memory.SeenFrom(rec.Project), collections, alikeDepth)
			return err
		})
		return found, err
	}
}

// SyncInput names memories whose points may be behind the ledger.
type SyncInput struct {
	IDs []string `json:"ids"`
}

// SyncIndex brings the points of memories in step with the ledger: live ones
// are written, all others deleted.
func (a *Activities) SyncIndex(ctx context.Context, in SyncInput) error {
	if len(in.IDs) == 0 {
		return nil
	}
	return a.Ledger.SyncIndex(ctx, in.IDs, a.applyChanges)
}

// applyChanges writes the ledger's state of memories to the index, and to the generation beside it.
func (a *Activities) applyChanges(ctx context.Context, changes []memory.IndexChange) error {
	if err := a.apply(ctx, a.indexOf(changes[0].Active), changes); err != nil {
		return err
	}
	generation := changes[0].Beside
	if generation == nil || a.IndexOf == nil {
		return nil
	}
	beside := make([]memory.IndexChange, 0, len(changes))
	for _, c := range changes {
		if c.State == memory.Live && len(c.BesideVector) == 0 && (c.IndexedIn == "" || c.IndexedIn == c.Collection) {
			continue // it is written when it is embedded
		}
		c.Model, c.Vector = generation.Model, c.BesideVector
		beside = append(beside, c)
	}
	return a.apply(ctx, a.indexOf(generation.Name), beside)
}

// apply writes changes to one generation of the index. Live memories without a vector are deleted
// where they were before.
func (a *Activities) apply(ctx context.Context, index Index, changes []memory.IndexChange) error {
	var live []memory.Record
	gone := map[string][]string{}
	for _, c := range changes {
		isLive := c.State == memory.Live
		if isLive && len(c.Vector) > 0 {
			live = append(live, c.Record)
		}
		if c.IndexedIn != "" && (!isLive || c.IndexedIn != c.Collection) {
			gone[c.IndexedIn] = append(gone[c.IndexedIn], c.ID)
		}
		if !isLive && c.IndexedIn == "" {
			// A point may be there all the same: written, but the mark was lost with the process.
			gone[c.Collection] = append(gone[c.Collection], c.ID)
		}
	}
	if len(live) > 0 {
		write := func() error { return index.Upsert(ctx, live) }
		if err := a.inCollectionsOf(ctx, index, len(live[0].Vector), write); err != nil {
			return err
		}
	}
	for collection, ids := range gone {
		// Where there is no collection, there is nothing to delete.
		if err := index.Delete(ctx, collection, ids); err != nil && !errors.Is(err, memory.ErrNoCollection) {
			return err
		}
	}
	return nil
}
