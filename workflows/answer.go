package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// updateAnswer is the Update through which every workflow answers.
const updateAnswer = "answer"

// unasked is how long a workflow that is done waits for its question. Temporal
// can start a workflow and lose the Update that came with the start, when its
// task came to nothing; the caller's client asks again. It would not find the
// workflow that ended meanwhile, and hear of no answer or do everything anew.
const unasked = 30 * time.Second

// question is what a workflow is asked, by one caller or more.
type question struct{ asked bool }

// wait keeps a caller until there is something true to say.
func (q *question) wait(ctx workflow.Context, settled *bool) error {
	q.asked = true
	return workflow.Await(ctx, func() bool { return *settled })
}

// heard waits until every caller has the answer, or until more, which may be
// nil, says that there is more to do for one of them.
func (q *question) heard(ctx workflow.Context, more func() bool) error {
	if !q.asked { // a wait that is over at once would leave a timer in the history
		if _, err := workflow.AwaitWithTimeout(ctx, unasked, func() bool { return q.asked }); err != nil {
			return err
		}
	}
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) || more != nil && more() })
}
