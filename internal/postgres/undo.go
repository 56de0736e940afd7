package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// sqlChain is the chain of a version m, also of one that an older release
// wrote. Then only the runs of organize were continued, and their workflows
// had ids of their own.
const sqlChain = `coalesce(chain, case when workflow_id like 'organize%' then workflow_id else run_id end)`

// UndoPage implements [activities.Undoer].
func (l *Ledger) UndoPage(ctx context.Context, op memory.Op, s memory.UndoScope, embed memory.Embed) (memory.UndonePage, error) {
	const what = "undo"
	if s.DryRun {
		var out memory.UndonePage
		err := l.tx(ctx, what, func(tx pgx.Tx) (err error) {
			out, err = (&undo{l: l, tx: tx, op: op, scope: s, embed: embed}).page(ctx, &entry{})
			return err
		})
		return out, err
	}
	return once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (memory.UndonePage, error) {
		e.details["of"], e.details["chain"] = s.Change.WorkflowID, s.Change.Chain
		if len(s.Only) > 0 {
			e.details["only"] = s.Only[0]
		}
		return (&undo{l: l, tx: tx, op: op, scope: s, embed: embed}).page(ctx, e)
	})
}

// undo is one page of an undo inside its transaction.
type undo struct {
	l     *Ledger
	tx    pgx.Tx
	op    memory.Op
	scope memory.UndoScope
	embed memory.Embed

	members map[string]member
	plans   map[string]plan
	out     memory.UndonePage
}

// turnsShown is how many memories of a page a report can show.
const turnsShown = memory.ReportMost

func (u *undo) page(ctx context.Context, e *entry) (memory.UndonePage, error) {
	u.out = memory.UndonePage{IDs: []string{}}
	ids, err := u.ids(ctx)
	if err != nil {
		return u.out, err
	}
	if len(ids) > 0 && len(ids) == u.scope.Limit {
		u.out.Next = ids[len(ids)-1]
	}
	if err := u.decide(ctx, ids); err != nil {
		return u.out, err
	}
	if err := u.embedAnew(ctx); err != nil {
		return u.out, err
	}
	if err := u.apply(ctx); err != nil {
		return u.out, err
	}
	e.affected = u.out.IDs
	u.common(e)
	return u.out, nil
}

// ids are the memories of the page.
func (u *undo) ids(ctx context.Context) ([]string, error) {
	after, err := keysetStart(u.scope.After)
	if err != nil {
		return nil, err
	}
	table, chain := `memory_changes`, `chain`
	if u.scope.Change.Old {
		table, chain = `memory_versions`, sqlChain
	}
	rows, err := u.tx.Query(ctx, `select distinct memory_id from `+table+` where workflow_id = $1 and `+chain+` = $2
and memory_id > $3 and (cardinality($4::uuid[]) = 0 or memory_id = any($4)) order by memory_id limit $5`,
		u.scope.Change.WorkflowID, u.scope.Change.Chain, after, noNil(u.scope.Only), u.scope.Limit)
	if err != nil {
		return nil, fmt.Errorf("find what was changed: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find what was changed: %w", err)
	}
	return ids, nil
}

// decide plans what becomes of the memories of the page. A memory that holds
// the text that another one is to have again comes along, if the change did that.
func (u *undo) decide(ctx context.Context, ids []string) error {
	for {
		if err := u.look(ctx, ids); err != nil {
			return err
		}
		more, err := u.holders(ctx)
		if err != nil || len(more) == 0 {
			return err
		}
		ids = slices.Concat(ids, more)
	}
}

// look reads the members, locks them, and plans.
func (u *undo) look(ctx context.Context, ids []string) error {
	u.members, u.plans = map[string]member{}, map[string]plan{}
	if err := u.versions(ctx, ids); err != nil {
		return err
	}
	if err := u.counts(ctx, ids); err != nil {
		return err
	}
	if err := u.lock(ctx, ids); err != nil {
		return err
	}
	rows, err := lockRows(ctx, u.tx, ids)
	if err != nil {
		return err
	}
	model, err := u.l.model(ctx, u.tx)
	if err != nil {
		return fmt.Errorf("read the model: %w", err)
	}
	for _, now := range rows {
		m := u.members[now.ID]
		m.now = now
		u.members[now.ID], u.plans[now.ID] = m, planOf(m, model.Model)
	}
	return u.checkMerged(ctx)
}

// versions reads the first and the last version of the change, of each memory.
func (u *undo) versions(ctx context.Context, ids []string) error {
	for _, order := range []string{"", "desc"} {
		rows, err := u.tx.Query(ctx, `select distinct on (memory_id) memory_id, seq, action, before, before_vector, after, after_vector from memory_versions
where memory_id = any($1) and workflow_id = $2 and `+sqlChain+` = $3 order by memory_id, seq `+order, ids, u.scope.Change.WorkflowID, u.scope.Change.Chain)
		if err != nil {
			return fmt.Errorf("read versions: %w", err)
		}
		found, err := pgx.CollectRows(rows, scanTurn)
		if err != nil {
			return fmt.Errorf("read versions: %w", err)
		}
		for _, t := range found {
			m := u.members[t.after.ID]
			if order == "" {
				m.first = &t
			} else {
				m.last = &t
			}
			u.members[t.after.ID] = m
		}
	}
	return nil
}

