package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Credit implements activities.Reviser. A memory that is named twice, or by
// two ids that were merged, is credited once. Like a recall it writes no version.
func (l *Ledger) Credit(ctx context.Context, op memory.Op, in memory.CreditInput) ([]string, error) {
	const what = "credit memories"
	for _, id := range in.IDs {
		if err := memory.CheckID(id); err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
	}
	return once(ctx, l, op, what, func(tx pgx.Tx, e *entry) ([]string, error) {
		e.project = in.Project
		e.details["helped"], e.details["reason"], e.details["source"], e.details["session"] = in.Helped, in.Reason, in.Source, in.Session
		rows, err := liveEnds(ctx, tx, in.IDs)
		if err != nil {
			return nil, err
		}
		now := moment(l.now())
		var changes []change
		for _, before := range rows {
			after := before
			after.Confidence = memory.Credit(before.Confidence, in.Helped)
			if after.Confidence == before.Confidence {
				continue
			}
			if in.Helped && now.After(after.LastAccessed) {
				after.LastAccessed = now // it was of use
			}
			after.dirty = true
			changes = append(changes, change{before: &before, after: after, quiet: true})
			e.affected = append(e.affected, before.ID)
		}
		e.details["count"] = len(changes)
		return noNil(e.affected), l.save(ctx, tx, op, changes...)
	})
}

// liveEnds locks the live memories that ids stand for, each once and in the
// order of their ids. Their places are locked first, so that none of them is
// merged away in between.
func liveEnds(ctx context.Context, tx pgx.Tx, ids []string) ([]row, error) {
	if err := lockPlacesOf(ctx, tx, ids); err != nil {
		return nil, err
	}
	return selectRows(ctx, tx, `state = 'live' and id in (
with recursive way(id, next) as (
	select id, merged_into from memories where id = any($1)
	union
	select m.id, m.merged_into from memories m join way on m.id = way.next
) select id from way) order by id for update`, noNil(ids))
}

// Survivors implements activities.Reader. The end of the way may itself be
// no longer live.
func (l *Ledger) Survivors(ctx context.Context, ids []string) (map[string]string, error) {
	const what = "follow merges"
	valid := make([]string, 0, len(ids))
	for _, id := range ids {
		if memory.ValidID(id) {
			valid = append(valid, id)
		}
	}
	var out map[string]string
	err := l.again(ctx, what, func() (err error) {
		out, err = survivorsOf(ctx, l.pool, valid)
		return err
	})
	return out, err
}

// survivorsOf follows the merges of ids to their ends.
func survivorsOf(ctx context.Context, q querier, ids []string) (map[string]string, error) {
	rows, err := q.Query(ctx, `with recursive way(origin, next) as (
	select id, merged_into from memories where id = any($1) and merged_into is not null
	union
	select way.origin, m.merged_into from memories m join way on m.id = way.next where m.merged_into is not null
) select way.origin, way.next from way join memories m on m.id = way.next where m.merged_into is null`, noNil(ids))
	if err != nil {
		return nil, fmt.Errorf("follow merges: %w", err)
	}
	out := map[string]string{}
	var from, to string
	if _, err := pgx.ForEachRow(rows, []any{&from, &to}, func() error {
		out[from] = to
		return nil
	}); err != nil {
		return nil, fmt.Errorf("follow merges: %w", err)
	}
	return out, nil
}
