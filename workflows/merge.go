package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// MergeMemories makes one memory of those that somebody chose, in the ledger
// and then in the index.
func MergeMemories(ctx workflow.Context, in activities.FoldInput) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(memory.MergedGroup, error)) (memory.MergedGroup, error) {
		waiting := func(w memory.Wait) { say(memory.MergedGroup{}, later(w)) }
		var out memory.MergedGroup
		if err := step(ctx, waiting, acts.FoldMemories, in, &out); err != nil {
			return memory.MergedGroup{}, err
		}
		return out, step(ctx, waiting, acts.SyncIndex, activities.SyncInput{IDs: in.IDs}, nil)
	})
}
