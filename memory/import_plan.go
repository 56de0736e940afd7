package memory

import (
	"slices"
	"strings"
)

// ImportScope says which memories belong to the source of an import.
type ImportScope struct {
	// Prefixes of the SourceRef of the memories that came from there.
	Prefixes []string `json:"prefixes"`
	// Sync has those of them forgotten that the source no longer has. It is false of an export, which
	// may be of a part.
	Sync bool `json:"sync"`
	// Keep are prefixes of what Sync leaves alone: files that could not be read.
	Keep []string `json:"keep,omitempty"`
}

// ImportFate is what an import makes of an item, or of a memory whose item is gone.
type ImportFate string

// The fates.
const (
	ImportNew     ImportFate = "new"
	ImportChanged ImportFate = "changed" // the memory of its place gets another text
	ImportMoved   ImportFate = "moved"   // the memory of its text gets another place
	ImportSame    ImportFate = "same"
	ImportGone    ImportFate = "gone"
)

// PlannedItem is what becomes of one item of an import.
type PlannedItem struct {
	Fate ImportFate `json:"fate"`
	ID   string     `json:"id,omitempty"`  // of the memory that is there; none is new
	Was  string     `json:"was,omitempty"` // the SourceRef of what moved
	Old  string     `json:"old,omitempty"` // the text of what changed
}

// ImportPlan is what an import would do, an item for each of the import.
type ImportPlan struct {
	Items []PlannedItem `json:"items"`
	Gone  []Memory      `json:"gone"`
}

// Count returns how many items have a fate, or how many memories are gone.
func (p ImportPlan) Count(fate ImportFate) int {
	if fate == ImportGone {
		return len(p.Gone)
	}
	n := 0
	for _, i := range p.Items {
		if i.Fate == fate {
			n++
		}
	}
	return n
}

// PlanImport decides what becomes of cleaned items. There are the live memories of the
// scope's prefixes and of the items' projects, and texts the ids of those of
// the items, without a place of theirs, that are remembered already.
func PlanImport(items []StoreInput, scope ImportScope, there []Memory, texts map[string]bool) ImportPlan {
	type place struct{ project, ref string }
	at, wanted, moved := map[place]Memory{}, map[place]bool{}, map[place]bool{}
	for _, m := range there {
		at[place{m.Project, m.SourceRef}] = m
	}
	for _, in := range items {
		wanted[place{in.Project, in.SourceRef}] = true
	}
	left := map[string][]Memory{} // by id of their text: whose place is not in the source
	for _, m := range there {
		if !wanted[place{m.Project, m.SourceRef}] {
			id := NewID(m.Project, m.Collection, m.Text)
			left[id] = append(left[id], m)
		}
	}
	plan := ImportPlan{Items: make([]PlannedItem, len(items)), Gone: []Memory{}}
	for i, in := range items {
		m, known := at[place{in.Project, in.SourceRef}]
		switch from := left[in.ID()]; {
		case in.SourceRef != "" && known && addsNothing(in, m):
			plan.Items[i] = PlannedItem{Fate: ImportSame, ID: m.ID}
		case in.SourceRef != "" && known:
			plan.Items[i] = PlannedItem{Fate: ImportChanged, ID: m.ID, Old: m.Text}
		case in.SourceRef != "" && scope.Sync && len(from) > 0:
			left[in.ID()] = from[1:]
			moved[place{from[0].Project, from[0].SourceRef}] = true
			plan.Items[i] = PlannedItem{Fate: ImportMoved, ID: from[0].ID, Was: from[0].SourceRef}
		case texts[in.ID()]:
			plan.Items[i] = PlannedItem{Fate: ImportSame, ID: in.ID()}
		default:
			plan.Items[i] = PlannedItem{Fate: ImportNew}
		}
	}
	if !scope.Sync {
		return plan
	}
	for _, m := range there {
		p := place{m.Project, m.SourceRef}
		if !wanted[p] && !moved[p] && !slices.ContainsFunc(scope.Keep, func(k string) bool { return strings.HasPrefix(m.SourceRef, k) }) {
			plan.Gone = append(plan.Gone, m)
		}
	}
	return plan
}

// addsNothing reports whether a memory says all that an item of its place says.
func addsNothing(in StoreInput, m Memory) bool {
	for _, tag := range in.Tags {
		if !slices.Contains(m.Tags, tag) {
			return false
		}
	}
	return in.Collection == m.Collection && ContentHash(in.Text) == m.ContentHash
}
