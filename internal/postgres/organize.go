package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// Every organize step changes at most Scope.Limit memories in a call; the
// caller calls again, with another step name, until fewer come back. A dry
// run changes nothing and so finds the same again: give it a limit above the
// number of memories.

// decayEvery is the least time between two decays of a memory. Decay is
// exponential: what is skipped now is counted the next time, and organizing
// twice in a row does not rewrite the whole index.
const decayEvery = time.Hour

// ignoredEvery is the least time between two decays of a memory that is
// recalled again and again: only then is it worth asking whether it was used.
const ignoredEvery = 6 * 24 * time.Hour

// earned is a condition that says that a short-term memory may stay for good: recalled often
// enough, or confirmed by another.
func earned() string {
	return fmt.Sprintf(`collection = '%s' and (access_count >= %d or confirmations > 0)`, memory.ShortTerm, memory.PromoteAfter)
}

// inScope is the start of every condition; $1 and $2 are the scope.
const inScope = `state = 'live' and ($1 = '' or collection = $1) and ($2 = '' or project = $2)`

// Expire implements [activities.Organizer]. Not expired is what is pinned or
// has earned its place and waits to be promoted.
func (l *Ledger) Expire(ctx context.Context, op memory.Op, scope activities.Scope) ([]string, error) {
	return l.retire(ctx, op, scope, memory.Expired, `expires_at < $3 and not pinned and not (`+earned()+`)`, scope.Now)
}

// Prune implements [activities.Organizer]; see memory.Prunable.
func (l *Ledger) Prune(ctx context.Context, op memory.Op, scope activities.Scope) ([]string, error) {
	return l.retire(ctx, op, scope, memory.Pruned, `not pinned and confidence < $3 and last_accessed <= $4`,
		memory.PruneBelow, scope.Now.Add(-memory.PruneUnused))
}

// retire takes live memories that fulfil a condition into another state.
func (l *Ledger) retire(ctx context.Context, op memory.Op, scope activities.Scope, state memory.State, condition string, args ...any) ([]string, error) {
	return l.organize(ctx, op, scope, condition, args, func(tx pgx.Tx, _ *entry, rows []row) error {
		changes := make([]change, len(rows))
		for i := range rows {
			changes[i] = change{before: &rows[i], after: rows[i].gone(state)}
		}
		return l.save(ctx, tx, op, changes...)
	})
}

// Decay implements [activities.Organizer]; see memory.Decay. It counts from
// the last use or the last decay, whichever is later. What was shown and not
// used since the last decay loses what being recalled had given it: the audit
// row names those memories and how often.
func (l *Ledger) Decay(ctx context.Context, op memory.Op, scope activities.Scope) ([]string, error) {
	const since = `greatest(last_accessed, coalesce(decayed_at, last_accessed))`
	return l.organize(ctx, op, scope, `not pinned and (`+since+` <= $3 or coalesce(decayed_at, created_at) <= $4)`,
		[]any{scope.Now.Add(-decayEvery), scope.Now.Add(-ignoredEvery)},
		func(tx pgx.Tx, e *entry, rows []row) error {
			ids := idsOf(rows)
			ignored, err := ignored(ctx, tx, ids)
			if err != nil {
				return err
			}
			if len(ignored) > 0 {
				e.details["ignored"] = ignored
			}
			which, times := make([]string, 0, len(ignored)), make([]int, 0, len(ignored))
			for id, n := range ignored {
				which, times = append(which, id), append(times, n)
			}
			_, err = tx.Exec(ctx, `with shown as (select * from unnest($4::uuid[], $5::int[]) s(id, times))
update memories m set confidence = confidence * power(2::float8, -greatest(extract(epoch from $2::timestamptz - `+since+`), 0)::float8 / $3)
  * power(1 - $6::float8, coalesce((select times from shown where shown.id = m.id), 0)),
decayed_at = $2, dirty = true, revision = revision + 1, changed_at = clock_timestamp() where m.id = any($1)`,
				ids, moment(scope.Now), memory.HalfLife.Seconds(), which, times, memory.RecallGain)
			return err
		})
}

