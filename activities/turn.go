package activities

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// TakeTurn lets the workflow that calls it organize, or refuses it
// ([memory.Conflict]) while another organize run is at work. Who has the turn
// is in the ledger; whether it is still at work is asked of Temporal, so a run
// that was killed or terminated keeps nobody waiting.
func (a *Activities) TakeTurn(ctx context.Context) error {
	me := activity.GetInfo(ctx).WorkflowExecution.ID
	holder, err := a.Ledger.TakeTurn(ctx, me, "")
	if err != nil || holder == me {
		return err
	}
	open, err := a.open(ctx, holder)
	if err != nil {
		return err
	}
	if !open {
		if holder, err = a.Ledger.TakeTurn(ctx, me, holder); err != nil || holder == me {
			return err
		}
	}
	return memory.Errorf(memory.Conflict, `wait until it is done, or end it with "mneme organize --cancel"`,
		"memories are being tidied up already, by %s", holder)
}

// open reports whether a workflow is at work.
func (a *Activities) open(ctx context.Context, workflowID string) (bool, error) {
	if a.Open != nil {
		return a.Open(ctx, workflowID)
	}
	d, err := activity.GetClient(ctx).DescribeWorkflowExecution(ctx, workflowID, "")
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return false, nil
	}
	if err != nil {
		return false, memory.Down("Temporal", `run "mneme doctor" to see every part`, err)
	}
	return d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}
