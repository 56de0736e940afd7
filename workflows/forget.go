package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// forgetPage is how many memories one step forgets.
const forgetPage = 500

// ForgetMemory forgets what a filter selects, in ledger and index, looks
// whether it is gone, and answers with a receipt.
func ForgetMemory(ctx workflow.Context, in memory.ForgetInput) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(memory.ForgetReceipt, error)) (memory.ForgetReceipt, error) {
		f := &forget{in: in, waiting: func(w memory.Wait) { say(memory.ForgetReceipt{}, later(w)) }}
		err := f.run(ctx)
		return f.receipt, err
	})
}

// forget is the state of one ForgetMemory.
type forget struct {
	in      memory.ForgetInput
	receipt memory.ForgetReceipt
	waiting func(memory.Wait)
}

func (f *forget) run(ctx workflow.Context) error {
	filter := f.in.Filter
	filter.Forgotten = f.in.Purge
	f.receipt = memory.ForgetReceipt{
		IDs: []string{}, DryRun: f.in.DryRun, Purged: f.in.Purge && !f.in.DryRun, Verified: !f.in.DryRun,
		WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID,
	}
	for page, after := 0, ""; ; page++ {
		in := activities.SelectInput{Filter: filter, After: after, Limit: forgetPage}
		ids, err := f.selected(ctx, in)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := f.page(ctx, page, ids); err != nil || len(ids) < forgetPage {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// selected returns the ids of one page. They must be in the history before
// the first is forgotten: a worker that goes on for a killed one would find
// them forgotten already, and leave their points in the index.
func (f *forget) selected(ctx workflow.Context, in activities.SelectInput) ([]string, error) {
	var ids []string
	if f.in.DryRun {
		err := f.look(ctx, in, &ids)
		return ids, err
	}
	selecting := workflow.ExecuteActivity(durable(ctx), acts.SelectMemories, in)
	ready, err := workflow.AwaitWithTimeout(ctx, fastTimeout, selecting.IsReady)
	if err != nil {
		return nil, err
	}
	if !ready {
		f.waiting(memory.Wait{Part: memory.SomePart})
	}
	err = selecting.Get(ctx, &ids)
	return ids, err
}

// versionLook marks dry runs that end with the first failure.
const versionLook = "a dry run does not wait"

// look is selected for a dry run, which is a question: whoever asks wants to know
// now, and nothing is left to do later.
func (f *forget) look(ctx workflow.Context, in activities.SelectInput, ids *[]string) error {
	err := activities.FromTemporal(workflow.ExecuteLocalActivity(fast(ctx), acts.SelectMemories, in).Get(ctx, ids))
	if err == nil || temporal.IsCanceledError(err) || !memory.Retryable(err) {
		return activities.ToTemporal(err)
	}
	if workflow.GetVersion(ctx, versionLook, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		f.waiting(memory.WaitFor(err))
		return workflow.ExecuteActivity(durable(ctx), acts.SelectMemories, in).Get(ctx, ids)
	}
	return down(memory.WaitFor(err))
}

// page forgets one page of ids.
func (f *forget) page(ctx workflow.Context, page int, ids []string) error {
	f.receipt.Count += len(ids)
	if room := memory.MaxForgetIDs - len(f.receipt.IDs); room > 0 {
		f.receipt.IDs = append(f.receipt.IDs, ids[:min(room, len(ids))]...)
	}
	if f.in.DryRun {
		return nil
	}
	in := activities.ForgetInput{
		IDs: ids, Purge: f.in.Purge, User: f.in.User, Step: fmt.Sprintf("forget/%d", page),
	}
	var links int
	if err := step(ctx, f.waiting, acts.ForgetMemories, in, &links); err != nil {
		return err
	}
	f.receipt.Links += links
	if err := step(ctx, f.waiting, acts.SyncIndex, activities.SyncInput{IDs: ids}, nil); err != nil {
		return err
	}
	var gone bool
	if err := step(ctx, f.waiting, acts.VerifyForgotten, activities.SyncInput{IDs: ids}, &gone); err != nil {
		return err
	}
	f.receipt.Verified = f.receipt.Verified && gone
	return nil
}
