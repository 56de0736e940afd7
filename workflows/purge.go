package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// A run that has answered ends some time later, and its history can be deleted only then.
const (
	purgeRounds = 8
	purgePause  = 5 * time.Second
)

// lookingForTexts is the last stage of a purge.
const lookingForTexts = "looking for the texts everywhere"

// PurgeMemories forgets what a filter selects and takes the texts from every place that mneme
// writes to. First the receipt learns how to find them; at the end it is looked
// everywhere. Its own history holds ids and counts and no text.
func PurgeMemories(ctx workflow.Context, in memory.ForgetInput) (memory.ForgetReceipt, error) {
	p := &purge{forget: forget{in: in, waiting: quietly}}
	if err := workflow.SetQueryHandler(ctx, queryProgress, func() (memory.ForgetReceipt, error) { return p.receipt, nil }); err != nil {
		return p.receipt, err
	}
	err := p.run(ctx)
	return p.receipt, err
}

// purge is the state of one PurgeMemories.
type purge struct{ forget }

func (p *purge) run(ctx workflow.Context) error {
	p.in.Filter.Forgotten = true
	p.receipt = memory.ForgetReceipt{
		IDs: []string{}, Purged: true, Verified: true, WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID,
		Purge: &memory.PurgeReport{},
	}
	if err := p.memories(ctx); err != nil || p.receipt.Count == 0 {
		p.receipt.Purged = p.receipt.Count > 0
		return err
	}
	report, err := sweepTexts(ctx, p.receipt.Purge.Receipt, func(stage string) { p.receipt.Purge.Stage = stage })
	if err != nil {
		return err
	}
	p.receipt.Purge, p.receipt.Verified = &report, p.receipt.Verified && report.Clean()
	return nil
}

// memories takes the memories from ledger and index, page by page.
func (p *purge) memories(ctx workflow.Context) error {
	for page, after := 0, ""; ; page++ {
		p.receipt.Purge.Stage = "taking memories away"
		var ids []string
		in := activities.SelectInput{Filter: p.in.Filter, After: after, Limit: forgetPage}
		if err := workflow.ExecuteActivity(durable(ctx), acts.SelectMemories, in).Get(ctx, &ids); err != nil || len(ids) == 0 {
			return err
		}
		// Noted before it is taken away: afterwards nobody knows what to look for.
		note := activities.NotePurgeInput{IDs: ids, Page: page, User: p.in.User}
		if err := workflow.ExecuteActivity(durable(ctx), acts.NotePurge, note).Get(ctx, &p.receipt.Purge.Receipt); err != nil {
			return err
		}
		if err := p.page(ctx, page, ids); err != nil || len(ids) < forgetPage {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// versionLedger marks purges that also clean what the ledger keeps beside the memories.
const versionLedger = "a purge cleans the archive"

// sweepTexts takes the texts of a receipt from everything beside the memories, and looks for them.
func sweepTexts(ctx workflow.Context, receipt string, stage func(string)) (memory.PurgeReport, error) {
	var report memory.PurgeReport
	if workflow.GetVersion(ctx, versionLedger, workflow.DefaultVersion, 1) == 1 {
		stage("cleaning the archive of conversations, the pinned questions and the audit")
		if err := workflow.ExecuteActivity(long(ctx), acts.CleanLedger, receipt).Get(ctx, nil); err != nil {
			return report, err
		}
	}
	stage("cleaning the files of the home")
	if err := workflow.ExecuteActivity(batch(ctx), acts.CleanHome, receipt).Get(ctx, nil); err != nil {
		return report, err
	}
	stage("deleting histories of Temporal")
	for round := range purgeRounds {
		var gone activities.HistoriesGone
		if err := workflow.ExecuteActivity(long(ctx), acts.DeleteHistories, receipt).Get(ctx, &gone); err != nil {
			return report, err
		}
		if gone.Deleted == 0 && len(gone.Open) == 0 || round == purgeRounds-1 {
			break
		}
		if len(gone.Open) > 0 {
			if err := workflow.Sleep(ctx, purgePause); err != nil {
				return report, err
			}
		}
	}
	stage("writing the files of PostgreSQL and of the index anew")
	if err := workflow.ExecuteActivity(long(ctx), acts.CompactStores, receipt).Get(ctx, nil); err != nil {
		return report, err
	}
	stage(lookingForTexts)
	err := workflow.ExecuteActivity(long(ctx), acts.SearchTexts, activities.SearchInput{Receipt: receipt, Finish: true}).Get(ctx, &report)
	return report, err
}

// VerifyPurge looks again for the texts of a receipt, and can take them away again first.
func VerifyPurge(ctx workflow.Context, in memory.VerifyInput) (memory.PurgeReport, error) {
	now := memory.PurgeReport{Receipt: in.Receipt}
	if err := workflow.SetQueryHandler(ctx, queryProgress, func() (memory.PurgeReport, error) { return now, nil }); err != nil {
		return now, err
	}
	if in.Again {
		return sweepTexts(ctx, in.Receipt, func(stage string) { now.Stage = stage })
	}
	var report memory.PurgeReport
	now.Stage = lookingForTexts
	err := workflow.ExecuteActivity(long(ctx), acts.SearchTexts, activities.SearchInput{Receipt: in.Receipt}).Get(ctx, &report)
	return report, err
}

// Purge forgets the memories that a filter selects and removes their texts from all places; see
// [Client.Forget]. progress, which may be nil, is called with the receipt of the purge under way. Ending
// ctx stops the waiting, not the purge.
func (c *Client) Purge(ctx context.Context, in memory.ForgetInput, progress func(memory.ForgetReceipt)) (memory.ForgetReceipt, error) {
	filter, err := memory.Admit(c.redactor, in.Filter)
	if err != nil {
		return memory.ForgetReceipt{}, err
	}
	if filter.IDs, err = c.Resolve(ctx, filter.IDs); err != nil {
		return memory.ForgetReceipt{}, err
	}
	in.Filter = filter
	run, err := c.temporal.ExecuteWorkflow(ctx, c.start(unique("forget"), in.Filter.Project, memory.ActionForget, in.Filter.Collection), PurgeMemories, in)
	if err != nil {
		return memory.ForgetReceipt{}, fromTemporal(err)
	}
	if progress != nil {
		progress(memory.ForgetReceipt{WorkflowID: run.GetID(), IDs: []string{}, Purge: &memory.PurgeReport{}})
	}
	return follow(ctx, run, queried[memory.ForgetReceipt](c), progress)
}

// VerifyPurge looks again for the texts of the receipt in a file, which the worker reads. Progress,
// which may be nil, is called with what is being done.
func (c *Client) VerifyPurge(ctx context.Context, in memory.VerifyInput, progress func(memory.PurgeReport)) (memory.PurgeReport, error) {
	run, err := c.temporal.ExecuteWorkflow(ctx, c.start(unique("verify"), "", memory.ActionForget, ""), VerifyPurge, in)
	if err != nil {
		return memory.PurgeReport{}, fromTemporal(err)
	}
	return follow(ctx, run, queried[memory.PurgeReport](c), progress)
}
