package activities

import (
	"context"
	"fmt"
	"slices"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// TidyInput is one organize step of a kind over one collection.
type TidyInput struct {
	Scope Scope  `json:"scope"`
	User  string `json:"user,omitempty"`
	Step  string `json:"step"`
}

// ExpireMemories ends what outlived its time.
func (a *Activities) ExpireMemories(ctx context.Context, in TidyInput) ([]string, error) {
	return a.Ledger.Expire(ctx, op(ctx, in.User, memory.ActionExpire, in.Step), in.Scope)
}

// PromoteMemories moves short-term memories that earned it to their place for good.
func (a *Activities) PromoteMemories(ctx context.Context, in TidyInput) ([]string, error) {
	return a.Ledger.Promote(ctx, op(ctx, in.User, memory.ActionPromote, in.Step), in.Scope)
}

// DecayMemories lets the confidence of what lies unused fade.
func (a *Activities) DecayMemories(ctx context.Context, in TidyInput) ([]string, error) {
	return a.Ledger.Decay(ctx, op(ctx, in.User, memory.ActionDecay, in.Step), in.Scope)
}

// PruneMemories ends what nobody trusts or uses any more.
func (a *Activities) PruneMemories(ctx context.Context, in TidyInput) ([]string, error) {
	return a.Ledger.Prune(ctx, op(ctx, in.User, memory.ActionPrune, in.Step), in.Scope)
}

// MergeInput is a group of memories that are the same fact.
type MergeInput struct {
	IDs   []string `json:"ids"`
	Scope Scope    `json:"scope"`
	User  string   `json:"user,omitempty"`
	Step  string   `json:"step"`
}

// MergeMemories makes one memory of a group.
func (a *Activities) MergeMemories(ctx context.Context, in MergeInput) (memory.MergedGroup, error) {
	return a.Ledger.Merge(ctx, op(ctx, in.User, memory.ActionMerge, in.Step), in.IDs, in.Scope)
}

// RebuildGraphs makes a real Qdrant build a collection's HNSW graph anew.
func (a *Activities) RebuildGraphs(ctx context.Context, collection string) (bool, error) {
	return a.Index.RebuildGraphs(ctx, collection)
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

// DuplicatesInput asks for the groups of one collection.
type DuplicatesInput struct {
	Collection string `json:"collection"`
	Project    string `json:"project,omitempty"`
	Skip       int    `json:"skip,omitempty"` // groups to leave out, from the first
}

// Duplicates are complete groups of a collection, and how many memories were
// looked at. The same ledger gives the same groups in the same order.
type Duplicates struct {
	Scanned int        `json:"scanned"`
	Groups  [][]string `json:"groups"`
	More    bool       `json:"more,omitempty"` // there are others behind these
}

// duplicatesMost bounds the ids of one answer: it is kept in a workflow's
// history, whose payloads Temporal limits to 2 MB.
const duplicatesMost = 20_000

// FindDuplicates looks for groups of memories that say the same: same project,
// collection and type, every pair above the bar and the same fact.
func (a *Activities) FindDuplicates(ctx context.Context, in DuplicatesInput) (Duplicates, error) {
	d := newDuplicateSearch()
	for after := ""; ; {
		page := memory.Page{Collection: in.Collection, Project: in.Project, After: after, Limit: rebuildPage}
		records, err := a.Ledger.Records(ctx, page)
		if err != nil {
			return Duplicates{}, err
		}
		if len(records) == 0 {
			return d.result(in.Skip), nil
		}
		if err := a.comparePage(ctx, d, records); err != nil {
			return Duplicates{}, err
		}
		after = records[len(records)-1].ID
		activity.RecordHeartbeat(ctx, after)
	}
}

// comparePage adds the pairs of a page to the search.
func (a *Activities) comparePage(ctx context.Context, d *duplicateSearch, records []memory.Record) error {
	bar := memory.CalibrationFor(records[0].Model).Cosine(memory.DuplicateAbove)
	like := slices.DeleteFunc(slices.Clone(records), func(r memory.Record) bool { return r.Vector.IsZero() })
	d.scanned += len(records)
	near, err := a.Index.NearEach(ctx, like, bar, nearDepth)
	if err != nil {
		return err
	}
	texts, err := a.textsOf(ctx, like, near)
	if err != nil {
		return err
	}
	for i, matches := range near {
		for _, m := range matches {
			text, live := texts[m.ID]
			if m.ID != like[i].ID && live && memory.SameFact(like[i].Text, text) {
				d.add(like[i].ID, m.ID, m.Cosine)
			}
		}
	}
	return nil
}

// textsOf returns the texts of all matches, by id; what is no longer live is left out.
func (a *Activities) textsOf(ctx context.Context, like []memory.Record, near [][]memory.Match) (map[string]string, error) {
	texts := make(map[string]string, len(like))
	for _, r := range like {
		texts[r.ID] = r.Text
	}
	var others []string
	for _, matches := range near {
		for _, m := range matches {
			if _, known := texts[m.ID]; !known {
				others, texts[m.ID] = append(others, m.ID), ""
			}
		}
	}
	if len(others) == 0 {
		return texts, nil
	}
	found, err := a.Ledger.Get(ctx, others)
	if err != nil {
		return nil, fmt.Errorf("get possible duplicates: %w", err)
	}
	for _, id := range others {
		delete(texts, id)
	}
	for _, m := range found {
		if m.State == memory.Live {
			texts[m.ID] = m.Text
		}
	}
	return texts, nil
}

// duplicateSearch collects pairs of ids.
type duplicateSearch struct {
	scanned int
	ids     []string
	index   map[string]int
	pairs   []memory.Pair
}

func newDuplicateSearch() *duplicateSearch { return &duplicateSearch{index: map[string]int{}} }

func (d *duplicateSearch) number(id string) int {
	n, ok := d.index[id]
	if !ok {
		n = len(d.ids)
		d.index[id], d.ids = n, append(d.ids, id)
	}
	return n
}

func (d *duplicateSearch) add(a, b string, cosine float64) {
	d.pairs = append(d.pairs, memory.Pair{A: d.number(a), B: d.number(b), Similarity: cosine})
}

// result returns the groups after the first skip, as many as fit.
func (d *duplicateSearch) result(skip int) Duplicates {
	out := Duplicates{Scanned: d.scanned, Groups: [][]string{}}
	groups := memory.CompleteGroups(len(d.ids), d.pairs)
	given := 0
	for _, group := range groups[min(skip, len(groups)):] {
		if given+len(group) > duplicatesMost {
			out.More = true
			break
		}
		given += len(group)
		ids := make([]string, len(group))
		for i, n := range group {
			ids[i] = d.ids[n]
		}
		out.Groups = append(out.Groups, ids)
	}
	return out
}
