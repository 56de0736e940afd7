package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// queryProgress is the Query that long workflows answer with what is done.
const queryProgress = "progress"

// RebuildIndex brings the index in step with the ledger and proves that the two are equal:
// it embeds everything again if the model changed, makes collections that are missing, and
// goes through each, writing and deleting what differs. What is right stays where it is, and
// answers. With in.Check it only goes through what seems to have lost something.
func RebuildIndex(ctx workflow.Context, in memory.RebuildInput) (memory.RebuildReport, error) {
	r := &rebuild{in: in, report: memory.RebuildReport{
		WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID, Collections: []memory.RebuildCollection{},
	}}
	err := workflow.SetQueryHandler(ctx, queryProgress, func() (memory.RebuildReport, error) { return r.report, nil })
	if err != nil {
		return r.report, err
	}
	if in.Check {
		err = r.check(ctx)
	} else {
		err = r.all(ctx)
	}
	r.report.Done = err == nil
	return r.report, err
}

// rebuild is the state of one RebuildIndex.
type rebuild struct {
	in     memory.RebuildInput
	report memory.RebuildReport
}

// checkTries is how often a check goes through what seems to have lost something: an index
// may lose it again meanwhile.
const checkTries = 3

// check compares by count and sample, and goes through the collections that are not equal,
// until all are.
func (r *rebuild) check(ctx workflow.Context) error {
	for range checkTries {
		var state memory.IndexState
		if err := workflow.ExecuteActivity(durable(ctx), acts.InspectIndex).Get(ctx, &state); err != nil {
			return err
		}
		unequal := state.Unequal()
		if r.report.Equal = len(unequal) == 0; r.report.Equal {
			return nil
		}
		if err := r.walk(ctx, unequal, 0); err != nil {
			return err
		}
	}
	return nil
}

// all embeds what must be embedded, and goes through the collections.
func (r *rebuild) all(ctx workflow.Context) error {
	var model activities.ModelState
	if err := workflow.ExecuteActivity(durable(ctx), acts.InspectModel).Get(ctx, &model); err != nil {
		return err
	}
	r.report.Model = model.Model
	collections := r.in.Collections
	if model.Changed || len(collections) == 0 { // vectors of two models must not meet in one index
		collections = memory.Collections()
	}
	if workflow.GetVersion(ctx, "walk", workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return r.recreate(ctx, collections, model)
	}
	if !model.Changed {
		return r.walk(ctx, collections, model.Dimension)
	}
	if model.Beside {
		return r.beside(ctx, model)
	}
	again := activities.ReembedInput{State: model, User: r.in.User, KeepModel: true}
	if err := workflow.ExecuteActivity(long(ctx), acts.Reembed, again).Get(ctx, &r.report.Reembedded); err != nil {
		return err
	}
	if err := r.walk(ctx, collections, model.Dimension); err != nil {
		return err
	}
	return workflow.ExecuteActivity(durable(ctx), acts.AdoptModel, again).Get(ctx, nil)
}

// beside takes a changed model up: the index of the old one answers until that of the new one is
// complete, and is deleted then.
func (r *rebuild) beside(ctx workflow.Context, model activities.ModelState) error {
	change := &reembed{in: memory.ReembedInput{Model: model.Model, User: r.in.User}}
	err := change.change(ctx)
	r.report.Reembedded, r.report.Collections, r.report.Equal = change.report.Memories, change.report.Collections, change.report.Equal()
	if err != nil {
		return err
	}
	return change.drop(ctx)
}

// walk makes collections that are missing or, with a dimension, of another shape, writes what
// is marked in the ledger as not in the index, and then goes through each collection.
func (r *rebuild) walk(ctx workflow.Context, collections []string, dimension int) error {
	fit := activities.FitInput{Collections: collections, Dimension: dimension}
	if err := workflow.ExecuteActivity(durable(ctx), acts.FitCollections, fit).Get(ctx, nil); err != nil {
		return err
	}
	if err := workflow.ExecuteActivity(long(ctx), acts.FillIndex).Get(ctx, nil); err != nil {
		return err
	}
	r.report.Equal = true
	for _, c := range collections {
		var one memory.RebuildCollection
		in := activities.RebuildCollectionInput{Collection: c, User: r.in.User}
		if err := workflow.ExecuteActivity(long(ctx), acts.WalkCollection, in).Get(ctx, &one); err != nil {
			return err
		}
		r.add(one)
	}
	return nil
}

// recreate is what a rebuild did before there was a walk.
func (r *rebuild) recreate(ctx workflow.Context, collections []string, model activities.ModelState) error {
	if model.Changed {
		if model.Beside {
			return r.beside(ctx, model)
		}
		again := activities.ReembedInput{State: model, User: r.in.User}
		if err := workflow.ExecuteActivity(long(ctx), acts.Reembed, again).Get(ctx, &r.report.Reembedded); err != nil {
			return err
		}
	}
	r.report.Equal = true
	for _, c := range collections {
		var one memory.RebuildCollection
		in := activities.RebuildCollectionInput{Collection: c, Dimension: model.Dimension, User: r.in.User}
		if err := workflow.ExecuteActivity(durable(ctx), acts.RecreateCollection, in).Get(ctx, nil); err != nil {
			return err
		}
		if err := workflow.ExecuteActivity(long(ctx), acts.FillIndex).Get(ctx, nil); err != nil {
			return err
		}
		if err := workflow.ExecuteActivity(long(ctx), acts.CompareCollection, in).Get(ctx, &one); err != nil {
			return err
		}
		r.add(one)
	}
	return nil
}

// add puts a finished collection into the report, in place of its earlier counts.
func (r *rebuild) add(one memory.RebuildCollection) {
	for i, c := range r.report.Collections {
		if c.Collection == one.Collection {
			r.report.Collections = append(r.report.Collections[:i:i], r.report.Collections[i+1:]...)
			break
		}
	}
	r.report.Collections = append(r.report.Collections, one)
	r.report.Equal = r.report.Equal && one.Equal
}
