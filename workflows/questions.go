package workflows

import (
	"context"

	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// PinQuestion pins a question whose answer no organize run may lose, or takes one away.
func PinQuestion(ctx workflow.Context, in activities.PinInput) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(memory.PinnedQuestion, error)) (memory.PinnedQuestion, error) {
		waiting := func(w memory.Wait) { say(memory.PinnedQuestion{}, later(w)) }
		var out memory.PinnedQuestion
		err := step(ctx, waiting, acts.PinQuestion, in, &out)
		return out, err
	})
}

// PinQuestion pins a question, or replaces what is expected of one with the same text.
func (c *Client) PinQuestion(ctx context.Context, q memory.PinnedQuestion) (memory.PinnedQuestion, error) {
	q.Text, _ = c.redactor.Redact(q.Text)
	q.Project, _ = c.redactor.Redact(q.Project)
	var err error
	if len(q.Expect) > 0 && len(q.Expect) <= memory.MaxExpected {
		if q.Expect, err = c.Resolve(ctx, q.Expect); err != nil {
			return q, err
		}
	}
	if q, err = q.Clean(); err != nil {
		return q, err
	}
	return c.pin(ctx, activities.PinInput{Question: q, User: q.User})
}

// UnpinQuestion takes a pinned question away, by its id or the beginning of it.
func (c *Client) UnpinQuestion(ctx context.Context, id, user string) (memory.PinnedQuestion, error) {
	if err := memory.CheckRef(id); err != nil {
		return memory.PinnedQuestion{}, err
	}
	return c.pin(ctx, activities.PinInput{Remove: id, User: user})
}

func (c *Client) pin(ctx context.Context, in activities.PinInput) (memory.PinnedQuestion, error) {
	var out memory.PinnedQuestion
	err := c.change(ctx, c.start(unique("pin-question"), in.Question.Project, memory.ActionPinQuestion, ""), &out, PinQuestion, in)
	return out, err
}

// Questions returns the pinned questions of a project ("" for all), the oldest first.
func (c *Client) Questions(ctx context.Context, project string) ([]memory.PinnedQuestion, error) {
	project, _ = c.redactor.Redact(project)
	if project == "" {
		project = "*"
	}
	out, err := c.read(ctx, "questions", activities.ReadInput{Questions: project})
	return out.Questions, err
}
