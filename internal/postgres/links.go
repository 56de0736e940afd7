package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

const linkColumns = `id, source_id, target_id, link_type, created_at`

func scanLink(r pgx.CollectableRow) (memory.Link, error) {
	var k memory.Link
	err := r.Scan(&k.ID, &k.SourceID, &k.TargetID, &k.Type, &k.CreatedAt)
	k.CreatedAt = k.CreatedAt.UTC()
	return k, err
}

// Link implements activities.Storer. An id that was merged stands for its
// survivor.
func (l *Ledger) Link(ctx context.Context, op memory.Op, link memory.Link) (memory.Link, error) {
	return once(ctx, l, op, "link memories", func(tx pgx.Tx, e *entry) (memory.Link, error) {
		source, err := liveEnd(ctx, tx, link.SourceID)
		if err != nil {
			return link, err
		}
		target, err := liveEnd(ctx, tx, link.TargetID)
		if err != nil {
			return link, err
		}
		if source.ID == target.ID {
			return link, memory.Errorf(memory.Invalid, "give two different memories", "a memory cannot be linked to itself")
		}
		e.project, e.collection, e.affected = source.Project, source.Collection, []string{source.ID, target.ID}
		at := link.CreatedAt
		if at.IsZero() {
			at = l.now()
		}
		return l.addLink(ctx, tx, op, source.ID, target.ID, link.Type, moment(at))
	})
}

