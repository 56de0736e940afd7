package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// lostKey is the setting that says how many memories of each collection the index has lost.
const lostKey = "index_lost"

// Unfindable implements activities.Indexer. Of what is merely behind, such as a
// counter, the index has a point.
func (l *Ledger) Unfindable(ctx context.Context, limit int) (unwritten, lost int, err error) {
	err = l.again(ctx, "count what has no point", func() error {
		return l.pool.QueryRow(ctx, `select
(select count(*) from (select from memories where dirty and indexed_in is null and state = 'live' limit $1) as unwritten),
(select coalesce(sum(n::bigint), 0)::bigint from settings, jsonb_each_text(value) as each(collection, n) where key = $2)`,
			pageSize(limit), lostKey).Scan(&unwritten, &lost)
	})
	return unwritten, lost, err
}

// NoteLost implements activities.Indexer. The numbers of unnamed collections stay.
// Nothing is written when all of that is known already.
func (l *Ledger) NoteLost(ctx context.Context, lost map[string]int) error {
	return l.tx(ctx, "note what the index has lost", func(tx pgx.Tx) error {
		// Noted again soon if a crash loses it: no need to wait for the disk.
		if _, err := tx.Exec(ctx, `set local synchronous_commit = off`); err != nil {
			return fmt.Errorf("relax the commit: %w", err)
		}
		_, err := tx.Exec(ctx, `insert into settings (key, value) values ($1, $2)
on conflict (key) do update set value = settings.value || excluded.value
where settings.value || excluded.value <> settings.value`, lostKey, lost)
		return err
	})
}

// Expected implements activities.Indexer.
func (l *Ledger) Expected(ctx context.Context) (map[string]memory.Expected, error) {
	var out map[string]memory.Expected
	err := l.again(ctx, "count the points that there should be", func() error {
		out = map[string]memory.Expected{}
		// A single statement sees a single moment. Live rows are counted in an index; few have
		// the mark.
		rows, err := l.pool.Query(ctx, `select collection, sum(live)::int, sum(live - unwritten)::int, sum(marked)::int from (
select collection, count(*) as live, 0 as unwritten, 0 as marked from memories where state = 'live' group by collection
union all select collection, 0, count(*) filter (where state = 'live'), count(*) from memories where dirty group by collection
union all select indexed_in, 0, 0, count(*) from memories where dirty and indexed_in <> collection group by indexed_in
) as counted group by collection`)
		if err != nil {
			return err
		}
		var collection string
		var e memory.Expected
		_, err = pgx.ForEachRow(rows, []any{&collection, &e.Live, &e.Written, &e.Marked}, func() error {
			out[collection] = e
			return nil
		})
		return err
	})
	return out, err
}

// Settled implements activities.Indexer.
func (l *Ledger) Settled(ctx context.Context, ids []string, look func(ctx context.Context, records []memory.Record) error) error {
	if len(ids) == 0 {
		return nil
	}
	return l.tx(ctx, "compare the index with memories", func(tx pgx.Tx) error {
		rows, err := lockRows(ctx, tx, ids)
		if err != nil {
			return err
		}
		var records []memory.Record
		for _, r := range rows {
			if r.State == memory.Live && !r.dirty {
				records = append(records, r.Record)
			}
		}
		if len(records) == 0 {
			return nil
		}
		if err := look(ctx, records); err != nil {
			return outside{err}
		}
		return nil
	})
}

// Strangers implements activities.Indexer.
func (l *Ledger) Strangers(ctx context.Context, collection string, ids []string) ([]string, error) {
	return l.ids(ctx, "find points without a memory", `select id from unnest($1::uuid[]) as given(id) where not exists (
select from memories m where m.id = given.id and (m.dirty or m.state = 'live' and m.collection = $2)) order by id`, noNil(ids), collection)
}
