package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// recallTimeout bounds the search: an answer that comes later helps nobody.
const recallTimeout = 6 * time.Second

// RecallMemory answers a query, and counts the answer afterwards unless it was a trial or of the past.
func RecallMemory(ctx workflow.Context, q memory.Query) error {
	r := &recall{}
	if err := workflow.SetUpdateHandler(ctx, updateAnswer, r.answer); err != nil {
		return err
	}
	r.err = r.search(ctx, q)
	r.settled = true
	if r.err == nil && !q.Trial && q.AsOf == nil {
		// A normal activity: its task ends the present one, which sends the answer on its way first.
		in := activities.CountInput{
			Query: q, Hits: withoutTexts(r.result.Hits), Below: r.result.BelowBar,
			Took: r.result.TookMillis, Tokens: tokens(r.result.Hits), At: workflow.Now(ctx),
		}
		if err := workflow.ExecuteActivity(durable(ctx), acts.CountRecall, in).Get(ctx, nil); err != nil {
			return err
		}
	}
	return r.heard(ctx, nil)
}

// recall is the state of one RecallMemory.
type recall struct {
	question
	result  memory.RecallResult
	err     error
	settled bool
}

func (r *recall) answer(ctx workflow.Context) (memory.RecallResult, error) {
	if err := r.wait(ctx, &r.settled); err != nil {
		return memory.RecallResult{}, err
	}
	return r.result, r.err
}

// search is not tried on the durable path: whoever asks wants to know now.
func (r *recall) search(ctx workflow.Context, q memory.Query) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: recallTimeout,
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	return workflow.ExecuteLocalActivity(ctx, acts.Recall, q).Get(ctx, &r.result)
}

// withoutTexts returns the hits as the ledger needs them: who was found, how well.
func withoutTexts(hits []memory.Hit) []memory.Hit {
	out := make([]memory.Hit, len(hits))
	for i, h := range hits {
		out[i] = memory.Hit{
			ID: h.ID, Collection: h.Collection, Project: h.Project, Score: h.Score, Strong: h.Strong,
		}
	}
	return out
}

// tokens estimates the tokens of the hits' texts: four bytes make one.
func tokens(hits []memory.Hit) int {
	n := 0
	for _, h := range hits {
		n += len(h.Text)
	}
	return n / 4
}
