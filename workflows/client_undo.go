package workflows

import (
	"context"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// Undo takes a change back and returns the report, or with DryRun says what
// that would bring back. Progress, which may be nil, gets what is done so far, first the run's id
// alone. Ending ctx stops the waiting, not the run.
func (c *Client) Undo(ctx context.Context, in memory.UndoInput, progress func(memory.UndoReport)) (memory.UndoReport, error) {
	in, err := in.Clean()
	if err != nil {
		return memory.UndoReport{}, err
	}
	if in.Of, err = c.changeRef(ctx, in.Of); err != nil {
		return memory.UndoReport{}, err
	}
	options := c.keyedOptions(c.start(unique("undo"), "", memory.ActionUndo, ""))
	run, err := c.temporal.ExecuteWorkflow(ctx, options, UndoChange, in, UndoState{})
	if err != nil {
		return memory.UndoReport{}, fromTemporal(err)
	}
	if c.key != "" {
		if err := c.sameKey(ctx, options.ID, []any{in}); err != nil {
			return memory.UndoReport{}, err
		}
	}
	if progress != nil {
		progress(memory.UndoReport{WorkflowID: run.GetID(), DryRun: in.DryRun})
	}
	out, err := follow(ctx, run, queried[memory.UndoReport](c), progress)
	if out.Left == nil {
		out.Left = []memory.Left{}
	}
	if out.Examples == nil {
		out.Examples = []memory.Undo{}
	}
	return out, err
}

// changeRef returns the id of the memory that the name of a change means, or the
// name as it is: a workflow's or a run's.
func (c *Client) changeRef(ctx context.Context, of string) (string, error) {
	if of == "" || memory.CheckRef(of) != nil {
		return of, nil
	}
	ids, err := c.resolve(ctx, []string{of}, false)
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// maxChanges bounds a list of changes.
const maxChanges = 200

// Changes returns the last changes that can be undone, newest first.
func (c *Client) Changes(ctx context.Context, limit int) ([]memory.Change, error) {
	out, err := c.read(ctx, "changes", activities.ReadInput{Changes: max(1, min(limit, maxChanges))})
	return out.Changes, err
}

// Restore brings back one memory that was forgotten, pruned, merged away or that
// expired, and returns it. One that is live is refused ([memory.Conflict]).
func (c *Client) Restore(ctx context.Context, id, user string) (memory.Memory, error) {
	id, err := c.resolveOne(ctx, id)
	if err != nil {
		return memory.Memory{}, err
	}
	var out memory.Memory
	err = c.change(ctx, c.start(unique("restore/"+id), "", memory.ActionRestore, ""), &out, RestoreMemory, activities.RestoreInput{ID: id, User: user})
	return out, err
}
