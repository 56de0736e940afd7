package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
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

// LinkMemories joins two memories with a typed link.
func LinkMemories(ctx workflow.Context, in activities.LinkInput) error {
	return once(ctx, func(ctx workflow.Context) (out memory.Link, err error) {
		err = step(ctx, quietly, acts.LinkMemories, in, &out)
		return out, err
	})
}

// once runs do and answers every caller with what it returned. The workflow
// itself succeeds: the error is the answer.
func once[T any](ctx workflow.Context, do func(workflow.Context) (T, error)) error {
	var (
		out  T
		err  error
		done bool
	)
	reply := func(ctx workflow.Context) (T, error) {
		if waitErr := workflow.Await(ctx, func() bool { return done }); waitErr != nil {
			return out, waitErr
		}
		return out, err
	}
	if handlerErr := workflow.SetUpdateHandler(ctx, updateAnswer, reply); handlerErr != nil {
		return handlerErr
	}
	out, err = do(ctx)
	done = true
	return answer(ctx, &done)
}
