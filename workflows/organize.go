package workflows

import (
	"fmt"
	"slices"

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
	// Within is what is done of the next collection, when the run before ended
	// between two of its merges.
	Within *memory.CollectionReport `json:"within,omitempty"`
	// Skip counts its groups that were looked at and will be found again, because
	// nothing in them could be merged or because it is a dry run.
	Skip int `json:"skip,omitempty"`
	// PerRun is how many merges one run does. Zero means 1500.
	PerRun int `json:"per_run,omitempty"`
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
		Details: map[string]any{"report": withoutGroupTexts(o.state.Report)},
	}
	if o.in.DryRun {
		return o.state.Report, nil
	}
	return o.state.Report, step(ctx, quietly, acts.Note, note, nil)
}

// withoutGroupTexts is for the audit, which outlives what is forgotten.
func withoutGroupTexts(r memory.OrganizeReport) memory.OrganizeReport {
	r.Collections = slices.Clone(r.Collections)
	for i, c := range r.Collections {
		groups := slices.Clone(c.Groups)
		for k := range groups {
			groups[k].Text = ""
		}
		r.Collections[i].Groups = groups
	}
	return r
}

// full reports whether the history is long enough.
func (o *organize) full(ctx workflow.Context) bool {
	most := o.state.PerRun
	if most == 0 {
		most = mergesInRun
	}
	return o.merges >= most || workflow.GetInfo(ctx).GetContinueAsNewSuggested()
}

func (o *organize) continued(ctx workflow.Context) error {
	return workflow.NewContinueAsNewError(ctx, OrganizeMemory, o.in, o.state)
}

// collection tidies one collection up, or goes on with it.
func (o *organize) collection(ctx workflow.Context, name string) (memory.CollectionReport, error) {
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
	report.PrunedIDs = pruned[:min(len(pruned), reportMost)]
	if o.in.DryRun {
		return report, nil
	}
	return report, workflow.ExecuteActivity(long(ctx), acts.RebuildGraphs, name).Get(ctx, &report.Rebuilt)
}

// begin does what comes before the merges.
func (o *organize) begin(ctx workflow.Context, report *memory.CollectionReport) error {
	if _, err := o.tidy(ctx, report.Collection, "expire", acts.ExpireMemories, &report.Expired); err != nil {
		return err
	}
	_, err := o.tidy(ctx, report.Collection, "promote", acts.PromoteMemories, &report.Promoted)
	return err
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

// merge makes one memory of each group that says the same. Groups come a page
// at a time; with each page either the ledger has fewer of them or Skip has
// grown, so this ends.
func (o *organize) merge(ctx workflow.Context, report *memory.CollectionReport) error {
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
func (o *organize) mergeGroup(ctx workflow.Context, report *memory.CollectionReport, ids []string) error {
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
	if len(report.Groups) < reportMost && len(group.MergedIDs) > 0 {
		report.Groups = append(report.Groups, group)
	}
	if o.in.DryRun || len(group.MergedIDs) == 0 {
		o.state.Skip++
		return nil
	}
	return step(ctx, quietly, acts.SyncIndex, activities.SyncInput{IDs: ids}, nil)
}
