package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// excerptBytes is how much of a text a report shows: a run's report has to fit
// into one payload of Temporal.
const excerptBytes = 2000

// FindGroupsInput asks for the groups of one collection, or with Scope.Across
// for those of several.
type FindGroupsInput struct {
	Scope memory.Scope `json:"scope"`
	User  string       `json:"user,omitempty"`
	Step  string       `json:"step"`
}

// FindGroups looks for groups of memories that say the same and keeps them in
// the ledger, under its step, for [Activities.MergeGroups]. A run chooses the
// groups once: a second search would find the merged ones too.
func (a *Activities) FindGroups(ctx context.Context, in FindGroupsInput) (memory.FoundGroups, error) {
	beat := func(n int) { activity.RecordHeartbeat(ctx, n) }
	var found memory.Groups
	var err error
	if in.Scope.Across {
		found, err = a.across(ctx, in.Scope.Collections, in.Scope.Project, beat)
	} else {
		found, err = a.groups(ctx, in.Scope.Collection, in.Scope.Project, beat)
	}
	if err != nil {
		return memory.FoundGroups{}, err
	}
	return a.Ledger.KeepGroups(ctx, chained(ctx, in.User, memory.ActionTidy, in.Step), in.Scope, found)
}

// MergeGroupsInput names some of the groups that a step of the same workflow found.
type MergeGroupsInput struct {
	Scope memory.Scope `json:"scope"` // Limit is of groups
	User  string       `json:"user,omitempty"`
	Step  string       `json:"step"`
	Found string       `json:"found"` // the step of FindGroups
	From  int          `json:"from"`  // the first group, from 0
}

// MergedGroups is what a page of groups became.
type MergedGroups struct {
	Merged int                  `json:"merged"` // memories that went into another
	Groups []memory.MergedGroup `json:"groups"` // the first of them
	// By is Merged by the collections of the survivors.
	By map[string]int `json:"by,omitempty"`
}

// MergeGroups makes one memory of each group and brings the index in step.
func (a *Activities) MergeGroups(ctx context.Context, in MergeGroupsInput) (MergedGroups, error) {
	groups, err := a.Ledger.MergeGroups(ctx, chained(ctx, in.User, memory.ActionTidy, in.Step), in.Found, in.Scope, in.From)
	if err != nil {
		return MergedGroups{}, err
	}
	out := MergedGroups{By: map[string]int{}}
	var ids []string
	for _, g := range groups {
		out.Merged += len(g.MergedIDs)
		out.By[g.Collection] += len(g.MergedIDs)
		ids = append(append(ids, g.SurvivorID), g.MergedIDs...)
		if len(out.Groups) < memory.ReportMost {
			out.Groups = append(out.Groups, shortened(g))
		}
	}
	return out, a.SyncIndex(ctx, SyncInput{IDs: ids})
}

func shortened(g memory.MergedGroup) memory.MergedGroup {
	g.Text = excerpt(g.Text)
	return g
}

func excerpt(text string) string { return memory.Clip(text, excerptBytes) }

// TidyPageInput is one page of a step over a scope.
type TidyPageInput struct {
	Action string       `json:"action"` // memory.ActionExpire, ActionPromote, ActionDecay, ActionPrune or ActionAnnounce
	Scope  memory.Scope `json:"scope"`
	User   string       `json:"user,omitempty"`
	Step   string       `json:"step"`
}

// TidiedPage is what a page of a step changed, by collection.
type TidiedPage struct {
	Counts map[string]int                   `json:"counts"`
	IDs    map[string][]string              `json:"ids,omitempty"`    // the first, of a prune
	Nearly map[string][]memory.NearlyPruned `json:"nearly,omitempty"` // the first, of an announcement
	Kept   []string                         `json:"kept,omitempty"`   // left alone, because they answer pinned questions
	Next   string                           `json:"next,omitempty"`   // the After of the next page
}

// TidyPage does one page of a step and brings the index in step.
func (a *Activities) TidyPage(ctx context.Context, in TidyPageInput) (TidiedPage, error) {
	does, ok := map[string]func(context.Context, memory.Op, memory.Scope) (memory.Tidied, error){
		memory.ActionExpire: a.Ledger.Expire, memory.ActionPromote: a.Ledger.Promote, memory.ActionDecay: a.Ledger.Decay,
		memory.ActionPrune: a.Ledger.Prune, memory.ActionAnnounce: a.Ledger.Announce,
	}[in.Action]
	if !ok {
		return TidiedPage{}, memory.Errorf(memory.Internal, "", "organize has no step %q", in.Action)
	}
	t, err := does(ctx, chained(ctx, in.User, in.Action, in.Step), in.Scope)
	if err != nil {
		return TidiedPage{}, err
	}
	out := TidiedPage{Counts: map[string]int{}, Next: t.Next}
	if in.Action == memory.ActionExpire || in.Action == memory.ActionPrune {
		out.Kept = t.Kept[:min(len(t.Kept), memory.ReportMost)]
	}
	for collection, ids := range t.IDs {
		out.Counts[collection] = len(ids)
	}
	switch in.Action {
	case memory.ActionAnnounce: // which the index has no use for
		out.Nearly, err = a.nearly(ctx, t.IDs)
		return out, err
	case memory.ActionPrune:
		out.IDs = firstOf(t.IDs)
	}
	return out, a.SyncIndex(ctx, SyncInput{IDs: t.All()})
}

// firstOf returns as many ids of each collection as a report names.
func firstOf(ids map[string][]string) map[string][]string {
	out := make(map[string][]string, len(ids))
	for collection, all := range ids {
		out[collection] = all[:min(len(all), memory.ReportMost)]
	}
	return out
}

// nearly names the first memories of each collection.
func (a *Activities) nearly(ctx context.Context, ids map[string][]string) (map[string][]memory.NearlyPruned, error) {
	out := map[string][]memory.NearlyPruned{}
	for collection, first := range firstOf(ids) {
		if len(first) == 0 {
			continue
		}
		found, err := a.Ledger.Get(ctx, first)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			out[collection] = append(out[collection], memory.NearlyPruned{ID: m.ID, Project: m.Project, Text: excerpt(m.Text)})
		}
	}
	return out, nil
}

// HoldInput asks which projects are to be left out when pruning.
type HoldInput struct {
	Scope memory.Scope `json:"scope"`
	User  string       `json:"user,omitempty"`
	Step  string       `json:"step"`
	Yes   bool         `json:"yes,omitempty"`
}

// HoldPrunes returns, and notes, the projects of which too much would be
// pruned. They wait for a run with Yes.
func (a *Activities) HoldPrunes(ctx context.Context, in HoldInput) ([]memory.HeldPrune, error) {
	return a.Ledger.Hold(ctx, op(ctx, in.User, memory.ActionTidy, in.Step), in.Scope, in.Yes)
}

// RebuildGraphs makes a real Qdrant build a collection's HNSW graph anew.
func (a *Activities) RebuildGraphs(ctx context.Context, collection string) (bool, error) {
	return a.index(ctx).RebuildGraphs(ctx, collection)
}

// NoteInput is an audit row that changes no memory.
type NoteInput struct {
	User       string         `json:"user,omitempty"`
	Action     string         `json:"action"`
	Step       string         `json:"step"`
	Project    string         `json:"project,omitempty"`
	Collection string         `json:"collection,omitempty"`
	Details    map[string]any `json:"details"`
}

// Note writes an audit row that changes no memory.
func (a *Activities) Note(ctx context.Context, in NoteInput) error {
	return a.Ledger.Note(ctx, op(ctx, in.User, in.Action, in.Step), in.Project, in.Collection, in.Details)
}
