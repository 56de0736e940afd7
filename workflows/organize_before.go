package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// mergesInRun is how many merges a run of before did until its history was continued as new.
const mergesInRun = 1500

// organizeBefore is the state of one OrganizeMemory that began before there were
// stages. It goes from collection to collection and looks for duplicates anew
// after each run. Its histories are organize-tidies, organize-dry and
// organize-continued.
type organizeBefore struct {
	in     memory.OrganizeInput
	state  *OrganizeState
	merges int
}

func (o *organizeBefore) run(ctx workflow.Context) (memory.OrganizeReport, error) {
	for o.state.Next < len(o.in.Collections) {
		if o.full(ctx) {
			return o.state.Report, o.continued(ctx)
		}
		report, err := o.collection(ctx, o.in.Collections[o.state.Next])
		if err != nil {
			return o.state.Report, err
		}
		o.state.Report.Collections = append(o.state.Report.Collections, report)
		o.state.Next, o.state.Within, o.state.Skip = o.state.Next+1, nil, 0
	}
	o.state.Report.TookSeconds = workflow.Now(ctx).Sub(o.state.Report.StartedAt).Seconds()
	note := activities.NoteInput{
		User: o.in.User, Action: memory.ActionOrganize, Step: "report", Project: o.in.Project,
		Details: map[string]any{"report": o.state.Report.WithoutTexts()},
	}
	if o.in.DryRun {
		return o.state.Report, nil
	}
	return o.state.Report, step(ctx, quietly, acts.Note, note, nil)
}

// full reports whether the history is long enough.
func (o *organizeBefore) full(ctx workflow.Context) bool {
	most := o.state.PerRun
	if most == 0 {
		most = mergesInRun
	}
	return o.merges >= most || workflow.GetInfo(ctx).GetContinueAsNewSuggested()
}

func (o *organizeBefore) continued(ctx workflow.Context) error {
	return workflow.NewContinueAsNewError(ctx, OrganizeMemory, o.in, *o.state)
}

// collection tidies one collection up, or goes on with it.
func (o *organizeBefore) collection(ctx workflow.Context, name string) (memory.CollectionReport, error) {
	report := memory.CollectionReport{Collection: name}
	if o.state.Within != nil {
		report = *o.state.Within
	} else if err := o.begin(ctx, &report); err != nil {
		return report, err
	}
	if err := o.merge(ctx, &report); err != nil {
		return report, err
	}
	if _, err := o.tidy(ctx, name, "decay", acts.DecayMemories, &report.Decayed); err != nil {
		return report, err
	}
	pruned, err := o.tidy(ctx, name, "prune", acts.PruneMemories, &report.Pruned)
	if err != nil {
		return report, err
	}
	report.PrunedIDs = pruned[:min(len(pruned), memory.ReportMost)]
	if o.in.DryRun {
		return report, nil
	}
	return report, workflow.ExecuteActivity(long(ctx), acts.RebuildGraphs, name).Get(ctx, &report.Rebuilt)
}

// begin does what comes before the merges.
func (o *organizeBefore) begin(ctx workflow.Context, report *memory.CollectionReport) error {
	if _, err := o.tidy(ctx, report.Collection, "expire", acts.ExpireMemories, &report.Expired); err != nil {
		return err
	}
	_, err := o.tidy(ctx, report.Collection, "promote", acts.PromoteMemories, &report.Promoted)
	return err
}

// tidy repeats one step until it finds no more to change, counts what it
// changed and brings the index in step. A dry run looks once.
func (o *organizeBefore) tidy(ctx workflow.Context, collection, name string, activity any, count *int) ([]string, error) {
	var all []string
	for page := 0; ; page++ {
		in := activities.TidyInput{
			Scope: o.scope(collection), User: o.in.User, Step: fmt.Sprintf("%s/%s/%d", collection, name, page),
		}
		var ids []string
		if err := workflow.ExecuteActivity(durable(ctx), activity, in).Get(ctx, &ids); err != nil {
			return all, err
		}
		all = append(all, ids...)
		*count = len(all)
		if o.in.DryRun || len(ids) == 0 {
			return all, nil
		}
		if err := workflow.ExecuteActivity(durable(ctx), acts.SyncIndex, activities.SyncInput{IDs: ids}).Get(ctx, nil); err != nil {
			return all, err
		}
		if len(ids) < tidyPage {
			return all, nil
		}
	}
}

func (o *organizeBefore) scope(collection string) memory.Scope {
	return memory.Scope{
		Collection: collection, Project: o.in.Project, Now: o.state.Report.StartedAt,
		DryRun: o.in.DryRun, Limit: tidyPage,
	}
}

// merge makes one memory of each group that says the same. Groups come a page
// at a time; with each page either the ledger has fewer of them or Skip has
// grown, so this ends.
func (o *organizeBefore) merge(ctx workflow.Context, report *memory.CollectionReport) error {
	for {
		var found activities.Duplicates
		in := activities.DuplicatesInput{Collection: report.Collection, Project: o.in.Project, Skip: o.state.Skip}
		if err := workflow.ExecuteActivity(long(ctx), acts.FindDuplicates, in).Get(ctx, &found); err != nil {
			return err
		}
		report.Scanned = max(report.Scanned, found.Scanned)
		for _, ids := range found.Groups {
			if o.full(ctx) {
				o.state.Within = report
				return o.continued(ctx)
			}
			if err := o.mergeGroup(ctx, report, ids); err != nil {
				return err
			}
		}
		if !found.More {
			return nil
		}
	}
}

// mergeGroup makes one memory of a group.
func (o *organizeBefore) mergeGroup(ctx workflow.Context, report *memory.CollectionReport, ids []string) error {
	o.merges++
	merge := activities.MergeInput{
		IDs: ids, Scope: o.scope(report.Collection), User: o.in.User,
		Step: fmt.Sprintf("%s/merge/%d", report.Collection, o.merges),
	}
	var group memory.MergedGroup
	if err := step(ctx, quietly, acts.MergeMemories, merge, &group); err != nil {
		return err
	}
	report.Merged += len(group.MergedIDs)
	if len(report.Groups) < memory.ReportMost && len(group.MergedIDs) > 0 {
		report.Groups = append(report.Groups, group)
	}
	if o.in.DryRun || len(group.MergedIDs) == 0 {
		o.state.Skip++
		return nil
	}
	return step(ctx, quietly, acts.SyncIndex, activities.SyncInput{IDs: ids}, nil)
}
