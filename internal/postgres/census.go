package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Census implements [activities.Reader].
func (l *Ledger) Census(ctx context.Context, in memory.CensusInput) (memory.Census, error) {
	var out memory.Census
	err := l.again(ctx, "count memories by kind", func() (err error) {
		out = memory.Census{}
		for _, t := range []struct {
			by, from string
			into     *[]memory.Tally
		}{
			{"type", "memories", &out.Types},
			{"collection", "memories", &out.Collections},
			{"project", "memories", &out.Projects},
			{"tag", "memories, unnest(tags) tag", &out.Tags},
		} {
			sql := fmt.Sprintf(`select %[1]s, count(*) from %[2]s where state = 'live' and (cardinality($1::text[]) = 0 or project = any($1))
group by 1 order by 2 desc, 1 limit $2`, t.by, t.from)
			if *t.into, err = l.tallies(ctx, sql, noNil(in.Projects), memory.MaxTallies); err != nil {
				return err
			}
		}
		if out.Growth, err = l.months(ctx, noNil(in.Projects)); err != nil {
			return err
		}
		return l.pool.QueryRow(ctx, `select pg_database_size(current_database())`).Scan(&out.Bytes)
	})
	return out, err
}

func (l *Ledger) tallies(ctx context.Context, sql string, args ...any) ([]memory.Tally, error) {
	rows, err := l.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (memory.Tally, error) {
		var t memory.Tally
		return t, r.Scan(&t.Name, &t.Count)
	})
}

// months counts by the time of arrival: what was imported today grew today.
func (l *Ledger) months(ctx context.Context, projects []string) ([]memory.Month, error) {
	rows, err := l.pool.Query(ctx, `select date_trunc('month', arrived_at at time zone 'UTC') at time zone 'UTC', count(*)
from memories where state = 'live' and (cardinality($1::text[]) = 0 or project = any($1)) group by 1 order by 1 desc limit $2`,
		projects, memory.MaxMonths)
	if err != nil {
		return nil, err
	}
	months, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (memory.Month, error) {
		var m memory.Month
		var from time.Time
		err := r.Scan(&from, &m.Count)
		m.From = from.UTC()
		return m, err
	})
	slices.Reverse(months)
	return months, err
}