func scanTurn(r pgx.CollectableRow) (turn, error) {
	var t turn
	var id string
	var before *memory.Memory
	var was, is []byte
	err := r.Scan(&id, &t.seq, &t.action, &before, &was, &t.after.Memory, &is)
	if err != nil {
		return t, err
	}
	if before != nil {
		t.before = &memory.Record{Memory: *before}
		if t.before.Vector, err = memory.VectorFromBytes(was); err != nil {
			return t, err
		}
	}
	t.after.ID = id
	t.after.Vector, err = memory.VectorFromBytes(is)
	return t, err
}

// counts reads the first and the last counters of the change, of each memory.
func (u *undo) counts(ctx context.Context, ids []string) error {
	rows, err := u.tx.Query(ctx, `select memory_id, (array_agg(before order by seq))[1], (array_agg(after order by seq desc))[1]
from memory_changes where memory_id = any($1) and workflow_id = $2 and chain = $3 group by memory_id`, ids, u.scope.Change.WorkflowID, u.scope.Change.Chain)
	if err != nil {
		return fmt.Errorf("read counters: %w", err)
	}
	var id string
	var was, after []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &was, &after}, func() error {
		m := u.members[id]
		m.counted, m.was, m.after = true, nil, &counts{}
		if was != nil {
			m.was = &counts{}
			if err := json.Unmarshal(was, m.was); err != nil {
				return err
			}
		}
		err := json.Unmarshal(after, m.after)
		u.members[id] = m
		return err
	})
	if err != nil {
		return fmt.Errorf("read counters: %w", err)
	}
	return nil
}

// lock keeps stores and merges out of the places where memories are and to which they go back.
func (u *undo) lock(ctx context.Context, ids []string) error {
	places := map[place]bool{}
	for _, m := range u.members {
		if m.first != nil && m.first.before != nil {
			places[place{m.first.before.Project, m.first.before.Collection}] = true
		}
	}
	rows, err := u.tx.Query(ctx, `select distinct project, collection from memories where id = any($1)`, ids)
	if err != nil {
		return fmt.Errorf("find places: %w", err)
	}
	var p place
	if _, err := pgx.ForEachRow(rows, []any{&p.project, &p.collection}, func() error { places[p] = true; return nil }); err != nil {
		return fmt.Errorf("find places: %w", err)
	}
	return lockPlaces(ctx, u.tx, slices.Collect(maps.Keys(places))...)
}

// checkMerged leaves alone what would be merged into a memory that went away
// since the change: its text would be nowhere then.
func (u *undo) checkMerged(ctx context.Context) error {
	for id, p := range u.plans {
		into := p.after.MergedInto
		if p.verdict != goesBack || into == "" || u.plans[into].after.State == memory.Live {
			continue
		}
		var gone bool
		err := u.tx.QueryRow(ctx, `select state not in ('live', 'merged') and coalesce((select after ->> 'state' from memory_versions v
where v.memory_id = m.id and v.seq < $2 order by v.seq desc limit 1), '') in ('live', 'merged') from memories m where id = $1`, into, u.members[id].first.seq).Scan(&gone)
		if err != nil {
			return fmt.Errorf("look for memory %s: %w", into, err)
		}
		back := false // on another page
		if gone {
			if back, err = u.changed(ctx, into); err != nil {
				return err
			}
		}
		if gone && !back {
			u.plans[id] = plan{verdict: leftAlone, reason: "the memory that it was merged into, " + into + ", is gone"}
		}
	}
	return nil
}

// holders finds live memories with a text that a memory of the page is to have
// again. It returns those that the change brought about, which have to go first, and
// leaves alone whose text somebody stored again.
func (u *undo) holders(ctx context.Context) (more []string, err error) {
	for _, id := range slices.Sorted(maps.Keys(u.plans)) {
		p := u.plans[id]
		if p.verdict != goesBack || p.after.State != memory.Live {
			continue
		}
		twins, err := selectRows(ctx, u.tx, `project = $1 and collection = $2 and content_hash = $3 and state = 'live' and id <> $4`,
			p.after.Project, p.after.Collection, p.after.ContentHash, id)
		if err != nil {
			return nil, err
		}
		for _, twin := range twins {
			other, ofPage := u.plans[twin.ID]
			if ofPage && other.verdict == goesBack && (other.after.State != memory.Live || other.after.ContentHash != p.after.ContentHash) {
				continue // it leaves the text in this very step
			}
			if !ofPage && !slices.Contains(more, twin.ID) {
				mine, err := u.changed(ctx, twin.ID)
				if err != nil {
					return nil, err
				}
				if mine {
					more = append(more, twin.ID)
					continue
				}
			}
			u.plans[id] = plan{verdict: leftAlone, reason: "memory " + twin.ID + " holds its text now"}
		}
	}
	return more, nil
}

