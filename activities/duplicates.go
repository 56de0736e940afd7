package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// groups looks for groups of memories that say the same: same project,
// collection and type, every pair above the bar and the same fact. Beat is
// called after each page.
func (a *Activities) groups(ctx context.Context, collection, project string, beat func(scanned int)) (memory.Groups, error) {
	d := newDuplicateSearch()
	for after := ""; ; {
		page := memory.Page{Collection: collection, Project: project, After: after, Limit: rebuildPage}
		records, err := a.Ledger.Records(ctx, page)
		if err != nil {
			return memory.Groups{}, err
		}
		if len(records) == 0 {
			return memory.Groups{Scanned: d.scanned, IDs: d.groups()}, nil
		}
		if err := a.comparePage(ctx, d, records); err != nil {
			return memory.Groups{}, err
		}
		after = records[len(records)-1].ID
		beat(d.scanned)
	}
}

// across looks for groups of memories of several collections that say the
// same. Of two collections the smaller one asks the greater.
func (a *Activities) across(ctx context.Context, collections []string, project string, beat func(scanned int)) (memory.Groups, error) {
	stats, err := a.Ledger.Stats(ctx)
	if err != nil {
		return memory.Groups{}, err
	}
	there := slices.DeleteFunc(slices.Clone(collections), func(c string) bool { return stats.Live[c] == 0 || c == memory.Working })
	slices.SortStableFunc(there, func(a, b string) int { return stats.Live[a] - stats.Live[b] })
	d := newDuplicateSearch()
	for i, c := range there[:max(0, len(there)-1)] {
		for after := ""; ; {
			records, err := a.Ledger.Records(ctx, memory.Page{Collection: c, Project: project, After: after, Limit: rebuildPage})
			if err != nil {
				return memory.Groups{}, err
			}
			if len(records) == 0 {
				break
			}
			after = records[len(records)-1].ID
			for _, other := range there[i+1:] {
				if err := a.comparePage(ctx, d, elsewhere(records, other)); err != nil {
					return memory.Groups{}, err
				}
				beat(d.scanned)
			}
		}
	}
	return memory.Groups{IDs: d.groups()}, nil
}

// elsewhere returns records as if they were of any type in another collection.
func elsewhere(records []memory.Record, collection string) []memory.Record {
	out := slices.Clone(records)
	for i := range out {
		out[i].Collection, out[i].Type = collection, ""
	}
	return out
}

// comparePage adds the pairs of a page to the search.
func (a *Activities) comparePage(ctx context.Context, d *duplicateSearch, records []memory.Record) error {
	bar := memory.CalibrationFor(records[0].Model).Cosine(memory.DuplicateAbove)
	like := slices.DeleteFunc(slices.Clone(records), func(r memory.Record) bool { return r.Vector.IsZero() })
	d.scanned += len(records)
	near, err := a.index(ctx).NearEach(ctx, like, bar, nearDepth)
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

// groups returns the ids of each group.
func (d *duplicateSearch) groups() [][]string {
	out := [][]string{}
	for _, group := range memory.CompleteGroups(len(d.ids), d.pairs) {
		ids := make([]string, len(group))
		for i, n := range group {
			ids[i] = d.ids[n]
		}
		out = append(out, ids)
	}
	return out
}
