package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// SyncIndex implements activities.Indexer. The memories that were merged into ids, and the
// survivors of ids, are brought in step too. The rows stay locked while apply runs, so that the
// index receives the changes of one memory in their order; apply must not call the ledger. A
// change that is not live is to be deleted from IndexedIn; one that is live and has another
// IndexedIn than its collection is to be deleted there and written here.
func (l *Ledger) SyncIndex(ctx context.Context, ids []string, apply func(ctx context.Context, changes []memory.IndexChange) error) error {
	if len(ids) == 0 {
		return nil
	}
	return l.tx(ctx, "bring the index in step", func(tx pgx.Tx) error {
		// A merge can touch more than was named: a twin that went too, or the survivor. The cast
		// hides from the planner that it could go through all marked rows instead of to those
		// named by their ids: as long as it believes that few are marked, it would.
		rows, err := selectRows(ctx, tx, `dirty::int = 1 and id in (select unnest($1::uuid[])
union all select id from memories where merged_into = any($1) and dirty::int = 1
union all select merged_into from memories where id = any($1) and merged_into is not null) order by id for update`, ids)
		if err != nil || len(rows) == 0 {
			return err
		}
		changes, done := make([]memory.IndexChange, len(rows)), make([]string, len(rows))
		for i, r := range rows {
			changes[i], done[i] = memory.IndexChange{Record: r.Record, IndexedIn: r.indexedIn}, r.ID
		}
		beside, err := l.placed(ctx, tx, changes, done)
		if err != nil {
			return err
		}
		if err := apply(ctx, changes); err != nil {
			return outside{err}
		}
		return markIndexed(ctx, tx, done, beside)
	})
}

// markIndexed notes that the index is in step, and so is the generation beside it if there is one.
func markIndexed(ctx context.Context, tx pgx.Tx, ids []string, beside bool) error {
	_, err := tx.Exec(ctx, `update memories set dirty = false, indexed_in = case when state = 'live' then collection end where id = any($1)`, ids)
	if err != nil || !beside {
		return err
	}
	_, err = tx.Exec(ctx, `update beside_vectors set written = true where memory_id = any($1)`, ids)
	return err
}

// placed tells changes into which generations of the index they are to be written, and reports
// whether there are two. No other one comes into force as long as their rows are locked. If a crash
// loses the commit, the same is written to the index once more: no need to wait for the disk.
func (l *Ledger) placed(ctx context.Context, tx pgx.Tx, changes []memory.IndexChange, ids []string) (bool, error) {
	var b pgx.Batch
	b.Queue(`set local synchronous_commit = off`)
	b.Queue(selectGenerations, generationsKey, embeddingKey)
	answers := tx.SendBatch(ctx, &b)
	if _, err := answers.Exec(); err != nil {
		return false, errors.Join(err, answers.Close())
	}
	g, err := scanGenerations(answers.QueryRow())
	if err := errors.Join(err, answers.Close()); err != nil {
		return false, fmt.Errorf("read which models there are: %w", err)
	}
	beside := g.Written()
	var vectors map[string]memory.Vector
	if beside != nil {
		if vectors, err = besideVectors(ctx, tx, ids); err != nil {
			return false, err
		}
	}
	for i := range changes {
		changes[i].Active, changes[i].Beside, changes[i].BesideVector = g.Active.Name, beside, vectors[ids[i]]
	}
	return beside != nil, nil
}

// Unindexed implements activities.Indexer. Limit 0 means 1000.
func (l *Ledger) Unindexed(ctx context.Context, limit int) ([]string, error) {
	return l.ids(ctx, "find what is not indexed", `select id from memories where dirty order by changed_at, id limit $1`, pageSize(limit))
}

const selectGone = `select id from memories where id = any($1) and state <> 'live'`

// Gone implements activities.Indexer.
func (l *Ledger) Gone(ctx context.Context, ids []string) ([]string, error) {
	return l.ids(ctx, "find what is gone", selectGone, ids)
}

// ids runs a query for ids.
func (l *Ledger) ids(ctx context.Context, what, query string, args ...any) ([]string, error) {
	var out []string
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return noNil(out), err
}

// pageSize bounds a limit: 0 means 1000, which is also the most.
func pageSize(limit int) int {
	const most = 1000
	if limit <= 0 || limit > most {
		return most
	}
	return limit
}
