package workflows

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// reembedID is the id of the one change of the embedding model that may run.
const reembedID = "reembed"

// Reembed changes the embedding model, returns to the previous model, or deletes the index that is not
// in force, and returns a report. Progress, which may be nil, is called with intermediate
// counts. A run that works already for the same model is joined.
func (c *Client) Reembed(
	ctx context.Context, in memory.ReembedInput, progress func(memory.ReembedReport),
) (memory.ReembedReport, error) {
	in, err := in.Clean()
	if err != nil {
		return memory.ReembedReport{}, err
	}
	options := c.start(Own(reembedID, c.ledger), "", memory.ActionRebuild, "")
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL
	options.WorkflowExecutionErrorWhenAlreadyStarted = true
	run, err := c.temporal.ExecuteWorkflow(ctx, options, ReembedIndex, in)
	var running *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &running) {
		if run, err = c.joinReembed(ctx, options.ID, in); err != nil {
			return memory.ReembedReport{}, err
		}
	}
	if err != nil {
		return memory.ReembedReport{}, fromTemporal(err)
	}
	report, err := follow(ctx, run, c.reembedding, progress)
	var ended *temporal.CanceledError
	if errors.As(err, &ended) {
		err = memory.Errorf(memory.Conflict, `"mneme reembed" tells what is in force`, "the change of the embedding model was cancelled")
	}
	return report, err
}

// joinReembed returns the run at work if it does what is asked for.
func (c *Client) joinReembed(ctx context.Context, id string, in memory.ReembedInput) (client.WorkflowRun, error) {
	now, ok := queried[memory.ReembedReport](c)(ctx, id)
	if ok && in.Model != "" && now.Model == in.Model {
		return c.temporal.GetWorkflow(ctx, id, ""), nil
	}
	return nil, memory.Errorf(memory.Conflict, `wait for it, or end it by "mneme reembed --cancel"`,
		"a change of the embedding model is under way")
}

// reembedding asks a change of the model how far it has come.
func (c *Client) reembedding(ctx context.Context, id string) (memory.ReembedReport, bool) {
	now, ok := queried[memory.ReembedReport](c)(ctx, id)
	if !ok {
		return now, false
	}
	if filled, ok := lastWord[activities.Filled](c)(ctx, id); ok {
		now.Memories, now.Messages, now.Left = now.Memories+filled.Memories, now.Messages+filled.Messages, filled.Left
	}
	if walking, ok := lastWord[memory.RebuildCollection](c)(ctx, id); ok && walking.Collection != "" {
		now.Collections = append(now.Collections, walking)
	}
	return now, true
}

// ReembedUnderWay returns how far a change of the embedding model is, nil if none runs.
func (c *Client) ReembedUnderWay(ctx context.Context) (*memory.ReembedReport, error) {
	id := Own(reembedID, c.ledger)
	described, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	var never *serviceerror.NotFound
	if errors.As(err, &never) {
		return nil, nil
	}
	if err != nil {
		return nil, fromTemporal(err)
	}
	if described.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil, nil
	}
	now, ok := c.reembedding(ctx, id)
	if !ok { // no worker answers
		now = memory.ReembedReport{WorkflowID: id}
	}
	return &now, nil
}

// CancelReembed ends a change of the embedding model that is under way, waits until it has given up
// what it built, and reports whether one was.
func (c *Client) CancelReembed(ctx context.Context) (bool, error) {
	now, err := c.ReembedUnderWay(ctx)
	if err != nil || now == nil {
		return false, err
	}
	id := Own(reembedID, c.ledger)
	if err := c.temporal.CancelWorkflow(ctx, id, ""); err != nil {
		return false, fromTemporal(err)
	}
	err = c.temporal.GetWorkflow(ctx, id, "").Get(ctx, nil)
	var ended *temporal.CanceledError
	if err == nil || errors.As(err, &ended) {
		return true, nil
	}
	return true, fromTemporal(err)
}
