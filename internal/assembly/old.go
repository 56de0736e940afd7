package assembly

import (
	"context"
	"fmt"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/workflows"
)

// provenBy is how many ended runs are looked up to see whose old work is.
const provenBy = 200

// oldWork reports whether the work that releases without identities left in a
// Temporal namespace is this ledger's: every ended run that Temporal knows
// there must be in its audit. In a namespace that others use too it may be
// theirs, and a worker that took it would write their memories into this
// ledger.
func oldWork(ctx context.Context, c client.Client, o WorkerOptions) (bool, error) {
	queue := fmt.Sprintf("TaskQueue = '%s'", workflows.TaskQueue(""))
	running, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: o.Temporal.Namespace, Query: queue + " AND ExecutionStatus = 'Running'",
	})
	if err != nil {
		return false, fmt.Errorf("count the work of older releases: %w", err)
	}
	// These two leave an audit row whenever they succeed.
	ended, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: o.Temporal.Namespace, PageSize: provenBy,
		Query: queue + " AND ExecutionStatus = 'Completed' AND WorkflowType IN ('StoreMemory', 'RecallMemory')",
	})
	if err != nil {
		return false, fmt.Errorf("list the work of older releases: %w", err)
	}
	var runs []postgres.Run
	for _, e := range ended.GetExecutions() {
		runs = append(runs, postgres.Run{WorkflowID: e.GetExecution().GetWorkflowId(), RunID: e.GetExecution().GetRunId()})
	}
	known, err := o.Ledger.Ran(ctx, runs)
	if err != nil {
		return false, err
	}
	if len(runs) > 0 && known == len(runs) {
		return true, nil
	}
	if running.GetCount() > 0 {
		o.Logger.WarnContext(ctx, "work of an older release waits, and it is not proven to be this ledger's: let a worker of that release finish it",
			"queue", workflows.TaskQueue(""), "namespace", o.Temporal.Namespace, "running", running.GetCount(), "ended", len(runs), "in the audit", known)
	}
	return false, nil
}
