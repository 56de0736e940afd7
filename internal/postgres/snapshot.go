package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// AuditEnd returns the greatest id of the audit up to which no row is still
// on its way. Ids are given out before their transactions commit, so the
// newest row that can be seen may have older ones behind it: a lock that only
// writers mind waits for those, and is gone before the next one begins.
func (l *Ledger) AuditEnd(ctx context.Context) (int64, error) {
	const what = "find the end of the audit"
	var end int64
	err := l.tx(ctx, what, func(tx pgx.Tx) error {
		// A writer that hangs must not make all others wait behind this lock.
		if _, err := tx.Exec(ctx, `set local lock_timeout = '2s'`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `lock table memory_audit in share mode`); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `select coalesce(max(id), 0) from memory_audit`).Scan(&end)
	})
	return end, err
}

// AuditKey returns what makes the audit row with an id unique, or "" when there
// is none. Two ledgers have different keys at the same id.
func (l *Ledger) AuditKey(ctx context.Context, id int64) (string, error) {
	const what = "read audit row"
	var key string
	err := l.again(ctx, what, func() error {
		err := l.pool.QueryRow(ctx, `select workflow_id || ' ' || run_id || ' ' || step from memory_audit where id = $1`, id).Scan(&key)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return key, err
}

// EachAudit yields the audit rows with ids above after and up to end, in the
// order of their ids, as they come from the server.
func (l *Ledger) EachAudit(ctx context.Context, after, end int64) iter.Seq2[memory.AuditRow, error] {
	const sql = `select id, "user", action, "timestamp", affected_ids::text[], project, collection, workflow_id, run_id, step,
details::text from memory_audit where id > $1 and id <= $2 order by id`
	return each(ctx, l, "read the audit", func(r pgx.Rows, a *memory.AuditRow) error {
		return r.Scan(&a.ID, &a.User, &a.Action, &a.At, &a.AffectedIDs, &a.Project, &a.Collection,
			&a.WorkflowID, &a.RunID, &a.Step, &a.Details)
	}, sql, after, end)
}

// EachMemory yields every memory's state, whatever it is, without text and vector.
func (l *Ledger) EachMemory(ctx context.Context) iter.Seq2[memory.MemoryRow, error] {
	const sql = `select id, collection, project, type, tags, octet_length(text), confidence, importance, pinned, access_count,
confirmations, created_at, last_accessed, expires_at, source, session, model, state, coalesce(merged_into::text, ''), changed_at
from memories order by id`
	return each(ctx, l, "read the memories", func(r pgx.Rows, m *memory.MemoryRow) error {
		return r.Scan(&m.ID, &m.Collection, &m.Project, &m.Type, &m.Tags, &m.TextBytes, &m.Confidence, &m.Importance,
			&m.Pinned, &m.AccessCount, &m.Confirmations, &m.CreatedAt, &m.LastAccessed, &m.ExpiresAt, &m.Source,
			&m.Session, &m.Model, &m.State, &m.MergedInto, &m.ChangedAt)
	}, sql)
}

// each runs a query and yields its rows one by one. A connection is kept
// until the caller has seen the last, and no limit but ctx's holds: a
// snapshot of a large ledger takes longer than a statement may.
func each[T any](
	ctx context.Context, l *Ledger, what string, scan func(pgx.Rows, *T) error, sql string, args ...any,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		err := l.wrap(what, pgx.BeginTxFunc(ctx, l.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `set local statement_timeout = 0`); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, sql, args...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var row T
				if err := scan(rows, &row); err != nil {
					return fmt.Errorf("scan: %w", err)
				}
				if !yield(row, nil) {
					return errStopped
				}
			}
			return rows.Err()
		}))
		if err != nil && !errors.Is(err, errStopped) {
			yield(none, err)
		}
	}
}

// errStopped says that the caller wants no more rows.
var errStopped = errors.New("stopped by the caller")
