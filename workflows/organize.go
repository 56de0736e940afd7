package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// The bounds of one organize run.
const (
	tidyPage    = 1000 // memories changed in one step
	reportMost  = 20   // groups and ids that a report names
	mergesInRun = 1500 // merges before the history is continued as new
)

// OrganizeState is where an organize run is, so that it can go on in a new
// run when its history has grown long.
type OrganizeState struct {
	Next   int                   `json:"next"` // number of the collection that is next
	Report memory.OrganizeReport `json:"report"`
}

// OrganizeMemory tidies up collection by collection: expire, promote, merge
// what says the same, let confidence decay, prune, rebuild the graphs. A dry
// run takes the same way and changes nothing.
func OrganizeMemory(ctx workflow.Context, in memory.OrganizeInput, state OrganizeState) (memory.OrganizeReport, error) {
	o := &organize{state: state}
	if state.Report.StartedAt.IsZero() {
		info := workflow.GetInfo(ctx).WorkflowExecution
		o.state.Report = memory.OrganizeReport{
			WorkflowID: info.ID, RunID: info.RunID, DryRun: in.DryRun, StartedAt: workflow.Now(ctx),
		}
	}
	progress := func() (memory.OrganizeReport, error) { return o.state.Report, nil }
	if err := workflow.SetQueryHandler(ctx, queryProgress, progress); err != nil {
		return o.state.Report, err
	}
	in, err := in.Clean()
	if err != nil {
		return o.state.Report, activities.ToTemporal(err)
	}
	o.in = in
	return o.run(ctx)
}

// organize is the state of one OrganizeMemory.
type organize struct {
	in     memory.OrganizeInput
	state  OrganizeState
	merges int
}

func (o *organize) run(ctx workflow.Context) (memory.OrganizeReport, error) {
	for o.state.Next < len(o.in.Collections) {
		if o.merges > mergesInRun || workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return o.state.Report, workflow.NewContinueAsNewError(ctx, OrganizeMemory, o.in, o.state)
		}
		report, err := o.collection(ctx, o.in.Collections[o.state.Next])
		if err != nil {
			return o.state.Report, err
		}
		o.state.Report.Collections = append(o.state.Report.Collections, report)
		o.state.Next++
	}
	o.state.Report.TookSeconds = workflow.Now(ctx).Sub(o.state.Report.StartedAt).Seconds()
	note := activities.NoteInput{
		User: o.in.User, Action: memory.ActionOrganize, Step: "report", Project: o.in.Project,
		Details: map[string]any{"report": o.state.Report},
	}
	if o.in.DryRun {
		return o.state.Report, nil
	}
	return o.state.Report, step(ctx, quietly, acts.Note, note, nil)
}

// collection tidies one collection up.
func (o *organize) collection(ctx workflow.Context, name string) (memory.CollectionReport, error) {
	report := memory.CollectionReport{Collection: name}
	steps := []struct {
		name     string
		activity any
		count    *int
	}{
		{"expire", acts.ExpireMemories, &report.Expired},
		{"promote", acts.PromoteMemories, &report.Promoted},
	}
	for _, s := range steps {
		if _, err := o.tidy(ctx, name, s.name, s.activity, s.count); err != nil {
			return report, err
		}
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
	report.PrunedIDs = pruned[:min(len(pruned), reportMost)]
	if o.in.DryRun {
		return report, nil
	}
	return report, workflow.ExecuteActivity(long(ctx), acts.RebuildGraphs, name).Get(ctx, &report.Rebuilt)
}

// tidy repeats one step until it finds no more to change, counts what it
// changed and brings the index in step. A dry run looks once.
func (o *organize) tidy(ctx workflow.Context, collection, name string, activity any, count *int) ([]string, error) {
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

func (o *organize) scope(collection string) activities.Scope {
	return activities.Scope{
		Collection: collection, Project: o.in.Project, Now: o.state.Report.StartedAt,
		DryRun: o.in.DryRun, Limit: tidyPage,
	}
}

// merge makes one memory of each group that says the same.
func (o *organize) merge(ctx workflow.Context, report *memory.CollectionReport) error {
	var found activities.Duplicates
	in := activities.DuplicatesInput{Collection: report.Collection, Project: o.in.Project}
	if err := workflow.ExecuteActivity(long(ctx), acts.FindDuplicates, in).Get(ctx, &found); err != nil {
		return err
	}
	report.Scanned = found.Scanned
	for n, ids := range found.Groups {
		merge := activities.MergeInput{
			IDs: ids, Scope: o.scope(report.Collection), User: o.in.User,
			Step: fmt.Sprintf("%s/merge/%d", report.Collection, n),
		}
		var group memory.MergedGroup
		if err := step(ctx, quietly, acts.MergeMemories, merge, &group); err != nil {
			return err
		}
		report.Merged += len(group.MergedIDs)
		if len(report.Groups) < reportMost && len(group.MergedIDs) > 0 {
			report.Groups = append(report.Groups, group)
		}
		o.merges++
		if o.in.DryRun {
			continue
		}
		if err := step(ctx, quietly, acts.SyncIndex, activities.SyncInput{IDs: ids}, nil); err != nil {
			return err
		}
	}
	return nil
}
