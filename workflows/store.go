package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// StoreMemory remembers one text: it embeds it, writes the ledger, then the
// index. It may be started twice for the same text; the second run confirms
// what the first one stored.
func StoreMemory(ctx workflow.Context, in memory.StoreInput) (memory.StoreResult, error) {
	s := &store{in: in}
	if err := workflow.SetUpdateHandler(ctx, updateAnswer, s.answer); err != nil {
		return memory.StoreResult{}, err
	}
	s.err = s.run(ctx)
	s.settled = true
	if err := s.heard(ctx); err != nil {
		return memory.StoreResult{}, err
	}
	return s.result, s.err
}

// store is the state of one StoreMemory.
type store struct {
	question
	in     memory.StoreInput
	result memory.StoreResult
	err    error
}

// answer waits until the memory is stored, or is known to have to wait.
func (s *store) answer(ctx workflow.Context) (memory.StoreResult, error) {
	if err := s.wait(ctx); err != nil {
		return memory.StoreResult{}, err
	}
	return s.result, s.err
}

func (s *store) run(ctx workflow.Context) error {
	in, err := s.in.Clean()
	if err != nil {
		return activities.ToTemporal(err)
	}
	s.in = in
	var embedding activities.Embedding
	if err := s.step(ctx, acts.EmbedText, activities.EmbedInput{Text: in.Text}, &embedding); err != nil {
		return err
	}
	save := activities.SaveInput{Store: in, Embedding: embedding, Asked: workflow.GetInfo(ctx).WorkflowStartTime}
	var result memory.StoreResult
	if err := s.step(ctx, acts.SaveMemory, save, &result); err != nil {
		return err
	}
	// The text's own row may have been folded into another memory: both points follow the ledger.
	sync := activities.SyncInput{IDs: []string{result.ID, in.ID()}}
	if err := s.step(ctx, acts.SyncIndex, sync, nil); err != nil {
		return err
	}
	s.result = result
	return nil
}

// step runs one step. A conflict, such as another model than the ledger's, is the
// caller's to hear; one who was told "accepted" before will not hear it, so the
// step waits on the durable path until it is mended.
func (s *store) step(ctx workflow.Context, activity, in, out any) error {
	accepted := s.settled
	err := step(ctx, s.waiting, activity, in, out)
	if accepted && memory.CodeOf(activities.FromTemporal(err)) == memory.Conflict {
		return workflow.ExecuteActivity(durable(ctx), activity, in).Get(ctx, out)
	}
	return err
}

// waiting tells the caller the truth: the text is safe here, but not stored.
func (s *store) waiting(part string) {
	if s.settled {
		return
	}
	s.settled = true
	s.result = waitingFor(part, s.in)
}

// waitingFor is the answer to whoever wants to store a text that has to wait.
func waitingFor(part string, in memory.StoreInput) memory.StoreResult {
	return memory.StoreResult{
		ID: in.ID(), Status: memory.Accepted, Project: in.Project, Collection: in.Collection,
		WaitingFor: part, Message: "accepted; it will be stored when " + part + " is back",
	}
}
