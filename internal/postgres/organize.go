package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Every organize step goes through the ledger in pages, in the order of ids. A
// query finds candidates, at least all of those that a rule of package memory
// would choose; the rule decides, before and again once the rows are locked.

// The queries for the candidates of each rule. $6 is the time of the run.
const (
	mayExpire  = `expires_at < $6 and not pinned`
	mayPromote = `collection = '` + memory.ShortTerm + `' and (access_count > 0 or confirmations > 0)`
	mayFade    = `not pinned and (greatest(last_accessed, arrived_at, decayed_at) < $6::timestamptz - interval '50 minutes'
or coalesce(decayed_at, arrived_at) < $6::timestamptz - interval '5 days')`
	mayPrune    = `announced_at < $6 and not pinned`
	mayAnnounce = `not pinned and greatest(last_accessed, arrived_at) < $6::timestamptz - interval '70 days'` // less than memory.PruneUnused without memory.AnnounceAhead
)

// Expire implements activities.Organizer; see memory.Standing.Expirable.
func (l *Ledger) Expire(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error) {
	rule := func(s memory.Standing) bool { return s.Expirable(moment(scope.Now)) }
	return l.retire(ctx, op, scope, memory.Expired, mayExpire, rule)
}

// Prune implements activities.Organizer; see memory.Memory.Prunable.
func (l *Ledger) Prune(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error) {
	rule := func(s memory.Standing) bool {
		return s.Prunable(moment(scope.Now)) && !slices.Contains(scope.Held, s.Project)
	}
	return l.retire(ctx, op, scope, memory.Pruned, mayPrune, rule)
}

// retire takes live memories for which a rule holds into another state.
func (l *Ledger) retire(ctx context.Context, op memory.Op, scope memory.Scope, state memory.State, may string, rule rule) (memory.Tidied, error) {
	return l.organize(ctx, op, scope, may, rule, func(tx pgx.Tx, _ *entry, chosen []memory.Standing) error {
		rows, err := lockRows(ctx, tx, idsOf(chosen))
		if err != nil {
			return err
		}
		changes := make([]change, len(rows))
		for i := range rows {
			changes[i] = change{before: &rows[i], after: rows[i].gone(state)}
		}
		return l.save(ctx, tx, op, changes...)
	})
}

// Decay implements activities.Organizer; see memory.Standing.Faded. What was
// shown and not used since the last decay loses what being recalled had given
// it: the audit row names those memories and how often.
func (l *Ledger) Decay(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error) {
	now := moment(scope.Now)
	rule := func(s memory.Standing) bool { return s.Fades(now) }
	return l.organize(ctx, op, scope, mayFade, rule, func(tx pgx.Tx, e *entry, chosen []memory.Standing) error {
		since := make(map[string]time.Time, len(chosen))
		for _, s := range chosen {
			since[s.ID] = s.WatchedSince()
		}
		ignored, err := ignoredSince(ctx, tx, since)
		if err != nil {
			return err
		}
		if len(ignored) > 0 {
			e.details["ignored"] = ignored
		}
		faded := make([]float64, len(chosen))
		for i, s := range chosen {
			faded[i] = s.Faded(now, ignored[s.ID])
		}
		if _, err := tx.Exec(ctx, noteDecay, idsOf(chosen), faded, now, moment(l.now()), op.Action, op.WorkflowID, op.RunID, chainOf(op), op.Step); err != nil {
			return fmt.Errorf("note the decay: %w", err)
		}
		_, err = tx.Exec(ctx, `update memories m set confidence = faded.confidence, decayed_at = $3, dirty = true,
revision = revision + 1, changed_at = clock_timestamp()
from unnest($1::uuid[], $2::float8[]) faded(id, confidence) where m.id = faded.id`, idsOf(chosen), faded, now)
		return err
	})
}

// Announce implements activities.Organizer; see memory.Standing.ToAnnounce.
// The index has no use for it.
func (l *Ledger) Announce(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error) {
	now := moment(scope.Now)
	rule := func(s memory.Standing) bool { return s.ToAnnounce(now) }
	return l.organize(ctx, op, scope, mayAnnounce, rule, func(tx pgx.Tx, _ *entry, chosen []memory.Standing) error {
		if _, err := tx.Exec(ctx, noteAnnouncement, idsOf(chosen), now, moment(l.now()), op.Action, op.WorkflowID, op.RunID, chainOf(op), op.Step); err != nil {
			return fmt.Errorf("note the announcement: %w", err)
		}
		_, err := tx.Exec(ctx, `update memories set announced_at = $2 where id = any($1)`, idsOf(chosen), now)
		return err
	})
}

