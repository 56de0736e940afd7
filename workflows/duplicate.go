package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// DetectDuplicate says whether a text is stored already. It is not tried on
// the durable path: whoever asks is about to store the text and wants to know
// now.
func DetectDuplicate(ctx workflow.Context, in memory.StoreInput) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(memory.DuplicateResult, error)) (memory.DuplicateResult, error) {
		out, err := detect(ctx, in)
		say(out, err)
		if err != nil || !out.Found {
			return out, nil // told already
		}
		// A normal activity, so that the answer is on its way before the index is asked; see RecallMemory.
		return out, workflow.ExecuteActivity(durable(ctx), acts.SyncIndex, activities.SyncInput{IDs: []string{out.ID}}).Get(ctx, nil)
	})
}

func detect(ctx workflow.Context, in memory.StoreInput) (out memory.DuplicateResult, err error) {
	in, err = in.Clean()
	if err != nil {
		return out, activities.ToTemporal(err)
	}
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: recallTimeout,
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	var embedding activities.Embedding
	if err := workflow.ExecuteLocalActivity(ctx, acts.EmbedText, activities.EmbedInput{Text: in.Text}).Get(ctx, &embedding); err != nil {
		return out, err
	}
	save := activities.SaveInput{Store: in, Embedding: embedding, Asked: workflow.GetInfo(ctx).WorkflowStartTime}
	err = workflow.ExecuteLocalActivity(ctx, acts.ConfirmDuplicate, save).Get(ctx, &out)
	return out, err
}
