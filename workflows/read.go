package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
)

// summaryTimeout bounds a summary: a chat model takes its time, and gives up
// before this so that the extract can be answered instead.
const summaryTimeout = 50 * time.Second

// ReadMemories answers one question to the ledger. It changes nothing, and is
// a workflow so that no door needs to know where the ledger is.
func ReadMemories(ctx workflow.Context, in activities.ReadInput) error {
	return once(ctx, func(ctx workflow.Context) (out activities.ReadOutput, err error) {
		timeout := recallTimeout
		if in.Summary != nil {
			timeout = summaryTimeout
		}
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
			ScheduleToCloseTimeout: timeout,
			RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
		})
		err = workflow.ExecuteLocalActivity(ctx, acts.ReadLedger, in).Get(ctx, &out)
		return out, err
	})
}
