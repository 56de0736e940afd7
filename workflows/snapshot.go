package workflows

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/memory"
)

// SnapshotAudit copies the audit and the state of the memories to where they
// are analysed. It runs nightly, and when asked.
func SnapshotAudit(ctx workflow.Context, in memory.SnapshotInput) (memory.SnapshotReport, error) {
	var report memory.SnapshotReport
	err := workflow.ExecuteActivity(long(ctx), acts.TakeSnapshot, in).Get(ctx, &report)
	return report, err
}

// Snapshot takes a snapshot, or joins a running one, and returns its counts.
// Progress, which may be nil, is called with intermediate counts.
func (c *Client) Snapshot(
	ctx context.Context, in memory.SnapshotInput, progress func(memory.SnapshotReport),
) (memory.SnapshotReport, error) {
	options := c.start(Own("snapshot", c.ledger), "", "snapshot", "")
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	run, err := c.temporal.ExecuteWorkflow(ctx, options, SnapshotAudit, in)
	if err != nil {
		return memory.SnapshotReport{}, fromTemporal(err)
	}
	return follow(ctx, run, lastWord[memory.SnapshotReport](c), progress)
}

// lastWord asks what the running step of a workflow told last.
func lastWord[T any](c *Client) func(context.Context, string) (T, bool) {
	return func(ctx context.Context, workflowID string) (told T, ok bool) {
		d, err := c.temporal.DescribeWorkflowExecution(ctx, workflowID, "")
		if err != nil {
			return told, false
		}
		for _, a := range d.GetPendingActivities() {
			if a.GetHeartbeatDetails() != nil {
				return told, converter.GetDefaultDataConverter().FromPayloads(a.GetHeartbeatDetails(), &told) == nil
			}
		}
		return told, false
	}
}
