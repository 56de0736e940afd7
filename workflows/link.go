package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// LinkMemories joins two memories with a typed link.
func LinkMemories(ctx workflow.Context, in activities.LinkInput) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(memory.Link, error)) (out memory.Link, err error) {
		waiting := func(w memory.Wait) { say(memory.Link{}, later(w)) }
		err = step(ctx, waiting, acts.LinkMemories, in, &out)
		return out, err
	})
}
