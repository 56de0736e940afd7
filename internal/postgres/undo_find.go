package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// sqlSteps are the steps of all changes that can be undone. A credit and a
// found duplicate move only confidence, and a rebuild is undone by a rebuild.
const sqlSteps = `(
select workflow_id, chain, action, at, seq, run_id, false as old from memory_changes where action not in ('credit', 'duplicate', 'rebuild')
union all select workflow_id, chain, action, at, seq, run_id, false from link_changes
union all select workflow_id, ` + sqlChain + `, action, at, seq, run_id, true from memory_versions
where chain is null and action not in ('credit', 'duplicate', 'rebuild'))`

// Changes implements [activities.Undoer].
func (l *Ledger) Changes(ctx context.Context, limit int) ([]memory.Change, error) {
	const what = "list changes"
	var out []memory.Change
	err := l.tx(ctx, what, func(tx pgx.Tx) error {
		out = nil
		// Most who ask want to know of today: a ledger's whole past is looked at only if need be.
		for _, back := range []time.Duration{24 * time.Hour, 31 * 24 * time.Hour, 0} {
			var since *time.Time
			if back > 0 {
				at := l.now().Add(-back)
				since = &at
			}
			var err error
			out, err = l.changes(ctx, tx, `($1::timestamptz is null or at > $1)`, limit, since)
			if err != nil || len(out) == limit {
				return err
			}
		}
		return nil
	})
	return out, err
}

