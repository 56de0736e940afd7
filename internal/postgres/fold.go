package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Fold implements activities.Reviser. Memories that are one already are
// returned as they are, so that a merge whose answer was lost can be asked for again.
func (l *Ledger) Fold(ctx context.Context, op memory.Op, ids []string) (memory.MergedGroup, error) {
	const what = "merge memories"
	if err := memory.CheckMerge(ids); err != nil {
		return memory.MergedGroup{}, fmt.Errorf("%s: %w", what, err)
	}
	var text string
	k, err := once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (kept, error) {
		g, err := l.fold(ctx, tx, op, ids, e)
		text = g.Text
		return kept{g.SurvivorID, g.MergedIDs, g.Similarity, ""}, err
	})
	if err == nil && text == "" { // done by an earlier try
		err = l.wrap(what, l.pool.QueryRow(ctx, `select text from memories where id = $1`, k.SurvivorID).Scan(&text))
	}
	return memory.MergedGroup{SurvivorID: k.SurvivorID, MergedIDs: k.MergedIDs, Similarity: k.Similarity, Text: text}, err
}

func (l *Ledger) fold(ctx context.Context, tx pgx.Tx, op memory.Op, ids []string, e *entry) (memory.MergedGroup, error) {
	rows, err := liveEnds(ctx, tx, ids)
	if err != nil {
		return memory.MergedGroup{}, err
	}
	if err := refuseUnlike(ctx, tx, ids, rows); err != nil {
		return memory.MergedGroup{}, err
	}
	e.project, e.collection = rows[0].Project, rows[0].Collection
	if len(rows) == 1 {
		e.affected = []string{rows[0].ID}
		merged := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == rows[0].ID })
		return memory.MergedGroup{SurvivorID: rows[0].ID, MergedIDs: merged, Similarity: 1, Text: rows[0].Text}, nil
	}
	g, err := l.merge(ctx, tx, op, ids, memory.Scope{}, memory.MergeGroup)
	if err != nil {
		return g, err
	}
	if len(g.MergedIDs) != len(ids)-1 {
		return g, memory.Errorf(memory.Conflict, "merge fewer of them, or shorten their texts",
			"together they would pass %d bytes or %d tags", memory.MaxTextBytes, memory.MaxTags)
	}
	e.affected = append([]string{g.SurvivorID}, g.MergedIDs...)
	return g, nil
}

// refuseUnlike refuses what is not one live memory each, of one project,
// collection and type, and with at most one of them pinned. Rows are the live
// ends of ids.
func refuseUnlike(ctx context.Context, tx pgx.Tx, ids []string, rows []row) error {
	for _, id := range ids {
		end, err := survivor(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case end == nil:
			return notFound(id)
		case end.ID != id && len(rows) > 1:
			return mergedAway(id, end.ID)
		}
	}
	pinned := 0
	for _, r := range rows {
		if what := unlike(rows[0], r); what != "" {
			return memory.Errorf(memory.Conflict, "only memories of one project, collection and type can be merged",
				"memories %s and %s are of different %s", rows[0].ID, r.ID, what)
		}
		if r.Pinned {
			pinned++
		}
	}
	if pinned > 1 {
		return memory.Errorf(memory.Conflict, "unpin all but one of them first", "%d of them are pinned, and what is pinned is never merged away", pinned)
	}
	return nil
}

// unlike names what keeps two memories from being merged.
func unlike(a, b row) string {
	switch {
	case a.Project != b.Project:
		return "projects"
	case a.Collection != b.Collection:
		return "collections"
	case a.Type != b.Type:
		return "types"
	default:
		return ""
	}
}
