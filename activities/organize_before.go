package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// The steps in this file are those of organize runs that began before the
// steps of organize.go; see workflows/organize_before.go. They go with it.

// TidyInput is one step of a kind over one collection.
type TidyInput struct {
	Scope memory.Scope `json:"scope"`
	User  string       `json:"user,omitempty"`
	Step  string       `json:"step"`
}

// ExpireMemories ends what outlived its time.
func (a *Activities) ExpireMemories(ctx context.Context, in TidyInput) ([]string, error) {
	t, err := a.Ledger.Expire(ctx, op(ctx, in.User, memory.ActionExpire, in.Step), in.Scope)
	return t.All(), err
}

// PromoteMemories moves short-term memories that earned it to their place for good.
func (a *Activities) PromoteMemories(ctx context.Context, in TidyInput) ([]string, error) {
	t, err := a.Ledger.Promote(ctx, op(ctx, in.User, memory.ActionPromote, in.Step), in.Scope)
	return t.All(), err
}

// DecayMemories lets the confidence of what lies unused fade.
func (a *Activities) DecayMemories(ctx context.Context, in TidyInput) ([]string, error) {
	t, err := a.Ledger.Decay(ctx, op(ctx, in.User, memory.ActionDecay, in.Step), in.Scope)
	return t.All(), err
}

// PruneMemories prunes memories of low confidence that have not been used for long. It prunes no more
// than an organize run of today would.
func (a *Activities) PruneMemories(ctx context.Context, in TidyInput) ([]string, error) {
	if in.Scope.DryRun {
		return []string{}, nil
	}
	held, err := a.Ledger.Hold(ctx, op(ctx, in.User, memory.ActionTidy, in.Step+"/hold"), in.Scope, false)
	if err != nil {
		return nil, err
	}
	for _, h := range held {
		in.Scope.Held = append(in.Scope.Held, h.Project)
	}
	t, err := a.Ledger.Prune(ctx, op(ctx, in.User, memory.ActionPrune, in.Step), in.Scope)
	return t.All(), err
}

// MergeInput is a group of memories that are the same fact.
type MergeInput struct {
	IDs   []string     `json:"ids"`
	Scope memory.Scope `json:"scope"`
	User  string       `json:"user,omitempty"`
	Step  string       `json:"step"`
}

// MergeMemories makes one memory of a group.
func (a *Activities) MergeMemories(ctx context.Context, in MergeInput) (memory.MergedGroup, error) {
	return a.Ledger.Merge(ctx, op(ctx, in.User, memory.ActionMerge, in.Step), in.IDs, in.Scope)
}

// DuplicatesInput asks for the groups of one collection.
type DuplicatesInput struct {
	Collection string `json:"collection"`
	Project    string `json:"project,omitempty"`
	Skip       int    `json:"skip,omitempty"` // groups to leave out, from the first
}

// Duplicates are groups of a collection, and how many memories were looked at.
type Duplicates struct {
	Scanned int        `json:"scanned"`
	Groups  [][]string `json:"groups"`
	More    bool       `json:"more,omitempty"` // there are others behind these
}

// duplicatesMost bounds the ids of one answer: it is kept in a workflow's
// history, whose payloads Temporal limits to 2 MB.
const duplicatesMost = 20_000

// FindDuplicates looks for groups of memories that say the same.
func (a *Activities) FindDuplicates(ctx context.Context, in DuplicatesInput) (Duplicates, error) {
	found, err := a.groups(ctx, in.Collection, in.Project, func(n int) { activity.RecordHeartbeat(ctx, n) })
	if err != nil {
		return Duplicates{}, err
	}
	out := Duplicates{Scanned: found.Scanned, Groups: [][]string{}}
	given := 0
	for _, ids := range found.IDs[min(in.Skip, len(found.IDs)):] {
		if given+len(ids) > duplicatesMost {
			out.More = true
			break
		}
		given += len(ids)
		out.Groups = append(out.Groups, ids)
	}
	return out, nil
}
