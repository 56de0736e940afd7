package workflows

import (
	"errors"

	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// once runs do and answers every caller with what it returned. The workflow
// itself succeeds: the error is the answer.
func once[T any](ctx workflow.Context, do func(workflow.Context) (T, error)) error {
	return onceOrLater(ctx, func(ctx workflow.Context, _ func(T, error)) (T, error) { return do(ctx) })
}

// onceOrLater is once for what may have to wait: do can answer its callers
// before it is done. An error that comes after that was told to nobody, so the
// workflow fails with it.
func onceOrLater[T any](ctx workflow.Context, do func(ctx workflow.Context, say func(T, error)) (T, error)) error {
	r := &reply[T]{}
	if err := workflow.SetUpdateHandler(ctx, updateAnswer, r.answer); err != nil {
		return err
	}
	out, err := do(ctx, r.say)
	early := r.settled
	r.say(out, err)
	if waitErr := r.heard(ctx, nil); waitErr != nil {
		return waitErr
	}
	if early {
		return err
	}
	return nil
}

// reply is what the callers of a workflow wait for.
type reply[T any] struct {
	question
	out     T
	err     error
	settled bool
}

// say settles the reply; what is said first holds.
func (r *reply[T]) say(out T, err error) {
	if !r.settled {
		r.out, r.err, r.settled = out, err, true
	}
}

func (r *reply[T]) answer(ctx workflow.Context) (T, error) {
	if err := r.wait(ctx, &r.settled); err != nil {
		return r.out, err
	}
	return r.out, r.err
}

// later is the answer to whoever asked for a change that has to wait for a
// part: it is neither done nor lost.
func later(w memory.Wait) error { return activities.ToTemporal(w.Err("")) }

// down is the answer to whoever asked for what needs no later: a question.
func down(w memory.Wait) error {
	if w.Code == memory.Refused {
		return activities.ToTemporal(memory.Refusal(w.Part, w.Hint, errors.New(w.Reason)))
	}
	return activities.ToTemporal(memory.Down(w.Part, `run "mneme doctor" to see every part`, errors.New(w.Part+" does not answer; nothing was changed")))
}