// ignored counts how often each of ids was put in front of the model since its
// last decay without being used since then. Those that were not are left out.
func ignored(ctx context.Context, tx pgx.Tx, ids []string) (map[string]int, error) {
	rows, err := tx.Query(ctx, `select m.id, count(*) filter (where a.action = $2) from memories m
join memory_audit a on a.affected_ids @> array[m.id] and a."timestamp" > coalesce(m.decayed_at, m.created_at)
where m.id = any($1) and a.action = any($3) group by m.id
having count(*) filter (where a.action = $2) > 0 and
count(*) filter (where a.action = $4 or (a.action = $5 and (a.details ->> 'helped')::boolean)) = 0`,
		ids, memory.ActionInject, []string{memory.ActionInject, memory.ActionUse, memory.ActionCredit}, memory.ActionUse, memory.ActionCredit)
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

// Promote implements [activities.Organizer]. The memory keeps its id; if its
// new collection holds the same text already, it is merged into that one.
func (l *Ledger) Promote(ctx context.Context, op memory.Op, scope activities.Scope) ([]string, error) {
	if scope.Collection != "" && scope.Collection != memory.ShortTerm {
		return []string{}, nil
	}
	return l.organize(ctx, op, scope, earned(), nil, func(tx pgx.Tx, _ *entry, rows []row) error {
		for i := range rows {
			if _, err := l.promote(ctx, tx, op, rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// promote moves a memory to the collection of its type, into the one that
// holds the same text there if there is one, and returns the id that it has then.
func (l *Ledger) promote(ctx context.Context, tx pgx.Tx, op memory.Op, before row) (string, error) {
	target := memory.CollectionOf(before.Type)
	twins, err := selectRows(ctx, tx, `project = $1 and collection = $2 and content_hash = $3 and state = 'live' for update`,
		before.Project, target, before.ContentHash)
	if err != nil {
		return "", err
	}
	if len(twins) > 0 {
		twin, after := twins[0], twins[0]
		after.Record = combine(twin.Record, before.Record)
		after.confirmations, after.dirty = after.confirmations+1, true
		if err := l.save(ctx, tx, op, change{before: &before, after: before.into(twin.ID)}, change{before: &twin, after: after}); err != nil {
			return "", err
		}
		return twin.ID, moveLinks(ctx, tx, before.ID, twin.ID)
	}
	after := before
	if after.indexedIn == "" {
		after.indexedIn = before.Collection // a point may be there, not yet noted
	}
	after.Collection, after.ExpiresAt, after.dirty = target, nil, true
	return before.ID, l.save(ctx, tx, op, change{before: &before, after: after})
}

// organize runs one step over the live memories of a scope that fulfil a
// condition, and returns their ids.
func (l *Ledger) organize(ctx context.Context, op memory.Op, scope activities.Scope, condition string, args []any, apply func(tx pgx.Tx, e *entry, rows []row) error) ([]string, error) {
	what := op.Action + " memories"
	limit := scope.Limit
	if limit <= 0 {
		limit = 1000
	}
	condition = inScope + ` and ` + condition
	all := append([]any{scope.Collection, scope.Project}, args...)
	if scope.DryRun {
		return l.ids(ctx, what, fmt.Sprintf(`select id from memories where %s order by id limit %d`, condition, limit), all...)
	}
	return once(ctx, l, op, what, func(tx pgx.Tx, e *entry) ([]string, error) {
		e.project, e.collection = scope.Project, scope.Collection
		if err := lockScope(ctx, tx, condition, all); err != nil {
			return nil, err
		}
		rows, err := selectRows(ctx, tx, fmt.Sprintf(`%s order by id limit %d for update`, condition, limit), all...)
		if err != nil {
			return nil, err
		}
		e.affected, e.details["count"] = idsOf(rows), len(rows)
		if len(rows) == 0 {
			return []string{}, nil
		}
		return e.affected, apply(tx, e, rows)
	})
}

// lockScope locks the places of the memories that a step will change, and
// those that a promotion can bring them to, before any row is locked.
func lockScope(ctx context.Context, tx pgx.Tx, condition string, args []any) error {
	rows, err := tx.Query(ctx, `select distinct project, collection, type from memories where `+condition, args...)
	if err != nil {
		return fmt.Errorf("find places: %w", err)
	}
	var places []place
	var project, collection, typ string
	_, err = pgx.ForEachRow(rows, []any{&project, &collection, &typ}, func() error {
		places = append(places, place{project, collection})
		if collection == memory.ShortTerm {
			places = append(places, place{project, memory.CollectionOf(typ)})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find places: %w", err)
	}
	return lockPlaces(ctx, tx, places...)
}

func idsOf(rows []row) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids
}
