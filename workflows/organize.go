package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// The pages of an organize run.
const (
	tidyPage  = 1000 // memories
	mergePage = 50   // groups: stores into their places wait meanwhile
)

// snapshotTries is how often an organize run tries to copy the audit.
const snapshotTries = 2

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
	Groups map[string]int `json:"groups,omitempty"` // how many were found, by collection; "" for those of several
	// Guarded says that merges go by what the questions let pass.
	Guarded bool `json:"guarded,omitempty"`
	// Plan is the head of the plan that is applied.
	Plan *memory.PlanHead `json:"plan,omitempty"`
	// Order is which list of stages the numbers are of: 0 that of before
	// duplicates of several collections were merged.
	Order int `json:"order,omitempty"`

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
// ledger knows, and changes nothing but that it keeps them as a plan. A run
// that applies a plan takes the steps of the plan, and refuses if one of the
// plan's memories has changed since the plan was made.
//
// Cancelled, a run ends between two pages: the steps before are complete in ledger
// and index, noted in the audit, and can be undone.
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
	version := workflow.DefaultVersion
	if !state.begunBefore() {
		version = workflow.GetVersion(ctx, "organize-stages", workflow.DefaultVersion, 2)
	}
	switch {
	case version == workflow.DefaultVersion:
		return (&organizeBefore{in: in, state: &o.state}).run(ctx)
	case in.DryRun:
		err = o.rehearse(ctx)
	default:
		err = o.begin(ctx, version)
	}
	return o.state.Report, err
}

// organize is the state of one OrganizeMemory.
type organize struct {
	in    memory.OrganizeInput
	state OrganizeState
	plan  memory.PlanHead // that is applied, if one is
	pages int             // done by this run
}

// stage does one page of a stage and says whether there are more.
type stage func(ctx workflow.Context) (more bool, err error)

// stages are all stages in their order. Which they are depends on nothing but
// the input and the order of the state: a run that is continued goes by their numbers.
func (o *organize) stages() []stage {
	var all []stage
	across := o.state.Order > 0
	if across {
		all = append(all, o.findAcross)
	}
	for _, c := range o.in.Order() {
		all = append(all, o.find(c), o.tidy(memory.ActionExpire, c))
		if c == memory.ShortTerm {
			all = append(all, o.tidy(memory.ActionPromote, c))
		}
		all = append(all, o.merge(c), o.tidy(memory.ActionDecay, c))
	}
	if across {
		all = append(all, o.merge(""))
	}
	all = append(all, o.hold, o.tidy(memory.ActionPrune, ""), o.tidy(memory.ActionAnnounce, ""))
	for _, c := range o.in.Order() {
		all = append(all, o.rebuild(c))
	}
	if across {
		all = append(all, o.snapshot)
	}
	return append(all, o.note)
}

// begin takes the turn, and does the stages that are left.
func (o *organize) begin(ctx workflow.Context, version workflow.Version) error {
	if !o.state.Staged && version > 1 {
		o.state.Order = 1
	}
	o.state.Staged = true
	if o.state.Order > 0 {
		if err := o.takeTurn(ctx); err != nil {
			return err
		}
	}
	err := o.run(ctx)
	if err != nil && ctx.Err() != nil {
		return o.cancelled(ctx, err)
	}
	return err
}

