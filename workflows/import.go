package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// The Updates of an import.
const (
	updateBegin  = "begin"  // says how far it has come
	updateBatch  = "batch"  // stores one batch, once
	updateFinish = "finish" // ends it
)

// ImportState is what an import carries from run to run.
type ImportState struct {
	Progress memory.ImportProgress `json:"progress"`
	Ahead    []int                 `json:"ahead,omitempty"` // batches done behind a gap
}

// ImportMemories stores a file batch by batch. The caller sends the batches,
// several at once if it likes; one that was done is not done again, so an
// import that was broken off is resumed by sending the rest.
func ImportMemories(ctx workflow.Context, state ImportState) error {
	i := &importing{state: state}
	for name, handler := range map[string]any{
		updateBegin: i.begin, updateBatch: i.batch, updateFinish: i.finish,
	} {
		if err := workflow.SetUpdateHandler(ctx, name, handler); err != nil {
			return err
		}
	}
	err := workflow.Await(ctx, func() bool {
		full := workflow.GetInfo(ctx).GetContinueAsNewSuggested()
		return (i.finished || full) && workflow.AllHandlersFinished(ctx)
	})
	if err != nil || i.finished {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, ImportMemories, i.state)
}

// importing is the state of one ImportMemories.
type importing struct {
	state    ImportState
	finished bool
}

func (i *importing) begin(workflow.Context) (memory.ImportProgress, error) {
	return i.state.Progress, nil
}

func (i *importing) finish(workflow.Context) (memory.ImportProgress, error) {
	i.finished = true
	return i.state.Progress, nil
}

func (i *importing) batch(ctx workflow.Context, b memory.ImportBatch) (memory.ImportProgress, error) {
	if i.has(b.Number) {
		return i.state.Progress, nil
	}
	var out activities.ImportOutcome
	if err := workflow.ExecuteActivity(durable(ctx), acts.ImportBatch, b).Get(ctx, &out); err != nil {
		return memory.ImportProgress{}, err
	}
	if !i.has(b.Number) {
		i.add(b.Number, out)
	}
	return i.state.Progress, nil
}

func (i *importing) has(number int) bool {
	if number < i.state.Progress.Batches {
		return true
	}
	for _, n := range i.state.Ahead {
		if n == number {
			return true
		}
	}
	return false
}

// add notes a batch as done and closes the gap before it if there is none left.
func (i *importing) add(number int, out activities.ImportOutcome) {
	p := &i.state.Progress
	p.Stored += out.Stored
	p.Existing += out.Existing
	i.state.Ahead = append(i.state.Ahead, number)
	for again := true; again; {
		again = false
		for k, n := range i.state.Ahead {
			if n == p.Batches {
				i.state.Ahead = append(i.state.Ahead[:k], i.state.Ahead[k+1:]...)
				p.Batches++
				again = true
				break
			}
		}
	}
}
