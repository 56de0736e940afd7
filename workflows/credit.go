package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// CreditMemories raises or lowers the confidence of memories that were tried.
// Whoever asked is not kept waiting for a part: that the credit is durable is
// answer enough.
func CreditMemories(ctx workflow.Context, in memory.CreditInput) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(memory.CreditResult, error)) (memory.CreditResult, error) {
		waiting := func(w memory.Wait) { say(memory.CreditResult{IDs: []string{}, WaitingFor: w.Part}, nil) }
		var out memory.CreditResult
		if err := step(ctx, waiting, acts.CreditMemories, in, &out); err != nil {
			return memory.CreditResult{}, err
		}
		say(out, nil)
		// A normal activity, so that the answer is on its way before the index is asked; see RecallMemory.
		return out, workflow.ExecuteActivity(durable(ctx), acts.SyncIndex, activities.SyncInput{IDs: out.IDs}).Get(ctx, nil)
	})
}