func (o *organize) run(ctx workflow.Context) error {
	for stages := o.stages(); o.state.Stage < len(stages); {
		if ctx.Err() != nil {
			return ctx.Err()
		}
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

// takeTurn refuses to begin while another run is at work, and reads the plan
// that is to be applied. A run that goes on as new has its turn.
func (o *organize) takeTurn(ctx workflow.Context) error {
	if err := workflow.ExecuteActivity(durable(ctx), acts.TakeTurn).Get(ctx, nil); err != nil {
		return err
	}
	if o.in.Apply == nil {
		return nil
	}
	if o.state.Plan != nil {
		o.plan = *o.state.Plan
		return nil
	}
	if err := workflow.ExecuteActivity(durable(ctx), acts.CheckPlan, *o.in.Apply).Get(ctx, &o.plan); err != nil {
		return err
	}
	o.state.Plan = &o.plan
	o.state.Report.Applied = o.plan.ID
	user := o.in.User
	apply := o.in.Apply
	o.in = o.plan.Input
	o.in.User, o.in.Apply, o.in.DryRun = user, apply, false
	return nil
}

// cancelled notes what was done until a run was cancelled.
func (o *organize) cancelled(ctx workflow.Context, err error) error {
	quiet, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	o.state.Report.Cancelled = true
	if _, failed := o.note(quiet); failed != nil {
		return failed
	}
	return err
}

// whole returns the context of a page that changes something: a cancellation
// waits until it is done in ledger and index.
func whole(ctx workflow.Context) workflow.Context {
	quiet, _ := workflow.NewDisconnectedContext(ctx)
	return durable(quiet)
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
	if o.in.Apply != nil {
		s.Plan, s.Now = o.plan.ID, o.plan.At
	}
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
		found, err := o.foundIn(ctx, o.scope(collection, tidyPage), findStep(collection))
		if err != nil {
			return false, err
		}
		o.state.Report.Part(collection).Scanned = found.Scanned
		o.state.Groups[collection] = found.Groups
		return false, nil
	}
}

// findAcross looks for what says the same in several collections.
func (o *organize) findAcross(ctx workflow.Context) (bool, error) {
	o.pages++
	scope := o.scope("", tidyPage)
	scope.Across = true
	found, err := o.foundIn(ctx, scope, findStep("across"))
	if err != nil {
		return false, err
	}
	o.state.Groups[""] = found.Groups
	return false, nil
}

// foundIn keeps the groups that are found in a scope, or that the plan names.
func (o *organize) foundIn(ctx workflow.Context, scope memory.Scope, step string) (found memory.FoundGroups, err error) {
	if o.state.Groups == nil {
		o.state.Groups = map[string]int{}
	}
	if o.in.Apply != nil {
		in := activities.FindPlannedInput{Scope: scope, User: o.in.User, Step: step}
		return found, workflow.ExecuteActivity(durable(ctx), acts.FindPlanned, in).Get(ctx, &found)
	}
	in := activities.FindGroupsInput{Scope: scope, User: o.in.User, Step: step}
	return found, workflow.ExecuteActivity(long(ctx), acts.FindGroups, in).Get(ctx, &found)
}

// stepAt names a page, once in a run.
func stepAt(collection, action string, at any) string {
	return fmt.Sprintf("%s/%s/%v", collection, action, at)
}

func findStep(collection string) string { return collection + "/find" }

// merge makes one memory of each group that was found in a collection, or with
// "" in several.
func (o *organize) merge(collection string) stage {
	name := collection
	if name == "" {
		name = "across"
	}
	return func(ctx workflow.Context) (bool, error) {
		if o.state.From >= o.state.Groups[collection] {
			return false, nil
		}
		if err := o.guard(ctx, collection, name); err != nil {
			return false, err
		}
		o.pages++
		in := activities.MergeGroupsInput{
			Scope: o.scope(collection, mergePage), User: o.in.User, Step: stepAt(name, "merge", o.state.From),
			Found: findStep(name), From: o.state.From,
		}
		if o.state.Guarded {
			in.Found = guardStep(name)
		}
		in.Scope.Across, in.Scope.Held = collection == "", nil
		var out activities.MergedGroups
		if err := workflow.ExecuteActivity(whole(ctx), acts.MergeGroups, in).Get(ctx, &out); err != nil {
			return false, err
		}
		o.merged(collection, out)
		o.state.From += in.Scope.Limit
		return true, nil
	}
}

func guardStep(name string) string { return name + "/guard" }

// guard leaves out, before the first page of merges, those by which a question
// would lose its answer.
func (o *organize) guard(ctx workflow.Context, collection, name string) error {
	if o.state.From > 0 || workflow.GetVersion(ctx, "organize-questions", workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return nil
	}
	in := activities.GuardInput{Scope: o.scope(collection, mergePage), User: o.in.User, Step: guardStep(name), Found: findStep(name)}
	in.Scope.Across, in.Scope.Held = collection == "", nil
	var may memory.FoundGroups
	if err := workflow.ExecuteActivity(long(ctx), acts.GuardGroups, in).Get(ctx, &may); err != nil {
		return err
	}
	o.state.Guarded, o.state.Groups[collection] = true, may.Groups
	o.state.Report.LeftOut = firstOnes(o.state.Report.LeftOut, may.LeftOut)
	return nil
}

// merged counts what a page of groups became.
func (o *organize) merged(collection string, out activities.MergedGroups) {
	if collection != "" {
		part := o.state.Report.Part(collection)
		part.Merged += out.Merged
		for _, g := range out.Groups {
			part.AddGroup(g)
		}
		return
	}
	for _, c := range o.in.Order() {
		if n := out.By[c]; n > 0 {
			o.state.Report.Part(c).Merged += n
		}
	}
	for _, g := range out.Groups {
		o.state.Report.Part(g.Collection).AddGroup(g)
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
		if err := workflow.ExecuteActivity(whole(ctx), acts.TidyPage, in).Get(ctx, &out); err != nil {
			return false, err
		}
		for i := range o.state.Report.Collections { // those that the run has come to
			part := &o.state.Report.Collections[i]
			c := part.Collection
			*part.Counter(action) += out.Counts[c]
			part.PrunedIDs = firstOnes(part.PrunedIDs, out.IDs[c])
			part.Nearly = firstOnes(part.Nearly, out.Nearly[c])
		}
		if len(out.Kept) > 0 {
			o.state.Report.LeftOut = firstOnes(o.state.Report.LeftOut, []memory.LeftOut{memory.KeptAnswers(action, out.Kept)})
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
	if o.in.Apply != nil {
		o.state.Report.Held = o.plan.Held
		return false, nil
	}
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

// snapshot copies the audit to where it is analysed. A run is whole without: the
// nightly one is next.
func (o *organize) snapshot(ctx workflow.Context) (bool, error) {
	few := workflow.WithRetryPolicy(long(ctx), temporal.RetryPolicy{MaximumAttempts: snapshotTries})
	err := workflow.ExecuteActivity(few, acts.SnapshotOrganized, memory.SnapshotInput{User: o.in.User}).Get(ctx, &o.state.Report.Snapshot)
	if temporal.IsCanceledError(err) {
		return false, err
	}
	return false, nil
}
