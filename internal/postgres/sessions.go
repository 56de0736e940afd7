package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// sessionRows is how many of the last rows of the audit a list of sessions looks at.
const sessionRows = 20_000

// Sessions returns what the audit knows of the last sessions of Claude Code, the one that was
// active last first. It looks at the last rows of the audit, so very old sessions are left out.
func (l *Ledger) Sessions(ctx context.Context, skip, limit int) ([]memory.SessionTrace, error) {
	const sql = `with recent as (
    select id, details ->> 'session' as session, project, "timestamp", action, cardinality(affected_ids) as memories
    from memory_audit where details ->> 'session' <> '' order by id desc limit $5
)
select session, coalesce((array_agg(project order by id desc) filter (where project <> ''))[1], ''), min("timestamp"), max("timestamp"),
coalesce(sum(memories) filter (where action = $1), 0), coalesce(sum(memories) filter (where action = $2), 0),
count(*) filter (where action = $3), count(*) filter (where action = $4)
from recent group by session order by max(id) desc offset $6 limit $7`
	out := []memory.SessionTrace{}
	err := l.again(ctx, "list sessions", func() error {
		rows, err := l.pool.Query(ctx, sql, memory.ActionInject, memory.ActionUse, memory.ActionRecall, memory.ActionStore,
			sessionRows, max(skip, 0), max(limit, 0))
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (s memory.SessionTrace, err error) {
			err = r.Scan(&s.Session, &s.Project, &s.First, &s.Last, &s.Shown, &s.Used, &s.Recalls, &s.Learned)
			return s, err
		})
		return err
	})
	return out, err
}
