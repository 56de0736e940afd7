package workflows

import (
	"context"

	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// RedactEverything redacts everything that is stored with the rules of today: first the memories, page
// by page, then what a purge sweeps too. Its own history holds ids, counts, and in a dry run redacted texts.
func RedactEverything(ctx workflow.Context, in memory.RedactInput) (memory.RedactReport, error) {
	now := memory.RedactReport{
		WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID, DryRun: in.DryRun,
		Kinds: map[string]int{}, Purge: &memory.PurgeReport{},
	}
	if err := workflow.SetQueryHandler(ctx, queryProgress, func() (memory.RedactReport, error) { return now, nil }); err != nil {
		return now, err
	}
	if in.DryRun {
		now.Stage = "looking for what today's rules would take out"
		err := workflow.ExecuteActivity(long(ctx), acts.SurveySecrets, in).Get(ctx, &now)
		now.WorkflowID, now.Stage = workflow.GetInfo(ctx).WorkflowExecution.ID, ""
		return now, err
	}
	now.Stage = "redacting memories"
	if err := workflow.ExecuteActivity(durable(ctx), acts.BeginRedaction, in).Get(ctx, &now.Purge.Receipt); err != nil {
		return now, err
	}
	if err := redactPages(ctx, in, &now); err != nil {
		return now, err
	}
	report, err := sweepTexts(ctx, now.Purge.Receipt, func(stage string) { now.Stage = stage })
	if err != nil {
		return now, err
	}
	now.Purge, now.Stage = &report, ""
	return now, nil
}

func redactPages(ctx workflow.Context, in memory.RedactInput, now *memory.RedactReport) error {
	for page, after := 0, ""; ; page++ {
		step := activities.RedactPageInput{Redact: in, Receipt: now.Purge.Receipt, Page: page, After: after}
		var done activities.RedactedPage
		if err := workflow.ExecuteActivity(long(ctx), acts.RedactMemories, step).Get(ctx, &done); err != nil {
			return err
		}
		now.Memories, now.Merged = now.Memories+done.Count, now.Merged+done.Merged
		for _, kind := range workflow.DeterministicKeys(done.Kinds) {
			now.Kinds[kind] += done.Kinds[kind]
		}
		if len(done.IDs) > 0 {
			if err := workflow.ExecuteActivity(durable(ctx), acts.SyncIndex, activities.SyncInput{IDs: done.IDs}).Get(ctx, nil); err != nil {
				return err
			}
		}
		if after = done.Next; after == "" {
			return nil
		}
	}
}

// RedactEverything redacts everything that is stored with the rules of today, or with DryRun says what that
// would change. progress, which may be nil, is called with the report so far. Ending ctx stops the waiting,
// not the redaction.
func (c *Client) RedactEverything(ctx context.Context, in memory.RedactInput, progress func(memory.RedactReport)) (memory.RedactReport, error) {
	in.Project = memory.RedactName(c.redactor, in.Project)
	if err := in.Check(); err != nil {
		return memory.RedactReport{}, err
	}
	run, err := c.temporal.ExecuteWorkflow(ctx, c.start(unique("redact"), in.Project, memory.ActionRedact, ""), RedactEverything, in)
	if err != nil {
		return memory.RedactReport{}, fromTemporal(err)
	}
	if progress != nil {
		progress(memory.RedactReport{WorkflowID: run.GetID(), Purge: &memory.PurgeReport{}})
	}
	return follow(ctx, run, queried[memory.RedactReport](c), progress)
}
