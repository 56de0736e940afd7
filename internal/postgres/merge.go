package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// combine is memory.Merge with times as PostgreSQL keeps them.
func combine(survivor, absorbed memory.Record) memory.Record {
	m := memory.Merge(survivor, absorbed)
	m.CreatedAt, m.LastAccessed, m.ArrivedAt = moment(m.CreatedAt), moment(m.LastAccessed), moment(m.ArrivedAt)
	if m.ExpiresAt != nil {
		at := moment(*m.ExpiresAt)
		m.ExpiresAt = &at
	}
	return m
}

// mergeTwins makes room for a survivor's new text: a live memory that holds
// this very text is merged into it. It returns the changes of the twins.
func (l *Ledger) mergeTwins(ctx context.Context, tx pgx.Tx, op memory.Op, after *row, leaving ...string) ([]change, error) {
	twins, err := selectRows(ctx, tx, `project = $1 and collection = $2 and content_hash = $3 and state = 'live'
and id <> $4 and not id = any($5) order by id for update`,
		after.Project, after.Collection, after.ContentHash, after.ID, noNil(leaving))
	if err != nil {
		return nil, err
	}
	var changes []change
	for _, twin := range twins {
		after.Record = combine(after.Record, twin.Record)
		changes = append(changes, change{before: &twin, after: twin.into(after.ID)})
		if err := l.moveLinks(ctx, tx, op, twin.ID, after.ID); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// into is the row once it is merged into another.
func (x row) into(id string) row {
	x = x.gone(memory.Merged)
	x.MergedInto = id
	return x
}

// kept is what the audit keeps of a merge: no text.
type kept struct {
	SurvivorID string   `json:"survivor_id"`
	MergedIDs  []string `json:"merged_ids"`
	Similarity float64  `json:"similarity"`
	Collection string   `json:"collection,omitempty"` // of the survivor
}

// Merge implements activities.Organizer. The survivor is the one that
// memory.Survivor chooses. Left out are memories that are no longer live, of
// another project, collection or type than the survivor, pinned like it, or
// too long to fit into one memory with it.
func (l *Ledger) Merge(ctx context.Context, op memory.Op, ids []string, scope memory.Scope) (memory.MergedGroup, error) {
	const what = "merge memories"
	var text string
	merge := func(tx pgx.Tx, e *entry) (kept, error) {
		if err := lockPlacesOf(ctx, tx, ids); err != nil {
			return kept{}, err
		}
		g, err := l.merge(ctx, tx, op, ids, scope, memory.MergeGroup)
		e.project, e.collection = scope.Project, scope.Collection
		e.affected = append([]string{}, g.MergedIDs...)
		if g.SurvivorID != "" {
			e.affected = append([]string{g.SurvivorID}, e.affected...)
		}
		text = g.Text
		return kept{g.SurvivorID, g.MergedIDs, g.Similarity, ""}, err
	}
	if scope.DryRun {
		var g memory.MergedGroup
		err := l.tx(ctx, what, func(tx pgx.Tx) (err error) {
			g, err = l.merge(ctx, tx, op, ids, scope, memory.MergeGroup)
			return err
		})
		return g, err
	}
	k, err := once(ctx, l, op, what, merge)
	if err == nil && text == "" && k.SurvivorID != "" { // done by an earlier try
		err = l.wrap(what, l.pool.QueryRow(ctx, `select text from memories where id = $1`, k.SurvivorID).Scan(&text))
	}
	return memory.MergedGroup{SurvivorID: k.SurvivorID, MergedIDs: k.MergedIDs, Similarity: k.Similarity, Text: text}, err
}

// merge makes one of the live memories of ids that are in the scope. Their
// places are locked by the caller. Group chooses the survivor and the memories
// merged into it.
func (l *Ledger) merge(
	ctx context.Context, tx pgx.Tx, op memory.Op, ids []string, scope memory.Scope,
	group func([]memory.Record) (int, memory.Record, []int),
) (memory.MergedGroup, error) {
	g := memory.MergedGroup{MergedIDs: []string{}}
	rows, err := selectRows(ctx, tx, `id = any($1) and state = 'live' and ($2 = '' or project = $2) and ($3 = '' or collection = $3)
order by id for update`, noNil(ids), scope.Project, scope.Collection)
	if err != nil || len(rows) == 0 {
		return g, err
	}
	records := make([]memory.Record, len(rows))
	for i, r := range rows {
		records[i] = r.Record
	}
	survivor, merged, gone := group(records)
	if survivor < 0 { // the one that was chosen is no longer there
		return g, nil
	}
	first := rows[survivor]
	after := first
	after.Record = merged
	g.SurvivorID, g.Text, g.Collection = after.ID, after.Text, after.Collection
	if len(gone) == 0 {
		return g, nil
	}
	pair := []memory.Record{first.Record}
	var changes []change
	for _, i := range gone {
		after.confirmations += rows[i].confirmations + 1
		pair, g.MergedIDs = append(pair, records[i]), append(g.MergedIDs, rows[i].ID)
		changes = append(changes, change{before: &rows[i], after: rows[i].into(first.ID)})
	}
	g.Similarity = memory.LeastSimilar(pair)
	if scope.DryRun {
		return g, nil
	}
	return g, l.applyMerge(ctx, tx, op, first, after, changes, g.MergedIDs)
}

func (l *Ledger) applyMerge(ctx context.Context, tx pgx.Tx, op memory.Op, first, after row, changes []change, merged []string) error {
	twins, err := l.mergeTwins(ctx, tx, op, &after, merged...)
	if err != nil {
		return err
	}
	after.dirty = true
	changes = slices.Concat(changes, twins, []change{{before: &first, after: after}})
	if err := l.save(ctx, tx, op, changes...); err != nil {
		return err
	}
	for _, id := range merged {
		if err := l.moveLinks(ctx, tx, op, id, first.ID); err != nil {
			return err
		}
	}
	return nil
}

// lockPlacesOf locks the places in which the memories of ids are.
func lockPlacesOf(ctx context.Context, tx pgx.Tx, ids []string) error {
	rows, err := tx.Query(ctx, `select distinct project, collection from memories where id = any($1)`, noNil(ids))
	if err != nil {
		return fmt.Errorf("find places: %w", err)
	}
	places, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (p place, err error) {
		return p, r.Scan(&p.project, &p.collection)
	})
	if err != nil {
		return fmt.Errorf("find places: %w", err)
	}
	return lockPlaces(ctx, tx, places...)
}
