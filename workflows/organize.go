package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// The pages of an organize run.
const (
	tidyPage  = 1000 // memories
	mergePage = 50   // groups: stores into their places wait meanwhile
)

// OrganizeState is where an organize run is, so that it can go on in a new
// run when its history has grown long.
type OrganizeState struct {
	Report memory.OrganizeReport `json:"report"`
	// PerRun is how many pages one run does. Zero means as many as Temporal
	// thinks right for one history.
	PerRun int `json:"per_run,omitempty"`
	// Page is how many memories or groups a page has. Zero means 1000 memories
	// and 50 groups.
	Page int `json:"page,omitempty"`

	Staged bool           `json:"staged,omitempty"` // what follows is where it is
	Stage  int            `json:"stage,omitempty"`  // number of the stage that is next
	After  string         `json:"after,omitempty"`  // and in it the last id that was looked at
	From   int            `json:"from,omitempty"`   // and the group that is next
	Groups map[string]int `json:"groups,omitempty"` // how many were found, by collection

	// The place of a run from before there were stages: the number of the next
	// collection, its finished steps, and how many of its groups were already
	// looked at and will be found again.
	Next   int                      `json:"next"`
	Within *memory.CollectionReport `json:"within,omitempty"`
	Skip   int                      `json:"skip,omitempty"`
}

// begunBefore reports whether the state is that of a run without stages.
func (s OrganizeState) begunBefore() bool {
	return !s.Staged && (s.Next > 0 || s.Within != nil || len(s.Report.Collections) > 0)
}

// OrganizeMemory tidies up. In each collection it ends what outlived its time,
// promotes what earned it, merges what says the same, and lets confidence
// decay. Then, over all collections, it prunes the announced memories and
// announces the next ones. A project of which more than a tenth would be pruned
// waits for a run with Yes; nothing else waits for it.
//
// A dry run takes the same steps in the same order on a copy of what the
// ledger knows, and changes nothing.
func OrganizeMemory(ctx workflow.Context, in memory.OrganizeInput, state OrganizeState) (memory.OrganizeReport, error) {
	if state.Report.StartedAt.IsZero() {
		info := workflow.GetInfo(ctx).WorkflowExecution
		state.Report = memory.OrganizeReport{
			WorkflowID: info.ID, RunID: info.RunID, DryRun: in.DryRun, StartedAt: workflow.Now(ctx),
		}
	}
	o := &organize{state: state}
	progress := func() (memory.OrganizeReport, error) { return o.state.Report, nil }
	if err := workflow.SetQueryHandler(ctx, queryProgress, progress); err != nil {
		return o.state.Report, err
	}
	in, err := in.Clean()
	if err != nil {
		return o.state.Report, activities.ToTemporal(err)
	}
	o.in = in
	if state.begunBefore() || workflow.GetVersion(ctx, "organize-stages", workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return (&organizeBefore{in: in, state: &o.state}).run(ctx)
	}
	if in.DryRun {
		err = o.rehearse(ctx)
	} else {
		err = o.run(ctx)
	}
	return o.state.Report, err
}

// organize is the state of one OrganizeMemory.
type organize struct {
	in    memory.OrganizeInput
	state OrganizeState
	pages int // done by this run
}

// stage does one page of a stage and says whether there are more.
type stage func(ctx workflow.Context) (more bool, err error)

// stages are all stages in their order. Which they are depends on nothing but
// the input: a run that is continued goes by their numbers.
func (o *organize) stages() []stage {
	var all []stage
	for _, c := range o.in.Order() {
		all = append(all, o.find(c), o.tidy(memory.ActionExpire, c))
		if c == memory.ShortTerm {
			all = append(all, o.tidy(memory.ActionPromote, c))
		}
		all = append(all, o.merge(c), o.tidy(memory.ActionDecay, c))
	}
	all = append(all, o.hold, o.tidy(memory.ActionPrune, ""), o.tidy(memory.ActionAnnounce, ""))
	for _, c := range o.in.Order() {
		all = append(all, o.rebuild(c))
	}
	return append(all, o.note)
}

func (o *organize) run(ctx workflow.Context) error {
	o.state.Staged = true
	for stages := o.stages(); o.state.Stage < len(stages); {
		if o.full(ctx) {
			return workflow.NewContinueAsNewError(ctx, OrganizeMemory, o.in, o.state)
		}
		more, err := stages[o.state.Stage](ctx)
		if err != nil {
			return err
		}
		if !more {
			o.state.Stage, o.state.After, o.state.From = o.state.Stage+1, "", 0
		}
	}
	return nil
}

// full reports whether the history is long enough.
func (o *organize) full(ctx workflow.Context) bool {
	return o.state.PerRun > 0 && o.pages >= o.state.PerRun || workflow.GetInfo(ctx).GetContinueAsNewSuggested()
}

// rehearse is a dry run.
func (o *organize) rehearse(ctx workflow.Context) error {
	in := activities.RehearseInput{Organize: o.in, Report: o.state.Report}
	err := workflow.ExecuteActivity(long(ctx), acts.RehearseOrganize, in).Get(ctx, &o.state.Report)
	o.took(ctx)
	return err
}

