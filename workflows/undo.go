package workflows

import (
	"crypto/sha256"
	"encoding/hex"

	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// undoPage is how many memories, or links, one step takes back: stores into their places wait meanwhile.
const undoPage = 200

// UndoState is where an undo is, so that it can go on in a new run when its
// history has grown long.
type UndoState struct {
	Report memory.UndoReport  `json:"report"`
	Found  memory.FoundChange `json:"found"`
	// PerRun is how many pages one run does. Zero means as many as Temporal
	// thinks right for one history.
	PerRun int `json:"per_run,omitempty"`
	// Page is how many memories a page has. Zero means 200.
	Page  int    `json:"page,omitempty"`
	Begun bool   `json:"begun,omitempty"` // the change was found
	Links bool   `json:"links,omitempty"` // all memories are back, and the links are next
	After string `json:"after,omitempty"` // the last memory, or link, that was looked at
}

// UndoChange takes back what a change did, page by page: each memory becomes
// again what it was before, which is proven by comparing hashes. What was
// changed since is left alone and named. It is itself a change that can be undone.
func UndoChange(ctx workflow.Context, in memory.UndoInput, state UndoState) (memory.UndoReport, error) {
	u := &undo{in: in, state: state}
	progress := func() (memory.UndoReport, error) { return u.state.Report, nil }
	if err := workflow.SetQueryHandler(ctx, queryProgress, progress); err != nil {
		return u.state.Report, err
	}
	err := u.run(ctx)
	return u.state.Report, err
}

// undo is the state of one UndoChange.
type undo struct {
	in    memory.UndoInput
	state UndoState
	pages int // done by this run
}

func (u *undo) run(ctx workflow.Context) error {
	started := workflow.Now(ctx)
	before := u.state.Report.TookSeconds
	defer func() { u.state.Report.TookSeconds = before + workflow.Now(ctx).Sub(started).Seconds() }()
	if err := u.begin(ctx); err != nil {
		return err
	}
	for !u.state.Links {
		if u.full(ctx) {
			return u.goOn(ctx, before+workflow.Now(ctx).Sub(started).Seconds())
		}
		if err := u.memories(ctx); err != nil {
			return err
		}
	}
	for more := true; more; {
		if u.full(ctx) {
			return u.goOn(ctx, before+workflow.Now(ctx).Sub(started).Seconds())
		}
		var err error
		if more, err = u.links(ctx); err != nil {
			return err
		}
	}
	return nil
}

// begin finds the change. It must be in the history before anything is taken
// back: the last change of all is another one after that.
func (u *undo) begin(ctx workflow.Context) error {
	if u.state.Begun {
		return nil
	}
	in, err := u.in.Clean()
	if err != nil {
		return activities.ToTemporal(err)
	}
	if err := workflow.ExecuteActivity(durable(ctx), acts.FindChange, in.Of).Get(ctx, &u.state.Found); err != nil {
		return err
	}
	u.state.Begun = true
	u.state.Report = memory.UndoReport{
		WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID, DryRun: in.DryRun, Verified: !in.DryRun,
		Change: u.state.Found.Change, Left: []memory.Left{}, Examples: []memory.Undo{},
	}
	if len(u.state.Found.Only) > 0 {
		u.state.Report.Only = u.state.Found.Only[0]
	}
	return nil
}

func (u *undo) goOn(ctx workflow.Context, took float64) error {
	u.state.Report.TookSeconds = took
	return workflow.NewContinueAsNewError(ctx, UndoChange, u.in, u.state)
}

// full reports whether the history is long enough.
func (u *undo) full(ctx workflow.Context) bool {
	return u.state.PerRun > 0 && u.pages >= u.state.PerRun || workflow.GetInfo(ctx).GetContinueAsNewSuggested()
}

// step is the input of the next page.
func (u *undo) step(what string) activities.UndoPageInput {
	u.pages++
	limit := undoPage
	if u.state.Page > 0 {
		limit = u.state.Page
	}
	return activities.UndoPageInput{
		Scope: memory.UndoScope{Change: u.state.Found.Change, Only: u.state.Found.Only, After: u.state.After, Limit: limit, DryRun: u.in.DryRun},
		User:  u.in.User, Step: what + "/" + u.state.After,
	}
}

// memories takes back one page of memories.
func (u *undo) memories(ctx workflow.Context) error {
	var out activities.UndoPageOutput
	if err := workflow.ExecuteActivity(durable(ctx), acts.UndoPage, u.step("memories")).Get(ctx, &out); err != nil {
		return err
	}
	r, page := &u.state.Report, out.Page
	r.Restored += out.Restored
	r.Same += page.Same
	r.Carried += page.Carried
	r.Embedded += page.Embedded
	r.LeftCount += page.LeftCount
	r.Left = firstOnes(r.Left, out.Left)
	r.Examples = firstOnes(r.Examples, out.Examples)
	r.Differ = firstOnes(r.Differ, page.Differ)
	if !u.in.DryRun {
		r.Verified = r.Verified && out.Verified
		r.Was, r.Is = chainDigest(r.Was, page.Was), chainDigest(r.Is, page.Is)
	}
	u.state.After, u.state.Links = page.Next, page.Next == ""
	return nil
}

// chainDigest adds a page's digest to that of the pages before it.
func chainDigest(before, page string) string {
	if before == "" {
		return page
	}
	sum := sha256.Sum256([]byte(before + page))
	return hex.EncodeToString(sum[:])
}

// links takes back one page of links.
func (u *undo) links(ctx workflow.Context) (more bool, err error) {
	var out memory.UndoneLinks
	if err := workflow.ExecuteActivity(durable(ctx), acts.UndoLinks, u.step("links")).Get(ctx, &out); err != nil {
		return false, err
	}
	u.state.Report.Links += out.Links
	u.state.Report.LinksLeft += out.Left
	u.state.After = out.Next
	return out.Next != "", nil
}

// RestoreMemory brings back one memory that was forgotten, pruned, merged away
// or that expired.
func RestoreMemory(ctx workflow.Context, in activities.RestoreInput) error {
	return onceOrLater(ctx, func(ctx workflow.Context, say func(memory.Memory, error)) (memory.Memory, error) {
		waiting := func(w memory.Wait) { say(memory.Memory{}, later(w)) }
		var out memory.Memory
		err := step(ctx, waiting, acts.RestoreMemory, in, &out)
		return out, err
	})
}
