package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// actionRecord labels RecordEvents in the Temporal UI; the audit rows have the
// actions of the events.
const actionRecord = "record"

// RecordEvents writes audit rows that change no memory. Whoever sent them is
// not kept waiting for the ledger: that they are durable is answer enough.
func RecordEvents(ctx workflow.Context, events []memory.Event) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(activities.Recorded, error)) (out activities.Recorded, err error) {
		waiting := func(memory.Wait) { say(activities.Recorded{}, nil) }
		err = step(ctx, waiting, acts.RecordEvents, events, &out)
		return out, err
	})
}
