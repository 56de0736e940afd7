package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Standings implements activities.Rehearser.
func (l *Ledger) Standings(ctx context.Context, project string) ([]memory.Standing, error) {
	const what = "read how memories stand"
	var out []memory.Standing
	err := l.again(ctx, what, func() (err error) {
		out, err = selectStandings(ctx, l.pool, `state = 'live' and ($1 = '' or project = $1) order by id`, project)
		return err
	})
	return out, err
}

// Members implements activities.Rehearser.
func (l *Ledger) Members(ctx context.Context, ids []string) (map[string]memory.Record, error) {
	const what = "read memories"
	out := make(map[string]memory.Record, len(ids))
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select `+recordColumns+` from memories where id = any($1) and state = 'live'`, noNil(ids))
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, scanRecord)
		for _, r := range found {
			out[r.ID] = r
		}
		return err
	})
	return out, err
}

// Ignored implements activities.Rehearser.
func (l *Ledger) Ignored(ctx context.Context, since map[string]time.Time) (map[string]int, error) {
	const what = "count what was ignored"
	var out map[string]int
	err := l.again(ctx, what, func() (err error) {
		out, err = ignoredSince(ctx, l.pool, since)
		return err
	})
	return out, err
}

// ignoredSince counts how often each memory was put in front of the model since
// a time without being used since then. Those that were not are left out.
func ignoredSince(ctx context.Context, q querier, since map[string]time.Time) (map[string]int, error) {
	ids, times := make([]string, 0, len(since)), make([]time.Time, 0, len(since))
	for id, at := range since {
		ids, times = append(ids, id), append(times, at)
	}
	rows, err := q.Query(ctx, `select m.id, count(*) filter (where a.action = $3) from unnest($1::uuid[], $2::timestamptz[]) m(id, since)
join memory_audit a on a.affected_ids @> array[m.id] and a."timestamp" > m.since
where a.action = any($4) group by m.id
having count(*) filter (where a.action = $3) > 0 and
count(*) filter (where a.action = $5 or (a.action = $6 and (a.details ->> 'helped')::boolean)) = 0`,
		ids, times, memory.ActionInject, []string{memory.ActionInject, memory.ActionUse, memory.ActionCredit}, memory.ActionUse, memory.ActionCredit)
	if err != nil {
		return nil, fmt.Errorf("count what was ignored: %w", err)
	}
	out := map[string]int{}
	var id string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error { out[id] = n; return nil })
	if err != nil {
		return nil, fmt.Errorf("count what was ignored: %w", err)
	}
	return out, nil
}