func (o *organize) took(ctx workflow.Context) {
	o.state.Report.TookSeconds = workflow.Now(ctx).Sub(o.state.Report.StartedAt).Seconds()
}

// scope is what a page looks at; collection "" stands for all that are tidied up.
func (o *organize) scope(collection string, page int) memory.Scope {
	if o.state.Page > 0 {
		page = o.state.Page
	}
	s := memory.Scope{Collection: collection, Project: o.in.Project, Now: o.state.Report.StartedAt, Limit: page, After: o.state.After}
	if collection == "" {
		s.Collections = o.in.Order()
		for _, h := range o.state.Report.Held {
			s.Held = append(s.Held, h.Project)
		}
	}
	return s
}

// empty reports whether a collection held nothing when the run came to it.
func (o *organize) empty(collection string) bool {
	return collection != "" && o.state.Report.Part(collection).Scanned == 0
}

// find looks for what says the same before anything is changed.
func (o *organize) find(collection string) stage {
	return func(ctx workflow.Context) (bool, error) {
		o.pages++
		var found memory.FoundGroups
		in := activities.FindGroupsInput{Scope: o.scope(collection, tidyPage), User: o.in.User, Step: findStep(collection)}
		if err := workflow.ExecuteActivity(long(ctx), acts.FindGroups, in).Get(ctx, &found); err != nil {
			return false, err
		}
		o.state.Report.Part(collection).Scanned = found.Scanned
		if o.state.Groups == nil {
			o.state.Groups = map[string]int{}
		}
		o.state.Groups[collection] = found.Groups
		return false, nil
	}
}

// stepAt names a page, once in a run.
func stepAt(collection, action string, at any) string {
	return fmt.Sprintf("%s/%s/%v", collection, action, at)
}

func findStep(collection string) string { return collection + "/find" }

// merge makes one memory of each group that was found.
func (o *organize) merge(collection string) stage {
	return func(ctx workflow.Context) (bool, error) {
		if o.state.From >= o.state.Groups[collection] {
			return false, nil
		}
		o.pages++
		in := activities.MergeGroupsInput{
			Scope: o.scope(collection, mergePage), User: o.in.User, Step: stepAt(collection, "merge", o.state.From),
			Found: findStep(collection), From: o.state.From,
		}
		var out activities.MergedGroups
		if err := workflow.ExecuteActivity(durable(ctx), acts.MergeGroups, in).Get(ctx, &out); err != nil {
			return false, err
		}
		part := o.state.Report.Part(collection)
		part.Merged += out.Merged
		for _, g := range out.Groups {
			part.AddGroup(g)
		}
		o.state.From += in.Scope.Limit
		return true, nil
	}
}

// tidy does a step that goes through the memories page by page.
func (o *organize) tidy(action, collection string) stage {
	return func(ctx workflow.Context) (bool, error) {
		if o.empty(collection) {
			return false, nil
		}
		o.pages++
		in := activities.TidyPageInput{
			Action: action, Scope: o.scope(collection, tidyPage), User: o.in.User, Step: stepAt(collection, action, o.state.After),
		}
		var out activities.TidiedPage
		if err := workflow.ExecuteActivity(durable(ctx), acts.TidyPage, in).Get(ctx, &out); err != nil {
			return false, err
		}
		for i := range o.state.Report.Collections { // those that the run has come to
			part := &o.state.Report.Collections[i]
			c := part.Collection
			*part.Counter(action) += out.Counts[c]
			part.PrunedIDs = firstOnes(part.PrunedIDs, out.IDs[c])
			part.Nearly = firstOnes(part.Nearly, out.Nearly[c])
		}
		o.state.After = out.Next
		return out.Next != "", nil
	}
}

// firstOnes adds to what a report names as long as there is room.
func firstOnes[T any](named, more []T) []T {
	return append(named, more[:min(len(more), memory.ReportMost-len(named))]...)
}

// hold asks of which projects too much would be pruned.
func (o *organize) hold(ctx workflow.Context) (bool, error) {
	o.pages++
	in := activities.HoldInput{Scope: o.scope("", tidyPage), User: o.in.User, Step: "hold", Yes: o.in.Yes}
	return false, workflow.ExecuteActivity(durable(ctx), acts.HoldPrunes, in).Get(ctx, &o.state.Report.Held)
}

func (o *organize) rebuild(collection string) stage {
	return func(ctx workflow.Context) (bool, error) {
		if o.empty(collection) {
			return false, nil
		}
		o.pages++
		return false, workflow.ExecuteActivity(long(ctx), acts.RebuildGraphs, collection).Get(ctx, &o.state.Report.Part(collection).Rebuilt)
	}
}

// note writes the report into the audit.
func (o *organize) note(ctx workflow.Context) (bool, error) {
	o.took(ctx)
	return false, step(ctx, quietly, acts.Note, activities.NoteInput{
		User: o.in.User, Action: memory.ActionOrganize, Step: "report", Project: o.in.Project,
		Details: map[string]any{"report": o.state.Report.WithoutTexts()},
	}, nil)
}