// changes reads changes, newest first. The condition is of their steps; $1 is
// its argument.
func (l *Ledger) changes(ctx context.Context, tx pgx.Tx, condition string, limit int, arg any) ([]memory.Change, error) {
	rows, err := tx.Query(ctx, `select workflow_id, chain, case when workflow_id like 'organize%' then 'organize' else min(action) end, max(at), bool_or(old)
from `+sqlSteps+` steps where `+condition+` group by workflow_id, chain order by max(at) desc, max(seq) desc, workflow_id, chain limit $2`, arg, limit)
	if err != nil {
		return nil, fmt.Errorf("find changes: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (c memory.Change, err error) {
		err = r.Scan(&c.WorkflowID, &c.Chain, &c.Action, &c.At, &c.Old)
		c.At = c.At.UTC()
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("find changes: %w", err)
	}
	undone, undoes, err := undone(ctx, tx)
	if err != nil {
		return nil, err
	}
	for i := range out {
		c := &out[i]
		c.UndoneBy, c.Undoes = undone[changeKey{c.WorkflowID, c.Chain}], undoes[c.WorkflowID]
		if err := describeChange(ctx, tx, c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// describeChange counts what a change touched, and tells who made it where.
func describeChange(ctx context.Context, tx pgx.Tx, c *memory.Change) error {
	members := `select memory_id from memory_changes where workflow_id = $1 and chain = $2`
	if c.Old {
		members = `select memory_id from memory_versions where workflow_id = $1 and ` + sqlChain + ` = $2`
	}
	err := tx.QueryRow(ctx, `with member as (select distinct memory_id from (`+members+`) x)
select (select count(*) from member), (select count(distinct link_id) from link_changes where workflow_id = $1 and chain = $2),
coalesce((select case when count(distinct project) = 1 then min(project) else '' end from memories where id in (select memory_id from member)), ''),
coalesce((select "user" from memory_audit where workflow_id = $1 and "user" <> '' order by id limit 1), '')`, c.WorkflowID, c.Chain).
		Scan(&c.Memories, &c.Links, &c.Project, &c.User)
	if err != nil {
		return fmt.Errorf("describe the change of %s: %w", c.WorkflowID, err)
	}
	return nil
}

// changeKey names a change.
type changeKey struct{ workflow, chain string }

// undone returns which changes are undone, and by which undo; and what each undo took
// back. An undo that was itself undone does not count, and neither does one of a single memory.
func undone(ctx context.Context, tx pgx.Tx) (by map[changeKey]string, of map[string]string, err error) {
	rows, err := tx.Query(ctx, `select workflow_id, details ->> 'of', details ->> 'chain', details ? 'only', min(id)
from memory_audit where action = 'undo' and details ? 'of' and affected_ids <> '{}' group by 1, 2, 3, 4`)
	if err != nil {
		return nil, nil, fmt.Errorf("find undos: %w", err)
	}
	type undo struct {
		workflow string
		of       changeKey
		partial  bool
		id       int64
	}
	all, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (x undo, err error) {
		return x, r.Scan(&x.workflow, &x.of.workflow, &x.of.chain, &x.partial, &x.id)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find undos: %w", err)
	}
	slices.SortFunc(all, func(a, b undo) int { return cmp.Compare(b.id, a.id) }) // newest first
	by, of = map[changeKey]string{}, map[string]string{}
	for _, x := range all {
		of[x.workflow] = x.of.workflow
		if !x.partial && by[changeKey{x.workflow, x.workflow}] == "" {
			by[x.of] = x.workflow
		}
	}
	return by, of, nil
}

// lastLooked is how many of the last changes are looked at for one that is not undone.
const lastLooked = 200

// FindChange implements [activities.Undoer].
func (l *Ledger) FindChange(ctx context.Context, of string) (memory.FoundChange, error) {
	const what = "find the change"
	if of == "" {
		return l.lastChange(ctx)
	}
	var found memory.FoundChange
	err := l.tx(ctx, what, func(tx pgx.Tx) error {
		if memory.ValidID(of) {
			var is bool
			if err := tx.QueryRow(ctx, `select exists (select from memories where id = $1)`, of).Scan(&is); err != nil {
				return fmt.Errorf("look for memory %s: %w", of, err)
			}
			if is {
				return l.changeOf(ctx, tx, of, &found)
			}
		}
		for _, condition := range []string{`workflow_id = $1`, `chain = $1 or run_id = $1`} {
			changes, err := l.changes(ctx, tx, condition, 1, of)
			if err != nil {
				return err
			}
			if len(changes) > 0 {
				found.Change = changes[0]
				return nil
			}
		}
		return memory.Errorf(memory.NotFound, `see the last ones with "mneme undo --list"`, "there is no change %q", of)
	})
	return found, err
}

// lastChange finds the newest change that is neither an undo nor undone.
func (l *Ledger) lastChange(ctx context.Context) (memory.FoundChange, error) {
	changes, err := l.Changes(ctx, lastLooked)
	if err != nil {
		return memory.FoundChange{}, err
	}
	for _, c := range changes {
		if c.UndoneBy == "" && c.Action != memory.ActionUndo {
			return memory.FoundChange{Change: c}, nil
		}
	}
	return memory.FoundChange{}, l.wrap("find the change", memory.Errorf(memory.NotFound,
		`see the last ones with "mneme undo --list", and name one`, "there is no change to undo"))
}

// changeOf finds the last change of a memory that is neither an undo nor undone, and
// the memories that were merged by it with this one.
func (l *Ledger) changeOf(ctx context.Context, tx pgx.Tx, id string, found *memory.FoundChange) error {
	rows, err := tx.Query(ctx, `select workflow_id, `+sqlChain+`, action from memory_versions where memory_id = $1 and action <> 'rebuild' order by seq desc`, id)
	if err != nil {
		return fmt.Errorf("find changes of memory %s: %w", id, err)
	}
	type step struct {
		changeKey
		action string
	}
	steps, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (s step, err error) {
		return s, r.Scan(&s.workflow, &s.chain, &s.action)
	})
	if err != nil {
		return fmt.Errorf("find changes of memory %s: %w", id, err)
	}
	skip, err := undoneOf(ctx, tx, id)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if s.action == memory.ActionUndo || skip[s.changeKey] {
			continue
		}
		changes, err := l.changes(ctx, tx, `workflow_id || ' ' || chain = $1`, 1, s.workflow+" "+s.chain)
		if err != nil || len(changes) == 0 {
			return err
		}
		found.Change = changes[0]
		found.Only, err = mergedWith(ctx, tx, id, s.changeKey)
		return err
	}
	return memory.Errorf(memory.NotFound, `see its life with "mneme history `+id+`"`, "there is no change of memory %s to undo", id)
}

// undoneOf returns the changes that are undone of one memory: by an undo of the change or
// of its part.
func undoneOf(ctx context.Context, tx pgx.Tx, id string) (map[changeKey]bool, error) {
	rows, err := tx.Query(ctx, `select workflow_id, details ->> 'of', details ->> 'chain' from memory_audit
where action = 'undo' and details ? 'of' and affected_ids @> array[$1::uuid] order by id desc`, id)
	if err != nil {
		return nil, fmt.Errorf("find undos of memory %s: %w", id, err)
	}
	out := map[changeKey]bool{}
	var by string
	var of changeKey
	_, err = pgx.ForEachRow(rows, []any{&by, &of.workflow, &of.chain}, func() error {
		if !out[changeKey{by, by}] {
			out[of] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find undos of memory %s: %w", id, err)
	}
	return out, nil
}

// mergedWith returns a memory and those that a change merged with it.
func mergedWith(ctx context.Context, tx pgx.Tx, id string, of changeKey) ([]string, error) {
	rows, err := tx.Query(ctx, `with recursive turn as materialized (
	select memory_id as id, unnest(array[before ->> 'merged_into', after ->> 'merged_into'])::uuid as into_id
	from memory_versions where workflow_id = $2 and `+sqlChain+` = $3
), together(id) as (
	select $1::uuid
	union
	select case when turn.id = together.id then turn.into_id else turn.id end
	from turn join together on together.id in (turn.id, turn.into_id) where turn.into_id is not null
) select id from together where id is not null order by id <> $1, id`, id, of.workflow, of.chain)
	if err != nil {
		return nil, fmt.Errorf("find what was merged with memory %s: %w", id, err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find what was merged with memory %s: %w", id, err)
	}
	return ids, nil
}

// TurnTexts implements [activities.Undoer].
func (l *Ledger) TurnTexts(ctx context.Context, turns []memory.Turn) ([]memory.Undo, error) {
	const what = "read what was undone"
	out := make([]memory.Undo, len(turns))
	at := map[string]int{}
	var ids []string
	var firsts, lasts []int64
	for i, t := range turns {
		out[i] = memory.Undo{ID: t.ID, From: t.From, To: t.To}
		at[t.ID] = i
		ids, firsts, lasts = append(ids, t.ID), append(firsts, t.First), append(lasts, t.Last)
	}
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select t.id, m.project,
coalesce((select after ->> 'text' from memory_versions where seq = t.last), m.text),
coalesce((select before ->> 'text' from memory_versions where seq = t.first), case when t.first = 0 then m.text end, '')
from unnest($1::uuid[], $2::bigint[], $3::bigint[]) t(id, first, last) join memories m on m.id = t.id`, noNil(ids), firsts, lasts)
		if err != nil {
			return err
		}
		var id, project, was, becomes string
		_, err = pgx.ForEachRow(rows, []any{&id, &project, &was, &becomes}, func() error {
			x := &out[at[id]]
			x.Project, x.Was, x.Becomes = project, was, becomes
			return nil
		})
		return err
	})
	return out, err
}

// Restore implements [activities.Undoer].
func (l *Ledger) Restore(ctx context.Context, op memory.Op, id string, embed memory.Embed) (string, error) {
	const what = "restore memory"
	if err := memory.CheckID(id); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (string, error) {
		after, before, err := l.lastLife(ctx, tx, id)
		if err != nil {
			return "", err
		}
		if err := lockPlaces(ctx, tx, place{before.Project, before.Collection}, place{after.Project, after.Collection}); err != nil {
			return "", err
		}
		rows, err := lockRows(ctx, tx, []string{id})
		if err != nil {
			return "", err
		}
		if len(rows) != 1 || rows[0].State != before.State {
			return "", memory.Errorf(memory.Conflict, "try again", "memory %s is being changed", id)
		}
		if err := l.fit(ctx, tx, &after, embed); err != nil {
			return "", err
		}
		if err := refuseTwin(ctx, tx, after); err != nil {
			return "", err
		}
		e.project, e.collection, e.affected = after.Project, after.Collection, []string{id}
		e.details["from"] = before.State
		return id, l.save(ctx, tx, op, change{before: &rows[0], after: after})
	})
}

// lastLife returns a memory that is gone as it was when it was live, ready to live again.
func (l *Ledger) lastLife(ctx context.Context, tx pgx.Tx, id string) (after, before row, err error) {
	rows, err := selectRows(ctx, tx, `id = $1`, id)
	switch {
	case err != nil:
		return after, before, err
	case len(rows) == 0:
		return after, before, memory.Errorf(memory.NotFound, "copy the id from a store's or recall's answer", "there is no memory %s", id)
	case rows[0].State == memory.Live:
		return after, before, memory.Errorf(memory.Conflict, `to take its last change back: mneme undo `+id, "memory %s is there; nothing was changed", id)
	}
	before = rows[0]
	found, err := tx.Query(ctx, `select memory_id, seq, action, before, before_vector, after, after_vector from memory_versions
where memory_id = $1 and before ->> 'state' = 'live' and after ->> 'state' <> 'live' order by seq desc limit 1`, id)
	if err != nil {
		return after, before, fmt.Errorf("read versions: %w", err)
	}
	t, err := pgx.CollectExactlyOneRow(found, scanTurn)
	if errors.Is(err, pgx.ErrNoRows) {
		// A text that was merged into another when it came has never been live.
		return after, before, memory.Errorf(memory.NotFound, "its text is in "+before.MergedInto, "memory %s was never live by itself", id)
	}
	if err != nil {
		return after, before, fmt.Errorf("read versions: %w", err)
	}
	if strings.TrimSpace(t.before.Text) == "" {
		return after, before, memory.Errorf(memory.NotFound, "", "the text of memory %s was purged: there is no way back", id)
	}
	after = before
	after.Record, after.dirty = *t.before, true
	if after.indexedIn == "" {
		after.indexedIn = before.Collection
	}
	now := moment(l.now())
	after.LastAccessed, after.AnnouncedAt = now, nil // whoever restores it has a use for it
	if after.ExpiresAt != nil && after.ExpiresAt.Before(now) {
		after.ExpiresAt = nil
		if life := memory.Lifetime(after.Collection); life > 0 {
			at := now.Add(life)
			after.ExpiresAt = &at
		}
	}
	return after, before, nil
}

// fit gives a row a vector of the ledger's model, if it has one of another.
func (l *Ledger) fit(ctx context.Context, tx pgx.Tx, x *row, embed memory.Embed) error {
	m, err := l.model(ctx, tx)
	if err != nil {
		return fmt.Errorf("read the model: %w", err)
	}
	if x.Model == m.Model {
		return nil
	}
	vectors, model, err := embed(ctx, []string{x.Text})
	if err != nil {
		return outside{fmt.Errorf("embed what comes back: %w", err)}
	}
	x.Vector, x.Model = vectors[0], model
	return nil
}
