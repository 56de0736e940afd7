package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// settleEvery is how often AuditSettled looks whether the writers it waits for are done.
const settleEvery = 20 * time.Millisecond

// sqlAuditWriters are the transactions that have written, or may still write, a row of the audit.
const sqlAuditWriters = `select coalesce(array_agg(distinct virtualtransaction), '{}') from pg_locks
where locktype = 'relation' and relation = 'memory_audit'::regclass and granted
and database = (select oid from pg_database where datname = current_database())
and mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`

// AuditSettled returns an id of the audit up to which no row is still on its way: at least the
// greatest that can be seen now. Ids are given out before their transactions commit, so a row
// with a smaller id may appear later; AuditSettled waits until the transactions that were
// writing when it looked have ended. Unlike AuditEnd it takes no lock, so no writer waits for it.
// It returns known at once when that still is the greatest id.
func (l *Ledger) AuditSettled(ctx context.Context, known int64) (int64, error) {
	const what = "follow the audit"
	var end int64
	err := l.again(ctx, what, func() error {
		err := l.pool.QueryRow(ctx, `select coalesce(max(id), 0) from memory_audit`).Scan(&end)
		if err != nil || end == known {
			return err
		}
		var writers []string
		if err := l.pool.QueryRow(ctx, sqlAuditWriters).Scan(&writers); err != nil {
			return err
		}
		return l.awaitWriters(ctx, writers)
	})
	return end, err
}

// awaitWriters returns when none of the transactions is there any more.
func (l *Ledger) awaitWriters(ctx context.Context, writers []string) error {
	for len(writers) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settleEvery):
		}
		sql := sqlAuditWriters + ` and virtualtransaction = any($1)`
		if err := l.pool.QueryRow(ctx, sql, writers).Scan(&writers); err != nil {
			return err
		}
	}
	return nil
}

// AuditRows returns the rows of the audit that a query asks for.
func (l *Ledger) AuditRows(ctx context.Context, q memory.AuditQuery) ([]memory.AuditRow, error) {
	const what = "read the audit"
	order := "asc"
	if q.Newest {
		order = "desc"
	}
	sql := `select id, "user", action, "timestamp", affected_ids::text[], project, collection, workflow_id, run_id, step, details::text
from memory_audit where id > $1 and ($2 = 0 or id <= $2) and ($3::text[] is null or action = any($3))
and ($4 = '' or project = $4)`
	args := []any{q.After, q.UpTo, q.Actions, q.Project}
	if q.Session != "" { // in words that the index of sessions knows
		sql += ` and details ->> 'session' <> '' and details ->> 'session' = $5`
		args = append(args, q.Session)
	}
	var rows []memory.AuditRow
	err := l.again(ctx, what, func() error {
		found, err := l.pool.Query(ctx, sql+` order by id `+order+fmt.Sprintf(` limit %d`, max(q.Limit, 0)), args...)
		if err != nil {
			return err
		}
		rows, err = pgx.CollectRows(found, func(r pgx.CollectableRow) (a memory.AuditRow, err error) {
			err = r.Scan(&a.ID, &a.User, &a.Action, &a.At, &a.AffectedIDs, &a.Project, &a.Collection,
				&a.WorkflowID, &a.RunID, &a.Step, &a.Details)
			return a, err
		})
		return err
	})
	return rows, err
}
