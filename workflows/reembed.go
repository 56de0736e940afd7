package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// ReembedIndex changes the embedding model. It builds the collections of the new model beside those
// that answer, compares them with the ledger and the answers of both, and brings the new ones into
// force in one transaction. What is stored meanwhile is written to both. The old collections stay
// until a run with in.Drop, so that one with in.Back can return to them. A cancelled run deletes
// the new collections.
func ReembedIndex(ctx workflow.Context, in memory.ReembedInput) (memory.ReembedReport, error) {
	r := &reembed{in: in, report: memory.ReembedReport{
		WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID, Model: in.Model, Collections: []memory.RebuildCollection{},
	}}
	err := workflow.SetQueryHandler(ctx, queryProgress, func() (memory.ReembedReport, error) { return r.report, nil })
	if err != nil {
		return r.report, err
	}
	if in.Drop {
		err = r.drop(ctx)
	} else {
		err = r.change(ctx)
	}
	r.report.Done = err == nil
	return r.report, err
}

// reembed is the state of one ReembedIndex, and of a RebuildIndex that takes up a changed model.
type reembed struct {
	in     memory.ReembedInput
	report memory.ReembedReport
	step   activities.GenerationInput
	tries  int // of the flip
}

// change builds a generation and brings it into force. If it is cancelled before that, a generation
// that never was in force is deleted.
func (r *reembed) change(ctx workflow.Context) error {
	err := r.build(ctx)
	if temporal.IsCanceledError(err) && r.report.Stage != memory.ReembedFlipped && !r.in.Back {
		free, _ := workflow.NewDisconnectedContext(ctx)
		if dropErr := r.drop(free); dropErr != nil {
			return dropErr
		}
	}
	return err
}

// build is change without the end of a cancelled run.
func (r *reembed) build(ctx workflow.Context) error {
	var g memory.Generations
	// Under batch, for a model may have to be fetched first.
	if err := workflow.ExecuteActivity(batch(ctx), acts.BeginGeneration, r.in).Get(ctx, &g); err != nil {
		return err
	}
	r.report.Stage, r.report.From, r.report.Model = memory.ReembedBuilding, g.Active.Model, g.Beside.Model
	r.step = activities.GenerationInput{Generation: *g.Beside, User: r.in.User}
	if err := r.fill(ctx); err != nil {
		return err
	}
	r.report.Stage = memory.ReembedComparing
	for _, c := range memory.Collections() {
		var one memory.RebuildCollection
		in := r.step
		in.Collection = c
		if err := workflow.ExecuteActivity(patient(ctx), acts.WalkGeneration, in).Get(ctx, &one); err != nil {
			return err
		}
		r.report.Collections = append(r.report.Collections, one)
	}
	var answers memory.AnswersCompared
	if err := workflow.ExecuteActivity(patient(ctx), acts.CompareAnswers, r.step).Get(ctx, &answers); err != nil {
		return err
	}
	r.report.Answers, r.report.Stage = &answers, memory.ReembedBuilt
	if r.in.NoFlip {
		return nil
	}
	return r.flip(ctx)
}

// patient gives steps the options of long, and makes a cancelled run wait for their end: a step that
// still writes would fill collections that the cancelled run has deleted already.
func patient(ctx workflow.Context) workflow.Context {
	options := workflow.GetActivityOptions(long(ctx))
	options.WaitForCancellation = true
	return workflow.WithActivityOptions(ctx, options)
}

// fill embeds and writes what the new generation lacks.
func (r *reembed) fill(ctx workflow.Context) error {
	var done activities.Filled
	if err := workflow.ExecuteActivity(patient(ctx), acts.FillGeneration, r.step).Get(ctx, &done); err != nil {
		return err
	}
	r.report.Memories += done.Memories
	r.report.Messages += done.Messages
	return nil
}

// flip brings the new generation into force, once it also has what was stored since it was filled.
func (r *reembed) flip(ctx workflow.Context) error {
	for {
		r.tries++
		r.step.Step = fmt.Sprintf("flip/%d", r.tries)
		flipped := false
		if err := workflow.ExecuteActivity(patient(ctx), acts.FlipGeneration, r.step).Get(ctx, &flipped); err != nil {
			return err
		}
		if flipped {
			r.report.Stage = memory.ReembedFlipped
			return nil
		}
		if err := r.fill(ctx); err != nil {
			return err
		}
	}
}

// drop deletes the generation that does not answer.
func (r *reembed) drop(ctx workflow.Context) error {
	var g memory.Generations
	in := activities.GenerationInput{User: r.in.User}
	if err := workflow.ExecuteActivity(durable(ctx), acts.DropGeneration, in).Get(ctx, &g); err != nil {
		return err
	}
	r.report.Stage, r.report.From = memory.ReembedDropped, g.Active.Model
	if r.report.Model == "" {
		r.report.Model = g.Active.Model
	}
	return nil
}