// Promote implements activities.Organizer; see memory.Standing.Earned. The
// memory keeps its id; if its new collection holds the same text already, it
// is merged into that one.
func (l *Ledger) Promote(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error) {
	return l.organize(ctx, op, scope, mayPromote, memory.Standing.Earned, func(tx pgx.Tx, _ *entry, chosen []memory.Standing) error {
		rows, err := lockRows(ctx, tx, idsOf(chosen))
		if err != nil {
			return err
		}
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
		return twin.ID, l.moveLinks(ctx, tx, op, before.ID, twin.ID)
	}
	after := before
	if after.indexedIn == "" {
		after.indexedIn = before.Collection // a point may be there, not yet noted
	}
	after.Collection, after.ExpiresAt, after.dirty = target, nil, true
	return before.ID, l.save(ctx, tx, op, change{before: &before, after: after})
}

// rule says whether a step changes a memory.
type rule func(memory.Standing) bool

// organize runs one step over a page of a scope. A dry run of an older version,
// which went this way too, changes nothing.
func (l *Ledger) organize(
	ctx context.Context, op memory.Op, scope memory.Scope, may string, rule rule,
	apply func(tx pgx.Tx, e *entry, chosen []memory.Standing) error,
) (memory.Tidied, error) {
	what := op.Action + " memories"
	if scope.DryRun {
		return memory.Tidied{}, nil
	}
	return once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (memory.Tidied, error) {
		e.project, e.collection = scope.Project, scope.Collection
		chosen, keptBack, next, err := choose(ctx, tx, op.Action, scope, may, rule)
		if err != nil {
			return memory.Tidied{}, err
		}
		out := memory.Tidied{IDs: map[string][]string{}, Next: next, Kept: keptBack}
		for _, s := range chosen {
			out.IDs[s.Collection] = append(out.IDs[s.Collection], s.ID)
		}
		e.affected, e.details["count"] = idsOf(chosen), len(chosen)
		if len(chosen) == 0 {
			return out, nil
		}
		return out, apply(tx, e, chosen)
	})
}

// choose looks at a page of candidates, locks those for which the rule holds,
// and asks the rule again. Next is the last id that was looked at, "" when
// there are no more. KeptBack are the ids of the memories that the rule leaves alone because they
// answer a pinned question. Where a plan is applied, only memories that it names for the action are
// looked at.
func choose(
	ctx context.Context, tx pgx.Tx, action string, scope memory.Scope, may string, rule rule,
) (chosen []memory.Standing, keptBack []string, next string, err error) {
	after, err := keysetStart(scope.After)
	if err != nil {
		return nil, nil, "", err
	}
	limit := scope.Limit
	if limit <= 0 {
		limit = 1000
	}
	page, err := selectStandings(ctx, tx, `state = 'live' and ($1 = '' or collection = $1) and (cardinality($2::text[]) = 0 or collection = any($2))
and ($3 = '' or project = $3) and id > $4 and $6::timestamptz is not null and `+may+` and `+inPlan+` order by id limit $5`,
		scope.Collection, noNil(scope.Collections), scope.Project, after, limit, moment(scope.Now), scope.Plan, action)
	if err != nil {
		return nil, nil, "", err
	}
	if len(page) == limit {
		next = page[limit-1].ID
	}
	for _, s := range page {
		if s.KeptFrom(rule) {
			keptBack = append(keptBack, s.ID)
		}
	}
	page = slices.DeleteFunc(page, func(s memory.Standing) bool { return !rule(s) })
	if len(page) == 0 {
		return nil, keptBack, next, nil
	}
	collections := make(map[string]string, len(page))
	for _, s := range page {
		collections[s.ID] = s.Collection
	}
	if err := lockStandings(ctx, tx, page); err != nil {
		return nil, nil, "", err
	}
	chosen, err = selectStandings(ctx, tx, `id = any($1) and state = 'live' order by id for update`, idsOf(page))
	chosen = slices.DeleteFunc(chosen, func(s memory.Standing) bool { return !rule(s) || collections[s.ID] != s.Collection })
	return chosen, keptBack, next, err
}

// lockStandings locks the places of memories, and those that a promotion can
// bring them to, before any row is locked.
func lockStandings(ctx context.Context, tx pgx.Tx, page []memory.Standing) error {
	places := map[place]bool{}
	for _, s := range page {
		places[place{s.Project, s.Collection}] = true
		if s.Collection == memory.ShortTerm {
			places[place{s.Project, memory.CollectionOf(s.Type)}] = true
		}
	}
	return lockPlaces(ctx, tx, slices.Collect(maps.Keys(places))...)
}

func idsOf(standings []memory.Standing) []string {
	ids := make([]string, len(standings))
	for i, s := range standings {
		ids[i] = s.ID
	}
	return ids
}

// standingColumns are what the rules look at.
const standingColumns = `id, collection, project, type, confidence, importance, pinned, access_count, confirmations, created_at, last_accessed,
arrived_at, announced_at, decayed_at, expires_at, content_hash, state, id in (select id from pinned_answers)`

func scanStanding(r pgx.CollectableRow) (memory.Standing, error) {
	var s memory.Standing
	err := r.Scan(&s.ID, &s.Collection, &s.Project, &s.Type, &s.Confidence, &s.Importance, &s.Pinned, &s.AccessCount,
		&s.Confirmations, &s.CreatedAt, &s.LastAccessed, &s.ArrivedAt, &s.AnnouncedAt, &s.DecayedAt, &s.ExpiresAt, &s.ContentHash, &s.State, &s.Answers)
	inUTC(&s.Memory)
	return s, err
}

// selectStandings reads memories without their texts and vectors; the
// condition follows "where" and may end in a lock.
func selectStandings(ctx context.Context, q querier, condition string, args ...any) ([]memory.Standing, error) {
	rows, err := q.Query(ctx, `select `+standingColumns+` from memories where `+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("read memories: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanStanding)
	if err != nil {
		return nil, fmt.Errorf("read memories: %w", err)
	}
	return out, nil
}
