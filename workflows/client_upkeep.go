package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/mneme-memory/mneme/memory"
)

// progressEvery is how often a long workflow is asked how far it has come.
const progressEvery = 500 * time.Millisecond

// Organize tidies up and returns the report. Progress, which may be nil, gets
// what is done so far, first the run's id alone. Ending ctx stops the waiting, not the run.
func (c *Client) Organize(
	ctx context.Context, in memory.OrganizeInput, progress func(memory.OrganizeReport),
) (memory.OrganizeReport, error) {
	in.Project = memory.RedactName(c.redactor, in.Project)
	in, err := in.Clean()
	if err != nil {
		return memory.OrganizeReport{}, err
	}
	options := c.start(unique("organize"), in.Project, memory.ActionOrganize, "")
	run, err := c.temporal.ExecuteWorkflow(ctx, options, OrganizeMemory, in, OrganizeState{})
	if err != nil {
		return memory.OrganizeReport{}, fromTemporal(err)
	}
	if progress != nil {
		// At once, so that whoever stops waiting knows which run to ask for.
		progress(memory.OrganizeReport{
			WorkflowID: run.GetID(), RunID: run.GetRunID(), DryRun: in.DryRun, Collections: []memory.CollectionReport{},
		})
	}
	far := queried[memory.OrganizeReport](c)
	if in.DryRun {
		far = lastWord[memory.OrganizeReport](c)
	}
	report, err := follow(ctx, run, far, progress)
	var ended *temporal.CanceledError
	if errors.As(err, &ended) {
		err = memory.Errorf(memory.Conflict, fmt.Sprintf("\"mneme undo %s\" takes back what it did until then", run.GetID()),
			"the organize run %s was cancelled", run.GetID())
	}
	return report, err
}

// Rebuild brings the index in step with the ledger and returns how they compare.
// Progress, which may be nil, is called with intermediate counts. A rebuild that
// runs already is joined; a check joins a check.
func (c *Client) Rebuild(
	ctx context.Context, in memory.RebuildInput, progress func(memory.RebuildReport),
) (memory.RebuildReport, error) {
	id := "rebuild"
	if in.Check {
		id = "rebuild/check"
	}
	options := c.start(Own(id, c.ledger), "", memory.ActionRebuild, "")
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	run, err := c.temporal.ExecuteWorkflow(ctx, options, RebuildIndex, in)
	if err != nil {
		return memory.RebuildReport{}, fromTemporal(err)
	}
	return follow(ctx, run, c.rebuilding, progress)
}

// rebuilding asks a rebuild how far it has come, and the collection that it is in.
func (c *Client) rebuilding(ctx context.Context, id string) (memory.RebuildReport, bool) {
	now, ok := queried[memory.RebuildReport](c)(ctx, id)
	if !ok {
		return now, false
	}
	if walking, ok := lastWord[memory.RebuildCollection](c)(ctx, id); ok && walking.Collection != "" {
		now.Collections = append(now.Collections, walking)
	}
	return now, true
}

// queried asks a workflow how far it has come.
func queried[T any](c *Client) func(context.Context, string) (T, bool) {
	return func(ctx context.Context, id string) (now T, ok bool) {
		value, err := c.temporal.QueryWorkflow(ctx, id, "", queryProgress)
		if err == nil {
			err = value.Get(&now)
		}
		return now, err == nil
	}
}

// follow waits for a run's result, and meanwhile reports what far says of its
// workflow to progress, which may be nil.
func follow[T any](ctx context.Context, run client.WorkflowRun, far func(ctx context.Context, id string) (T, bool), progress func(T)) (T, error) {
	var out T
	if progress == nil {
		return out, fromTemporal(run.Get(ctx, &out))
	}
	done := make(chan error, 1)
	go func() { done <- run.Get(ctx, &out) }()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return out, fromTemporal(err)
		case <-ticker.C:
			if now, ok := far(ctx, run.GetID()); ok {
				progress(now)
			}
		}
	}
}

// ImportStart begins or resumes an import and returns how far it has come.
func (c *Client) ImportStart(ctx context.Context, importID string) (memory.ImportProgress, error) {
	return c.importing(ctx, importID, updateBegin, "")
}

// ImportBatch stores one batch. It may be called for several at once, and
// again for one whose answer was lost.
func (c *Client) ImportBatch(ctx context.Context, importID string, b memory.ImportBatch) (memory.ImportProgress, error) {
	if len(b.Links) > memory.MaxImportBatch {
		return memory.ImportProgress{}, memory.Errorf(memory.Invalid, "split it", "a batch has %d links, the limit is %d", len(b.Links), memory.MaxImportBatch)
	}
	if len(b.Items) > memory.MaxImportBatch {
		return memory.ImportProgress{}, memory.Errorf(memory.Invalid, "split it", "a batch has %d items, the limit is %d", len(b.Items), memory.MaxImportBatch)
	}
	items := make([]memory.StoreInput, len(b.Items)) // not in place: the caller may send its batch again
	for i, item := range b.Items {
		var err error
		if items[i], err = memory.Admit(c.redactor, item); err != nil {
			return memory.ImportProgress{}, fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	for _, link := range b.Links {
		if _, err := link.Clean(); err != nil {
			return memory.ImportProgress{}, err
		}
	}
	b.Items = items
	return c.importing(ctx, importID, updateBatch, fmt.Sprintf("batch-%d", b.Number), b)
}

// ImportFinish ends an import.
func (c *Client) ImportFinish(ctx context.Context, importID string) (memory.ImportProgress, error) {
	return c.importing(ctx, importID, updateFinish, "")
}

// The waits between two tries to hand a batch to the next run of an import.
const (
	firstWait = 20 * time.Millisecond
	lastWait  = 500 * time.Millisecond
)

func (c *Client) importing(ctx context.Context, importID, update, updateID string, args ...any) (memory.ImportProgress, error) {
	options := c.start(Own("import/"+importID, c.ledger), "", memory.ActionImport, "")
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		var out memory.ImportProgress
		err := c.send(ctx, options, update, updateID, &out, ImportMemories, []any{ImportState{}}, args...)
		var app *temporal.ApplicationError
		if !errors.As(err, &app) || app.Type() != continues {
			return out, fromTemporal(err)
		}
		select {
		case <-ctx.Done():
			return out, fromTemporal(ctx.Err())
		case <-time.After(wait):
		}
	}
}
