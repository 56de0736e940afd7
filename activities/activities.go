package activities

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// Activities are the steps of every workflow. All fields but Chat,
// Snapshots, Recalls, Open and Purges are required. The methods may be called at the same time.
type Activities struct {
	Embedder Embedder        // text to vectors; Ollama in production
	Ledger   Ledger          // what is remembered, and every change of it; PostgreSQL in production
	Index    Index           // the vectors to search by; Qdrant in production
	Redactor memory.Redactor // takes secrets out, again: the doors did it first
	Chat     Chatter         // writes summaries; nil means extractive ones

	// Snapshots copies the ledger for analysis; nil where a worker keeps no files.
	Snapshots Snapshotter

	// Purges looks for purged texts beside ledger and index; nil where a worker has no home.
	Purges Purges

	// Backups writes scheduled backups; nil where a worker keeps no files.
	Backups Backuper

	// IndexOf returns the index of a generation, and EmbedderOf what embeds with a model. Without
	// them the model cannot be changed while memories are stored and recalled.
	IndexOf    func(generation string) Index
	EmbedderOf func(ctx context.Context, model string) (Embedder, error)

	// Now is the clock.
	Now func() time.Time

	// Recalls returns the last recalls, the newest first. Nil asks the Temporal that calls.
	Recalls func(ctx context.Context, most int) ([]PastRecall, error)
	// Open reports whether a workflow is at work. Nil asks the Temporal that calls.
	Open func(ctx context.Context, workflowID string) (bool, error)

	ready sync.Map // place -> struct{}: the collections were made for the ledger's model
	fits  sync.Map // place -> struct{}: the ledger holds vectors of the same model
	known generations
	lag   lag
	watch indexWatch

	silent silence

	archiveReady atomic.Bool // see readyArchive
}

// Chatter answers a prompt with a local chat model.
type Chatter interface {
	Chat(ctx context.Context, prompt string) (string, error)
	// ChatModel names the model.
	ChatModel() string
}

// op names the step that runs now; step must be unique in its workflow.
func op(ctx context.Context, user, action, step string) memory.Op {
	info := activity.GetInfo(ctx)
	return memory.Op{
		WorkflowID: info.WorkflowExecution.ID,
		RunID:      info.WorkflowExecution.RunID,
		Step:       step,
		User:       user,
		Action:     action,
	}
}

// chained is op for workflows that are continued in new runs and have an id of
// their own: the id alone names the change that all of their steps make.
func chained(ctx context.Context, user, action, step string) memory.Op {
	o := op(ctx, user, action, step)
	o.Chain = o.WorkflowID
	return o
}

// place is a length of vectors in a generation of the index, see Activities.
type place struct {
	generation string
	dimension  int
}

func (a *Activities) place(ctx context.Context, dimension int) place {
	return place{a.inForce(ctx).Active.Name, dimension}
}

// prepare records the embedding model at the first write of all, and refuses
// another one after it, which is asked each time: a rebuild by another process
// changes it. The first write of this process also creates the collections, and
// so does the first one to an index that was away.
func (a *Activities) prepare(ctx context.Context, dimension int) error {
	if err := a.Ledger.UseModel(ctx, a.model(ctx), dimension); err != nil {
		a.known.forget() // another model may have come into force
		return err
	}
	at := a.place(ctx, dimension)
	if _, ok := a.ready.Load(at); ok {
		return nil
	}
	if err := a.index(ctx).EnsureCollections(ctx, dimension); err != nil {
		return err
	}
	a.ready.Store(at, struct{}{})
	return nil
}

// inCollections makes a call to the index, and makes it again if collections turn out
// to be missing: how they were lost does not matter. The watch is told, and brings
// back the points that they held.
func (a *Activities) inCollections(ctx context.Context, dimension int, call func() error) error {
	return a.inCollectionsOf(ctx, a.index(ctx), dimension, call)
}

// inCollectionsOf is inCollections for a generation of the index.
func (a *Activities) inCollectionsOf(ctx context.Context, index Index, dimension int, call func() error) error {
	err := call()
	if !errors.Is(err, memory.ErrNoCollection) {
		return err
	}
	a.watch.alarm()
	a.ready.Clear()
	if err := index.EnsureCollections(ctx, dimension); err != nil {
		return err
	}
	return call()
}
