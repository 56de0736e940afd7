package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// StoreMemory remembers one text: it embeds it, writes the ledger, then the
// index. It may be started twice for the same text; the second run confirms
// what the first one stored. A caller that stores the same text
// meanwhile joins the run; the tags, links and pin of this caller are stored after it.
func StoreMemory(ctx workflow.Context, in memory.StoreInput) (memory.StoreResult, error) {
	first := &call{in: in, asked: workflow.GetInfo(ctx).WorkflowStartTime}
	s := &store{calls: []*call{first}}
	if err := workflow.SetUpdateHandler(ctx, updateAnswer, s.answer); err != nil {
		return memory.StoreResult{}, err
	}
	for saved := 0; saved < len(s.calls); saved++ {
		c := s.calls[saved]
		c.result, c.err = s.save(ctx, c)
		c.settled = true
		if saved+1 < len(s.calls) {
			continue
		}
		// Another caller may come while these hear their answers.
		if err := s.heard(ctx, func() bool { return saved+1 < len(s.calls) }); err != nil {
			return memory.StoreResult{}, err
		}
	}
	return first.result, first.err
}

// store is the state of one StoreMemory.
type store struct {
	question
	calls     []*call // in the order in which they are saved
	embedding activities.Embedding
	stuck     *memory.Wait // what is waited for, if anything
}

// call is one request to store the text, with its answer.
type call struct {
	in      memory.StoreInput
	asked   time.Time
	result  memory.StoreResult
	err     error
	settled bool // there is something true to say
}

// answer waits until the text is stored, or is known to have to wait. More is
// what the caller says of the text, without the text itself; who started the
// workflow, and callers of older versions, say nothing more.
func (s *store) answer(ctx workflow.Context, more memory.StoreInput) (memory.StoreResult, error) {
	c := s.callOf(ctx, more)
	if err := s.wait(ctx, &c.settled); err != nil {
		return memory.StoreResult{}, err
	}
	return c.result, c.err
}

// callOf returns the call that covers a caller's request: an earlier call, or a
// new one.
func (s *store) callOf(ctx workflow.Context, more memory.StoreInput) *call {
	for _, c := range s.calls {
		if more.Request == "" || !more.Adds(c.in) {
			return c
		}
	}
	more.Text = s.calls[0].in.Text
	c := &call{in: more, asked: workflow.Now(ctx)}
	s.calls = append(s.calls, c)
	if s.stuck != nil {
		c.wait(*s.stuck)
	}
	return c
}

// save carries out one call.
func (s *store) save(ctx workflow.Context, c *call) (memory.StoreResult, error) {
	in, err := c.in.Clean() // a wrong input must not reach the model
	if err != nil {
		return memory.StoreResult{}, activities.ToTemporal(err)
	}
	c.in = in
	if len(s.embedding.Vector) == 0 {
		if err := s.step(ctx, c, acts.EmbedText, activities.EmbedInput{Text: in.Text}, &s.embedding); err != nil {
			return memory.StoreResult{}, err
		}
	}
	save := activities.SaveInput{Store: in, Embedding: s.embedding, Asked: c.asked}
	var result memory.StoreResult
	if err := s.step(ctx, c, acts.SaveMemory, save, &result); err != nil {
		return memory.StoreResult{}, err
	}
	// The text's own row may have been folded into another memory: both points follow the ledger.
	sync := activities.SyncInput{IDs: []string{result.ID, in.ID()}}
	return result, s.step(ctx, c, acts.SyncIndex, sync, nil)
}

// step runs one step. Stores of an older version, which still run, know a
// refusal as a conflict: its callers were told "accepted" before and do not
// hear of the refusal, so the step waits on the durable path until the cause is
// mended.
func (s *store) step(ctx workflow.Context, c *call, activity, in, out any) error {
	accepted := c.settled
	err := step(ctx, s.waiting, activity, in, out)
	if accepted && memory.CodeOf(activities.FromTemporal(err)) == memory.Conflict {
		err = workflow.ExecuteActivity(durable(ctx), activity, in).Get(ctx, out)
	}
	s.stuck = nil
	return err
}

// waiting tells the callers the truth: the text is safe here, but not stored.
func (s *store) waiting(w memory.Wait) {
	s.stuck = &w
	for _, c := range s.calls {
		c.wait(w)
	}
}

// wait settles a call that has to wait.
func (c *call) wait(w memory.Wait) {
	if !c.settled {
		c.result, c.settled = waitingFor(w, c.in), true
	}
}

// waitingFor is the answer to whoever wants to store a text that has to wait.
func waitingFor(w memory.Wait, in memory.StoreInput) memory.StoreResult {
	return memory.StoreResult{
		ID: in.ID(), Status: memory.Accepted, Project: in.Project, Collection: in.Collection,
		WaitingFor: w.Part, Message: "accepted; it will be stored " + w.Until(),
	}
}
