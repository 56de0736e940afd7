package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
)

// ReadMemories answers one question to the ledger. It changes nothing, and is
// a workflow so that no door needs to know where the ledger is.
func ReadMemories(ctx workflow.Context, in activities.ReadInput) error {
	return once(ctx, func(ctx workflow.Context) (out activities.ReadOutput, err error) {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
			ScheduleToCloseTimeout: recallTimeout,
			RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
		})
		err = workflow.ExecuteLocalActivity(ctx, acts.ReadLedger, in).Get(ctx, &out)
		return out, err
	})
}
