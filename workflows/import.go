package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"
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
	// PerRun is how many batches one run takes. Zero means as many as Temporal
	// thinks right for one history.
	PerRun int `json:"per_run,omitempty"`
}

// ImportMemories stores a file batch by batch. The caller sends the batches,
// several at once if it likes; one that was done is not done again, so an
// import that was broken off is resumed by sending the rest.
func ImportMemories(ctx workflow.Context, state ImportState) error {
	i := &importing{state: state}
	err := errors.Join(
		workflow.SetUpdateHandler(ctx, updateBegin, i.begin),
		workflow.SetUpdateHandler(ctx, updateFinish, i.finish),
		workflow.SetUpdateHandlerWithOptions(ctx, updateBatch, i.batch, workflow.UpdateHandlerOptions{Validator: i.admit}),
	)
	if err != nil {
		return err
	}
	err = workflow.Await(ctx, func() bool {
		return (i.finished || i.full(ctx)) && workflow.AllHandlersFinished(ctx)
	})
	if err != nil || i.finished {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, ImportMemories, i.state)
}

// importing is the state of one ImportMemories.
type importing struct {
	state    ImportState
	taken    int // batches that this run has begun
	finished bool
}

// full reports whether the history is long enough.
func (i *importing) full(ctx workflow.Context) bool {
	return i.state.PerRun > 0 && i.taken >= i.state.PerRun || workflow.GetInfo(ctx).GetContinueAsNewSuggested()
}

// continues is the type of the error of an Update that came when the run was
// full. The next run takes it.
const continues = "continues"

// admit keeps new batches out of a run that is full. A caller that has always
// some on their way would otherwise keep it from ever being continued, until
// Temporal ends it for the size of its history.
func (i *importing) admit(ctx workflow.Context, _ memory.ImportBatch) error {
	if i.full(ctx) {
		return temporal.NewApplicationError("the import goes on in a new run", continues)
	}
	return nil
}

func (i *importing) begin(workflow.Context) (memory.ImportProgress, error) {
	return i.state.Progress, nil
}

func (i *importing) finish(ctx workflow.Context) (memory.ImportProgress, error) {
	i.finished = true
	p := i.state.Progress
	p.Change = workflow.GetInfo(ctx).FirstRunID
	return p, nil
}

func (i *importing) batch(ctx workflow.Context, b memory.ImportBatch) (memory.ImportProgress, error) {
	if i.has(b.Number) {
		return i.state.Progress, nil
	}
	i.taken++
	var out activities.ImportOutcome
	b.Chain = workflow.GetInfo(ctx).FirstRunID
	if err := workflow.ExecuteActivity(batch(ctx), acts.ImportBatch, b).Get(ctx, &out); err != nil {
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
	p.Updated += out.Updated
	p.Forgotten += out.Forgotten
	p.Kept += out.Kept
	p.Linked += out.Linked
	p.Unlinked += out.Unlinked
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
