package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// UpdateMemory edits one memory: it embeds a new text, writes the ledger, then
// the index.
func UpdateMemory(ctx workflow.Context, in memory.UpdateInput) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(memory.Memory, error)) (memory.Memory, error) {
		waiting := func(w memory.Wait) { say(memory.Memory{}, later(w)) }
		in, err := in.Clean()
		if err != nil {
			return memory.Memory{}, activities.ToTemporal(err)
		}
		revise := activities.ReviseInput{Update: in}
		if in.Text != nil {
			if err := step(ctx, waiting, acts.EmbedText, activities.EmbedInput{Text: *in.Text}, &revise.Embedding); err != nil {
				return memory.Memory{}, err
			}
		}
		var out memory.Memory
		if err := step(ctx, waiting, acts.ReviseMemory, revise, &out); err != nil {
			return memory.Memory{}, err
		}
		return out, step(ctx, waiting, acts.SyncIndex, activities.SyncInput{IDs: []string{out.ID, in.ID}}, nil)
	})
}
