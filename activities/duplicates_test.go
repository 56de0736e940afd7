package activities

import (
	"context"
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// pages is a ledger that gives its records two at a time, and the others by id.
type pages struct {
	Ledger
	records []memory.Record
	others  []memory.Details
}

func (p *pages) Records(_ context.Context, page memory.Page) ([]memory.Record, error) {
	var out []memory.Record
	for _, r := range p.records {
		if r.ID > page.After && len(out) < 2 {
			out = append(out, r)
		}
	}
	return out, nil
}

func (p *pages) Get(_ context.Context, ids []string) ([]memory.Details, error) {
	return slices.DeleteFunc(slices.Clone(p.others), func(d memory.Details) bool { return !slices.Contains(ids, d.ID) }), nil
}

// neighbours is an index with fixed neighbours for each id.
type neighbours struct {
	Index
	near map[string][]memory.Match
}

func (n neighbours) NearEach(_ context.Context, like []memory.Record, _ float64, _ int) ([][]memory.Match, error) {
	out := make([][]memory.Match, len(like))
	for i, r := range like {
		out[i] = n.near[r.ID]
	}
	return out, nil
}

// Groups are made across pages, of what says the same and is live, and not of
// what is only near: whoever has no vector is in none.
func TestGroups(t *testing.T) {
	t.Parallel()
	record := func(id, text string) memory.Record {
		return memory.Record{Memory: memory.Memory{ID: id, Text: text, State: memory.Live, Model: "m"}, Vector: memory.Vector{1, 0}}
	}
	const backups, backupsToo, invoices = "Backups run at four.", "backups run at four", "Invoices are numbered by the year."
	bare := record("c", backups)
	bare.Vector = nil
	ledger := &pages{
		records: []memory.Record{record("a", backups), record("b", invoices), bare, record("d", backupsToo)},
		others: []memory.Details{
			{Memory: memory.Memory{ID: "d", Text: backupsToo, State: memory.Live}},
			{Memory: memory.Memory{ID: "x", Text: backups, State: memory.Forgotten}},
		},
	}
	match := func(ids ...string) []memory.Match {
		var out []memory.Match
		for _, id := range ids {
			out = append(out, memory.Match{ID: id, Cosine: 0.99})
		}
		return out
	}
	a := &Activities{Ledger: ledger, Index: neighbours{near: map[string][]memory.Match{
		"a": match("a", "b", "d", "x"), "b": match("b", "a"), "d": match("d", "a"),
	}}}
	var beats []int
	found, err := a.groups(t.Context(), memory.Memories, "p", func(n int) { beats = append(beats, n) })
	if err != nil {
		t.Fatal(err)
	}
	if len(found.IDs) != 1 || !slices.Equal(found.IDs[0], []string{"a", "d"}) || found.Scanned != 4 {
		t.Errorf("found %+v, want a and d of four", found)
	}
	if !slices.Equal(beats, []int{2, 4}) {
		t.Errorf("heartbeats after %v, want one a page", beats)
	}
}
