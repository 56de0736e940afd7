package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// queryProgress is the Query that long workflows answer with what is done.
const queryProgress = "progress"

// RebuildIndex writes the index anew from the ledger, embeds everything again
// if the model changed, and compares the two by count and hash.
func RebuildIndex(ctx workflow.Context, in memory.RebuildInput) (memory.RebuildReport, error) {
	report := memory.RebuildReport{WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID}
	err := workflow.SetQueryHandler(ctx, queryProgress, func() (memory.RebuildReport, error) { return report, nil })
	if err != nil {
		return report, err
	}
	var model activities.ModelState
	if err := workflow.ExecuteActivity(durable(ctx), acts.InspectModel).Get(ctx, &model); err != nil {
		return report, err
	}
	report.Model = model.Model
	collections := in.Collections
	if model.Changed {
		collections = nil // vectors of two models must not meet in one index
		again := activities.ReembedInput{State: model, User: in.User}
		if err := workflow.ExecuteActivity(long(ctx), acts.Reembed, again).Get(ctx, &report.Reembedded); err != nil {
			return report, err
		}
	}
	if len(collections) == 0 {
		collections = memory.Collections()
	}
	report.Equal = true
	for _, c := range collections {
		one, err := rebuildCollection(ctx, activities.RebuildCollectionInput{
			Collection: c, Dimension: model.Dimension, User: in.User,
		})
		if err != nil {
			return report, err
		}
		report.Collections = append(report.Collections, one)
		report.Equal = report.Equal && one.Equal
	}
	report.Done = true
	return report, nil
}

func rebuildCollection(ctx workflow.Context, in activities.RebuildCollectionInput) (memory.RebuildCollection, error) {
	var out memory.RebuildCollection
	if err := workflow.ExecuteActivity(durable(ctx), acts.RecreateCollection, in).Get(ctx, nil); err != nil {
		return out, err
	}
	var written int
	if err := workflow.ExecuteActivity(long(ctx), acts.FillIndex).Get(ctx, &written); err != nil {
		return out, err
	}
	if err := workflow.ExecuteActivity(long(ctx), acts.CompareCollection, in).Get(ctx, &out); err != nil {
		return out, err
	}
	out.Written = written
	return out, nil
}