// Beside implements [activities.Reader]. Both questions go in one message.
func (l *Ledger) Beside(ctx context.Context, ids []string) (gone []string, links []memory.Link, err error) {
	err = l.again(ctx, "find what is gone, and links", func() error {
		var b pgx.Batch
		b.Queue(selectGone, ids).Query(func(rows pgx.Rows) (err error) {
			gone, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
		b.Queue(`with k as materialized (
	select `+linkColumns+` from memory_links where source_id = any($1)
	union select `+linkColumns+` from memory_links where target_id = any($1)
) select `+linkColumns+` from k
where (select state from memories where id = source_id) = 'live' and (select state from memories where id = target_id) = 'live'
order by created_at, id`, ids).Query(func(rows pgx.Rows) (err error) {
			links, err = pgx.CollectRows(rows, scanLink)
			return err
		})
		return l.pool.SendBatch(ctx, &b).Close()
	})
	return gone, links, err
}

// liveEnd locks the live memory that an id stands for, so that it is not
// forgotten before the link is there.
func liveEnd(ctx context.Context, tx pgx.Tx, id string) (row, error) {
	id, err := resolved(ctx, tx, id)
	if err != nil {
		return row{}, err
	}
	end, err := survivor(ctx, tx, id)
	if err != nil {
		return row{}, err
	}
	if end == nil {
		return row{}, notFound(id)
	}
	return *end, nil
}

func notFound(id string) error {
	return memory.Errorf(memory.NotFound, "copy the id from a store's or recall's answer", "there is no live memory %s", id)
}

// addLink adds a link, or returns an existing one.
func (l *Ledger) addLink(ctx context.Context, tx pgx.Tx, op memory.Op, source, target, typ string, at time.Time) (memory.Link, error) {
	link := memory.Link{ID: memory.NewLinkID(source, target, typ), SourceID: source, TargetID: target, Type: typ, CreatedAt: at}
	if added, err := l.insertLink(ctx, tx, op, link); err != nil || added {
		return link, err
	}
	rows, err := tx.Query(ctx, `select `+linkColumns+` from memory_links where source_id = $1 and target_id = $2 and link_type = $3`,
		source, target, typ)
	if err != nil {
		return memory.Link{}, fmt.Errorf("read link: %w", err)
	}
	return pgx.CollectExactlyOneRow(rows, scanLink)
}

// insertLink adds a link, or reports that there is one.
func (l *Ledger) insertLink(ctx context.Context, tx pgx.Tx, op memory.Op, link memory.Link) (bool, error) {
	link.ID = memory.NewLinkID(link.SourceID, link.TargetID, link.Type)
	tag, err := tx.Exec(ctx, `insert into memory_links (`+linkColumns+`) values ($1, $2, $3, $4, $5) on conflict do nothing`,
		link.ID, link.SourceID, link.TargetID, link.Type, link.CreatedAt)
	if err != nil {
		return false, fmt.Errorf("insert link: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return false, nil
	}
	return true, l.noteLinks(ctx, tx, op, true, link)
}

// addRequested adds the links asked for with a store and counts them. One to
// the memory itself, which a merge can cause, is left out.
func (l *Ledger) addRequested(ctx context.Context, tx pgx.Tx, op memory.Op, source string, links []memory.LinkRequest) (int, error) {
	n := 0
	for _, request := range links {
		target, err := liveEnd(ctx, tx, request.TargetID)
		if err != nil {
			return n, err
		}
		if target.ID == source {
			continue
		}
		if _, err := l.addLink(ctx, tx, op, source, target.ID, request.Type, moment(l.now())); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// moveLinks gives a merged memory's links to its survivor. Links between the
// two and those that the survivor has already go.
func (l *Ledger) moveLinks(ctx context.Context, tx pgx.Tx, op memory.Op, from, to string) error {
	moved, err := l.dropLinks(ctx, tx, op, []string{from})
	if err != nil {
		return fmt.Errorf("move links: %w", err)
	}
	for _, k := range moved {
		if k.SourceID == from {
			k.SourceID = to
		}
		if k.TargetID == from {
			k.TargetID = to
		}
		if k.SourceID == k.TargetID {
			continue
		}
		if _, err := l.addLink(ctx, tx, op, k.SourceID, k.TargetID, k.Type, k.CreatedAt); err != nil {
			return err
		}
	}
	return nil
}

// Related implements activities.Reader: the live memories that links lead
// to from id in either direction, nearest first. Depth is 1 to 5 (0 means 1),
// limit 1 to 100 (0 means 50).
func (l *Ledger) Related(ctx context.Context, id string, depth, limit int) ([]memory.Related, error) {
	const what = "find related memories"
	depth = max(1, min(depth, 5))
	if limit <= 0 {
		limit = 50
	}
	limit = min(limit, memory.MaxLimit)
	var out []memory.Related
	err := l.tx(ctx, what, func(tx pgx.Tx) error {
		start, err := liveEnd(ctx, tx, id)
		if err != nil {
			return err
		}
		out, err = walk(ctx, tx, start.ID, depth, limit)
		return err
	})
	return out, err
}

// walk goes over links breadth-first. No memory is visited twice, so circles end.
func walk(ctx context.Context, tx pgx.Tx, start string, depth, limit int) ([]memory.Related, error) {
	seen, frontier := map[string]bool{start: true}, []string{start}
	out := []memory.Related{}
	for d := 1; d <= depth && len(frontier) > 0 && len(out) < limit; d++ {
		rows, err := tx.Query(ctx, `select k.id, k.source_id, k.target_id, k.link_type, k.created_at, m.*
from (select `+linkColumns+` from memory_links where source_id = any($1) or target_id = any($1)) k
cross join lateral (values (k.source_id), (k.target_id)) as ends(other)
join (select `+memoryColumns+` from memories where state = 'live') m on m.id = ends.other
where not ends.other = any($2) order by k.created_at, k.id`, frontier, keys(seen))
		if err != nil {
			return nil, fmt.Errorf("follow links: %w", err)
		}
		step, err := pgx.CollectRows(rows, scanRelated)
		if err != nil {
			return nil, fmt.Errorf("follow links: %w", err)
		}
		frontier = frontier[:0]
		for _, r := range step {
			if seen[r.ID] || len(out) == limit {
				continue
			}
			seen[r.ID], r.Depth = true, d
			out, frontier = append(out, r), append(frontier, r.ID)
		}
	}
	return out, nil
}

func scanRelated(r pgx.CollectableRow) (memory.Related, error) {
	var x memory.Related
	k := &x.Link
	err := r.Scan(append([]any{&k.ID, &k.SourceID, &k.TargetID, &k.Type, &k.CreatedAt}, fields(&x.Memory)...)...)
	k.CreatedAt = k.CreatedAt.UTC()
	inUTC(&x.Memory)
	return x, err
}

func keys(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	return out
}
