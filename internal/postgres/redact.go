package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// EveryMemory implements activities.Sweeper.
func (l *Ledger) EveryMemory(ctx context.Context, after string, limit int) ([]memory.Memory, error) {
	const what = "read memories of every state"
	start, err := keysetStart(after)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	var out []memory.Memory
	err = l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select `+memoryColumns+` from memories where id > $1 order by id limit $2`, start, limit)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, scanMemory)
		return err
	})
	return out, err
}

// Redact implements activities.Sweeper. A memory keeps its id, its links and its counters, as with an
// edit. Its version of before stays to be cleaned by SweepVersions. A memory that somebody changed
// since it was read is left alone. Another live memory that holds the redacted text already is merged into it.
func (l *Ledger) Redact(ctx context.Context, op memory.Op, list []memory.Redacted) (memory.RedactedPage, error) {
	return once(ctx, l, op, "redact memories", func(tx pgx.Tx, e *entry) (memory.RedactedPage, error) {
		out := memory.RedactedPage{IDs: []string{}, Kinds: map[string]int{}}
		if e.nothing = len(list) == 0; e.nothing {
			return out, nil
		}
		var places []place
		ids := make([]string, len(list))
		for i, r := range list {
			ids[i] = r.Before.ID
			places = append(places, place{r.Before.Project, r.Before.Collection}, place{r.After.Project, r.After.Collection})
		}
		if err := lockPlaces(ctx, tx, places...); err != nil {
			return out, err
		}
		for _, r := range list {
			if err := l.redact(ctx, tx, op, r, &out); err != nil {
				return out, err
			}
		}
		e.affected, e.details["count"], e.details["kinds"] = out.IDs, out.Count, out.Kinds
		return out, nil
	})
}

func (l *Ledger) redact(ctx context.Context, tx pgx.Tx, op memory.Op, r memory.Redacted, out *memory.RedactedPage) error {
	rows, err := lockRows(ctx, tx, []string{r.Before.ID})
	if err != nil || len(rows) == 0 || !sameWords(rows[0].Memory, r.Before) {
		return err
	}
	before, after := rows[0], rows[0]
	after.Text, after.Tags, after.ContentHash = r.After.Text, r.After.Tags, r.After.ContentHash
	after.Project, after.Session, after.SourceRef = r.After.Project, r.After.Session, r.After.SourceRef
	if after.Text != before.Text {
		after.Vector, after.Model = r.Vector, r.Model
	}
	var changes []change
	if after.State == memory.Live {
		after.dirty = true
		if changes, err = l.mergeTwins(ctx, tx, op, &after); err != nil {
			return err
		}
	}
	for _, twin := range changes {
		out.IDs = append(out.IDs, twin.after.ID)
	}
	out.IDs, out.Count, out.Merged = append(out.IDs, after.ID), out.Count+1, out.Merged+len(changes)
	for _, kind := range r.Kinds {
		out.Kinds[kind]++
	}
	return l.save(ctx, tx, op, append(changes, change{before: &before, after: after})...)
}

// sameWords reports whether two memories have the same text and names.
func sameWords(a, b memory.Memory) bool {
	return a.Text == b.Text && slices.Equal(a.Tags, b.Tags) && a.Project == b.Project && a.Session == b.Session && a.SourceRef == b.SourceRef
}

// versionRow is what a sweep looks at of a version.
type versionRow struct {
	seq           int64
	before, after []byte
}

// SweepVersions implements activities.Sweeper. A version whose text was changed loses its vector, which
// tells of the text, and its model, so that an undo that brings the version back embeds it anew.
func (l *Ledger) SweepVersions(ctx context.Context, in memory.Cleaning) (int, error) {
	count := 0
	for from := int64(0); ; {
		var page []versionRow
		err := l.again(ctx, "read versions", func() error {
			rows, err := l.pool.Query(ctx, `select seq, before, after from memory_versions where seq > $1 order by seq limit $2`, from, sweepPage)
			if err != nil {
				return err
			}
			page, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (v versionRow, err error) {
				return v, r.Scan(&v.seq, &v.before, &v.after)
			})
			return err
		})
		if err != nil || len(page) == 0 {
			return count, err
		}
		n, err := l.sweepVersions(ctx, page, in)
		count += n
		if err != nil {
			return count, err
		}
		in.Step()
		from = page[len(page)-1].seq
	}
}

func (l *Ledger) sweepVersions(ctx context.Context, page []versionRow, in memory.Cleaning) (int, error) {
	var b pgx.Batch
	b.Queue(`select set_config('mneme.purge', 'on', true)`)
	n := 0
	for _, row := range page {
		before, lostBefore, err := cleanVersion(row.before, in)
		if err != nil {
			return n, err
		}
		after, lostAfter, err := cleanVersion(row.after, in)
		if err != nil {
			return n, err
		}
		if before == nil && after == nil {
			continue
		}
		n++
		b.Queue(`update memory_versions set before = coalesce($2::jsonb, before), after = coalesce($3::jsonb, after),
before_vector = case when $4 then null else before_vector end, after_vector = case when $5 then null else after_vector end where seq = $1`,
			row.seq, before, after, lostBefore, lostAfter)
	}
	b.Queue(`select set_config('mneme.purge', 'off', true)`)
	if n == 0 || !in.Apply {
		return n, nil
	}
	return n, l.tx(ctx, "clean versions", func(tx pgx.Tx) error { return tx.SendBatch(ctx, &b).Close() })
}

// cleanVersion returns one side of a version as it has to be, nil if it may stay.
func cleanVersion(side []byte, in memory.Cleaning) (clean []byte, lostText bool, err error) {
	if side == nil {
		return nil, false, nil
	}
	var m memory.Memory
	if err := json.Unmarshal(side, &m); err != nil {
		return nil, false, fmt.Errorf("read a version: %w", err)
	}
	to, changed := in.Memory(m)
	if !changed {
		return nil, false, nil
	}
	lostText = to.Text != m.Text
	if lostText {
		to.Model = ""
	}
	clean, err = json.Marshal(to)
	return clean, lostText, err
}

// SweepPlans implements activities.Sweeper. Plans and what is held back are made anew by the next
// organize run.
func (l *Ledger) SweepPlans(ctx context.Context, in memory.Cleaning) (int, error) {
	count := 0
	err := l.tx(ctx, "clean the plans of organize", func(tx pgx.Tx) error {
		count = 0
		for _, from := range []struct{ read, drop string }{
			{
				`select p.id, coalesce(s.step ->> 'project', ''), p.head::text || coalesce(s.step::text, '') from organize_plans p left join organize_plan_steps s on s.plan = p.id`,
				`delete from organize_plans where id = any($1)`,
			},
			{`select project, project, '' from held_prunes`, `delete from held_prunes where project = any($1)`},
		} {
			rows, err := tx.Query(ctx, from.read)
			if err != nil {
				return fmt.Errorf("read plans: %w", err)
			}
			var drop []string
			var id, project, text string
			_, err = pgx.ForEachRow(rows, []any{&id, &project, &text}, func() error {
				name := project
				_, dirty := in.Clean(project, text)
				if (dirty || in.CleanName(project, &name)) && !slices.Contains(drop, id) {
					drop = append(drop, id)
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("read plans: %w", err)
			}
			if count += len(drop); len(drop) == 0 || !in.Apply {
				continue
			}
			if _, err := tx.Exec(ctx, from.drop, drop); err != nil {
				return fmt.Errorf("take plans away: %w", err)
			}
		}
		return nil
	})
	return count, err
}
