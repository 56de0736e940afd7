package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// embedding is the setting that names the one model whose vectors the ledger
// holds.
type embedding struct {
	Model     string `json:"model"`
	Dimension int    `json:"dimension"`
}

const embeddingKey = "embedding"

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// model reads the setting; it is zero before the first store.
func (l *Ledger) model(ctx context.Context, q querier) (embedding, error) {
	var m embedding
	err := q.QueryRow(ctx, `select value from settings where key = $1`, embeddingKey).Scan(&m)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, nil
	}
	return m, err
}

// UseModel implements activities.Storer.
func (l *Ledger) UseModel(ctx context.Context, model string, dimension int) error {
	const what = "check the embedding model"
	given := embedding{model, dimension}
	if model == "" || dimension < 1 {
		return fmt.Errorf("%s: %w", what, memory.Errorf(memory.Invalid, "", "model %q with %d dimensions is none", model, dimension))
	}
	return l.again(ctx, what, func() error {
		m, err := l.model(ctx, l.pool)
		if err != nil {
			return err
		}
		if m == (embedding{}) {
			_, err := l.pool.Exec(ctx, `insert into settings (key, value) values ($1, $2) on conflict do nothing`, embeddingKey, given)
			if err != nil {
				return err
			}
			if m, err = l.model(ctx, l.pool); err != nil { // another may have been first
				return err
			}
		}
		if m == given {
			return nil
		}
		hint := fmt.Sprintf(`run "mneme rebuild" to embed everything anew with %s`, model)
		if m.Model != model {
			hint += ", or set MNEME_EMBED_MODEL=" + m.Model
		}
		return memory.Refusal(part, hint,
			fmt.Errorf("the ledger holds vectors of %s (%d dimensions), not of %s (%d)", m.Model, m.Dimension, model, dimension))
	})
}

// ReplaceModel implements activities.Storer.
func (l *Ledger) ReplaceModel(ctx context.Context, op memory.Op, model string, dimension int) error {
	_, err := once(ctx, l, op, "replace the embedding model", func(tx pgx.Tx, e *entry) (embedding, error) {
		given := embedding{model, dimension}
		if model == "" || dimension < 1 {
			return given, memory.Errorf(memory.Invalid, "", "model %q with %d dimensions is none", model, dimension)
		}
		before, err := l.model(ctx, tx)
		if err != nil {
			return given, err
		}
		e.details["before"] = before
		_, err = tx.Exec(ctx, `insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value`,
			embeddingKey, given)
		return given, err
	})
	return err
}

// Reembedded implements activities.Storer. A memory whose text has changed
// since it was read keeps its old vector; its model tells, so it is asked for again.
func (l *Ledger) Reembedded(ctx context.Context, op memory.Op, recs []memory.Record) error {
	byID, ids := make(map[string]memory.Record, len(recs)), make([]string, 0, len(recs))
	for _, r := range recs {
		if err := r.Vector.Check(); err != nil {
			return memory.Errorf(memory.Invalid, "", "replace vector of %s: %w", r.ID, err)
		}
		byID[r.ID], ids = r, append(ids, r.ID)
	}
	_, err := once(ctx, l, op, "replace vectors", func(tx pgx.Tx, e *entry) (int, error) {
		rows, err := lockRows(ctx, tx, ids)
		if err != nil {
			return 0, err
		}
		var changes []change
		for _, before := range rows {
			r := byID[before.ID]
			if before.State != memory.Live || before.ContentHash != r.ContentHash {
				continue
			}
			after := before
			after.Vector, after.Model, after.dirty = r.Vector, r.Model, true
			changes = append(changes, change{before: &before, after: after})
			e.affected = append(e.affected, before.ID)
		}
		return len(changes), l.save(ctx, tx, op, changes...)
	})
	if err == nil {
		l.grown(ctx, len(recs)) // that many have the mark now
	}
	return err
}
