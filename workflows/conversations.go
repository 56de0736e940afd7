package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// ArchiveConversations adds one batch of messages to the archive of conversations. Whoever sends it
// is kept waiting until it is done, for as long as that takes: what was said is on the disk already.
func ArchiveConversations(ctx workflow.Context, in conversation.Batch) error {
	return once(ctx, func(ctx workflow.Context) (out conversation.Archived, err error) {
		err = workflow.ExecuteActivity(batch(ctx), acts.ArchiveMessages, in).Get(ctx, &out)
		return out, err
	})
}

// AskConversations answers one question to the archive of conversations. It changes nothing, and is a
// workflow so that no door needs to know where the archive is.
func AskConversations(ctx workflow.Context, in activities.ConversationsInput) error {
	return once(ctx, func(ctx workflow.Context) (out activities.ConversationsOutput, err error) {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
			ScheduleToCloseTimeout: recallTimeout,
			RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
		})
		err = workflow.ExecuteLocalActivity(ctx, acts.AskConversations, in).Get(ctx, &out)
		return out, err
	})
}

// ForgetConversations forgets what a filter selects of the archive, in ledger and index, looks whether
// it is gone, and answers with a receipt. While a part is down it goes on later, and says so.
func ForgetConversations(ctx workflow.Context, in conversation.ForgetInput) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(conversation.Receipt, error)) (conversation.Receipt, error) {
		var receipt conversation.Receipt
		var counted activities.ConversationsOutput
		ask := activities.ConversationsInput{Count: &in.Filter}
		if in.DryRun {
			err := activities.FromTemporal(workflow.ExecuteLocalActivity(fast(ctx), acts.AskConversations, ask).Get(ctx, &counted))
			if err != nil || counted.Count == nil {
				return receipt, activities.ToTemporal(err)
			}
			return *counted.Count, nil
		}
		waiting := func(w memory.Wait) { say(receipt, later(w)) }
		if err := step(ctx, waiting, acts.AskConversations, ask, &counted); err != nil {
			return receipt, err
		}
		receipt = *counted.Count
		receipt.DryRun = false
		if receipt.Messages == 0 {
			receipt.Verified = true
			return receipt, nil
		}
		err := workflow.ExecuteActivity(batch(ctx), acts.ForgetConversations, in).Get(ctx, &receipt.Verified)
		return receipt, err
	})
}

// IndexConversations brings the archive of conversations in step with the index, and returns how many
// parts of messages were written.
func IndexConversations(ctx workflow.Context, in activities.IndexConversationsInput) (int, error) {
	var n int
	err := workflow.ExecuteActivity(long(ctx), acts.IndexConversations, in).Get(ctx, &n)
	return n, err
}