// changed reports whether a memory is one of the change.
func (u *undo) changed(ctx context.Context, id string) (yes bool, err error) {
	if len(u.scope.Only) > 0 && !slices.Contains(u.scope.Only, id) {
		return false, nil
	}
	err = u.tx.QueryRow(ctx, `select exists (select from memory_versions where memory_id = $1 and workflow_id = $2 and `+sqlChain+` = $3)`,
		id, u.scope.Change.WorkflowID, u.scope.Change.Chain).Scan(&yes)
	if err != nil {
		return false, fmt.Errorf("look for memory %s in the change: %w", id, err)
	}
	return yes, nil
}

// embedAnew makes vectors of the present model for memories with a vector of an older model.
func (u *undo) embedAnew(ctx context.Context) error {
	var ids, texts []string
	for _, id := range slices.Sorted(maps.Keys(u.plans)) {
		if p := u.plans[id]; p.verdict == goesBack && p.embed {
			ids, texts = append(ids, id), append(texts, p.after.Text)
		}
	}
	if len(ids) == 0 || u.scope.DryRun {
		u.out.Embedded = len(ids)
		return nil
	}
	vectors, model, err := u.embed(ctx, texts)
	if err != nil {
		return outside{fmt.Errorf("embed what comes back: %w", err)}
	}
	for i, id := range ids {
		p := u.plans[id]
		p.after.Vector, p.after.Model = vectors[i], model
		u.plans[id] = p
	}
	u.out.Embedded = len(ids)
	return nil
}

// inOrder returns the memories of the page so that each text is free before
// another memory takes it. In a circle, which no change of mneme makes, nobody moves.
func (u *undo) inOrder() []string {
	held := map[text]string{} // by live memories that give it up
	for id, p := range u.plans {
		if now := u.members[id].now; p.verdict == goesBack && now.State == memory.Live {
			held[text{now.Project, now.Collection, now.ContentHash}] = id
		}
	}
	var ordered []string
	placed, coming := map[string]bool{}, map[string]bool{}
	var place func(id string) bool
	place = func(id string) bool {
		if placed[id] || coming[id] {
			return placed[id]
		}
		coming[id] = true
		p := u.plans[id]
		if p.verdict == goesBack && p.after.State == memory.Live {
			holder, ok := held[text{p.after.Project, p.after.Collection, p.after.ContentHash}]
			if ok && holder != id && !place(holder) {
				u.plans[id] = plan{verdict: leftAlone, reason: "memory " + holder + " holds its text now"}
			}
		}
		placed[id] = true
		ordered = append(ordered, id)
		return u.plans[id].verdict == goesBack
	}
	for _, id := range slices.Sorted(maps.Keys(u.plans)) {
		place(id)
	}
	return ordered
}

// apply writes the planned changes, unless it is a dry run, and compares.
func (u *undo) apply(ctx context.Context) error {
	var changes []change
	for _, id := range u.inOrder() {
		p, m := u.plans[id], u.members[id]
		switch p.verdict {
		case isThere:
			u.out.Same++
			continue
		case leftAlone:
			u.out.LeftCount++
			u.out.Left = append(u.out.Left, memory.LeftAlone{ID: id, Reason: p.reason})
			continue
		case goesBack:
		}
		u.out.IDs = append(u.out.IDs, id)
		if p.carried {
			u.out.Carried++
		}
		if len(u.out.Turns) < turnsShown {
			u.out.Turns = append(u.out.Turns, turnOf(m, p))
		}
		changes = append(changes, change{before: &m.now, after: p.after, quiet: m.first == nil})
	}
	if u.scope.DryRun {
		return nil
	}
	if err := u.l.save(ctx, u.tx, u.op, changes...); err != nil {
		return err
	}
	return u.compare(ctx)
}

func turnOf(m member, p plan) memory.Turn {
	t := memory.Turn{ID: m.now.ID, From: m.now.State, To: p.after.State}
	if p.absent {
		t.To = ""
	}
	if m.first != nil {
		t.First, t.Last = m.first.seq, m.last.seq
	}
	return t
}

// compare reads what was written and compares its hash with that of the pre-image.
func (u *undo) compare(ctx context.Context) error {
	rows, err := selectRows(ctx, u.tx, `id = any($1) order by id`, u.out.IDs)
	if err != nil {
		return err
	}
	was, is := sha256.New(), sha256.New()
	for _, now := range rows {
		p := u.plans[now.ID]
		of := whole
		if p.embed {
			of = textual
		}
		a, b := digest(p.image, of), digest(now, of)
		if a != b {
			u.out.Differ = append(u.out.Differ, now.ID)
		}
		fmt.Fprintln(was, now.ID, a)
		fmt.Fprintln(is, now.ID, b)
	}
	u.out.Was, u.out.Is = hex.EncodeToString(was.Sum(nil)), hex.EncodeToString(is.Sum(nil))
	return nil
}

// common fills in the project and the collection that all restored memories share.
func (u *undo) common(e *entry) {
	rows := make([]row, 0, len(u.out.IDs))
	for _, id := range u.out.IDs {
		rows = append(rows, u.plans[id].after)
	}
	if len(rows) > 0 {
		e.project, e.collection = common(rows)
	}
}
