package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// UndoLinks implements [activities.Undoer]. It is to be called when all
// memories are back: a link needs both of its ends.
func (l *Ledger) UndoLinks(ctx context.Context, op memory.Op, s memory.UndoScope) (memory.UndoneLinks, error) {
	const what = "undo links"
	if s.DryRun {
		var out memory.UndoneLinks
		err := l.tx(ctx, what, func(tx pgx.Tx) (err error) {
			out, _, err = l.undoLinks(ctx, tx, op, s)
			return err
		})
		return out, err
	}
	return once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (memory.UndoneLinks, error) {
		e.details["of"], e.details["chain"] = s.Change.WorkflowID, s.Change.Chain
		if len(s.Only) > 0 {
			e.details["only"] = s.Only[0]
		}
		out, affected, err := l.undoLinks(ctx, tx, op, s)
		e.affected, e.nothing = affected, len(affected) == 0
		return out, err
	})
}

// linkTurn is what a change did to one link.
type linkTurn struct {
	memory.Link
	was, after bool // there before the change, and after it
	there      bool // now
	ends       bool // both of its memories can have links: a forget and a merge take them away
}

func (l *Ledger) undoLinks(ctx context.Context, tx pgx.Tx, op memory.Op, s memory.UndoScope) (out memory.UndoneLinks, affected []string, err error) {
	turns, err := linkTurns(ctx, tx, s)
	if err != nil {
		return out, nil, err
	}
	if len(turns) > 0 && len(turns) == s.Limit {
		out.Next = turns[len(turns)-1].ID
	}
	for _, t := range turns {
		switch {
		case t.was == t.there || t.after != t.there: // as it was, or somebody else changed it since
			continue
		case t.was && !t.ends && !s.DryRun: // a dry run has brought no memory back
			out.Left++
			continue
		}
		out.Links++
		affected = append(affected, t.SourceID, t.TargetID)
		if s.DryRun {
			continue
		}
		if t.was {
			_, err = l.addLink(ctx, tx, op, t.SourceID, t.TargetID, t.Type, t.CreatedAt)
		} else {
			err = l.dropLink(ctx, tx, op, t.Link)
		}
		if err != nil {
			return out, nil, err
		}
	}
	return out, affected, nil
}

// linkTurns reads a page of the links that a change touched, in the order of their ids.
func linkTurns(ctx context.Context, tx pgx.Tx, s memory.UndoScope) ([]linkTurn, error) {
	after, err := keysetStart(s.After)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `select c.link_id, c.source_id, c.target_id, c.link_type, c.created_at, not c.first_added, c.last_added,
exists (select from memory_links k where k.id = c.link_id),
(select count(*) from memories m where m.id in (c.source_id, c.target_id) and m.state not in ('forgotten', 'merged')) = 2
from (
	select link_id, source_id, target_id, link_type, (array_agg(created_at order by seq))[1] as created_at,
	(array_agg(added order by seq))[1] as first_added, (array_agg(added order by seq desc))[1] as last_added
	from link_changes where workflow_id = $1 and chain = $2 and link_id > $3
	and (cardinality($4::uuid[]) = 0 or source_id = any($4) or target_id = any($4))
	group by 1, 2, 3, 4
) c order by c.link_id limit $5`, s.Change.WorkflowID, s.Change.Chain, after, noNil(s.Only), s.Limit)
	if err != nil {
		return nil, fmt.Errorf("read what became of links: %w", err)
	}
	turns, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (t linkTurn, err error) {
		err = r.Scan(&t.ID, &t.SourceID, &t.TargetID, &t.Type, &t.CreatedAt, &t.was, &t.after, &t.there, &t.ends)
		t.CreatedAt = t.CreatedAt.UTC()
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("read what became of links: %w", err)
	}
	return turns, nil
}

func (l *Ledger) dropLink(ctx context.Context, tx pgx.Tx, op memory.Op, k memory.Link) error {
	tag, err := tx.Exec(ctx, `delete from memory_links where id = $1`, k.ID)
	if err != nil {
		return fmt.Errorf("drop link: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	return l.noteLinks(ctx, tx, op, false, k)
}
