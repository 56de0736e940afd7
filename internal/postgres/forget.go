package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Select implements activities.Forgetter. Limit 0 means 1000, the most.
func (l *Ledger) Select(ctx context.Context, f memory.Filter, after string, limit int) ([]string, error) {
	const what = "select memories"
	start, err := keysetStart(after)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if f.Empty() {
		return nil, fmt.Errorf("%s: %w", what, memory.Errorf(memory.Invalid, "give at least one filter", "the filter is empty"))
	}
	for _, id := range f.IDs {
		if err := memory.CheckID(id); err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
	}
	return l.ids(ctx, what, `select id from memories where (state = 'live' or $9 and state = 'forgotten' and id = any($2)) and id > $1
and (cardinality($2::uuid[]) = 0 or id = any($2)) and tags @> $3
and ($4::timestamptz is null or created_at < $4) and ($10::timestamptz is null or created_at >= $10) and ($5 = '' or project = $5)
and ($6 = '' or collection = $6) and ($7 = '' or type = $7) order by id limit $8`,
		start, noNil(f.IDs), noNil(f.Tags), f.Before, f.Project, f.Collection, f.Type, pageSize(limit), f.Forgotten, f.Since)
}

// Forget implements activities.Forgetter. What was merged into a memory
// goes with it: its text lives in both. Ids in any state are taken, so that
// a purge may follow a forget.
func (l *Ledger) Forget(ctx context.Context, op memory.Op, ids []string, purge bool) (int, error) {
	for _, id := range ids {
		if err := memory.CheckID(id); err != nil {
			return 0, fmt.Errorf("forget memories: %w", err)
		}
	}
	return once(ctx, l, op, "forget memories", func(tx pgx.Tx, e *entry) (int, error) {
		if purge {
			once, err := onceAbsorbed(ctx, tx, ids)
			if err != nil {
				return 0, err
			}
			ids = slices.Concat(ids, once)
		}
		rows, err := withAbsorbed(ctx, tx, ids)
		if err != nil {
			return 0, err
		}
		var changes []change
		for _, before := range rows {
			e.affected = append(e.affected, before.ID)
			if before.State != memory.Forgotten {
				changes = append(changes, forgotten(before))
			}
		}
		e.details["count"], e.details["changed"], e.details["purged"] = len(rows), len(changes), purge
		if len(rows) > 0 {
			e.project, e.collection = common(rows)
		}
		if err := l.save(ctx, tx, op, changes...); err != nil {
			return 0, err
		}
		links, err := l.dropLinks(ctx, tx, op, e.affected)
		if err != nil {
			return 0, err
		}
		if purge {
			err = purgeVersions(ctx, tx, e.affected)
		}
		return len(links), err
	})
}

func forgotten(before row) change {
	after := before
	after = after.gone(memory.Forgotten)
	after.Text, after.Vector, after.MergedInto = "", nil, ""
	return change{before: &before, after: after}
}

// withAbsorbed locks memories and all that was ever merged into them.
func withAbsorbed(ctx context.Context, tx pgx.Tx, ids []string) ([]row, error) {
	return selectRows(ctx, tx, `id in (
with recursive tree(id) as (
	select id from memories where id = any($1)
	union
	select m.id from memories m join tree on m.merged_into = tree.id
) select id from tree) order by id for update`, noNil(ids))
}

// onceAbsorbed finds forgotten memories that were merged into others when they
// were forgotten with them: their rows no longer tell, but their versions do.
func onceAbsorbed(ctx context.Context, tx pgx.Tx, ids []string) ([]string, error) {
	rows, err := tx.Query(ctx, `with recursive tree(id) as (
	select unnest($1::uuid[])
	union
	select v.memory_id from memory_versions v join tree on (v.after ->> 'merged_into')::uuid = tree.id
	join memories m on m.id = v.memory_id and m.state = 'forgotten'
) select id from tree where id <> all($1)`, noNil(ids))
	if err != nil {
		return nil, fmt.Errorf("find what was merged: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find what was merged: %w", err)
	}
	return found, nil
}

// common returns the project and the collection that all rows share, "" if
// they differ.
func common(rows []row) (project, collection string) {
	project, collection = rows[0].Project, rows[0].Collection
	for _, r := range rows {
		if r.Project != project {
			project = ""
		}
		if r.Collection != collection {
			collection = ""
		}
	}
	return project, collection
}

// purgeVersions blanks what versions keep of texts, and the references of imports, which name headings.
// Ids and hashes stay.
func purgeVersions(ctx context.Context, tx pgx.Tx, ids []string) error {
	if _, err := tx.Exec(ctx, `select set_config('mneme.purge', 'on', true)`); err != nil {
		return fmt.Errorf("allow the purge: %w", err)
	}
	_, err := tx.Exec(ctx, `update memory_versions set before = before || '{"text": "", "source_ref": ""}', after = after || '{"text": "", "source_ref": ""}',
before_vector = null, after_vector = null where memory_id = any($1)`, noNil(ids))
	if err != nil {
		return fmt.Errorf("purge versions: %w", err)
	}
	if _, err := tx.Exec(ctx, `update memories set source_ref = '' where id = any($1) and source_ref <> ''`, noNil(ids)); err != nil {
		return fmt.Errorf("purge references: %w", err)
	}
	if _, err := tx.Exec(ctx, `select set_config('mneme.purge', 'off', true)`); err != nil {
		return fmt.Errorf("end the purge: %w", err)
	}
	return nil
}
