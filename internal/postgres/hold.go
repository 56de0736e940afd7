package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Hold implements activities.Organizer. It counts all of a project, also
// where only some collections are tidied up.
func (l *Ledger) Hold(ctx context.Context, op memory.Op, scope memory.Scope, yes bool) ([]memory.HeldPrune, error) {
	const what = "count what would be pruned"
	return once(ctx, l, op, what, func(tx pgx.Tx, e *entry) ([]memory.HeldPrune, error) {
		e.project, e.details["yes"] = scope.Project, yes
		held := []memory.HeldPrune{}
		if !yes {
			var err error
			if held, err = tooMuch(ctx, tx, scope); err != nil {
				return nil, err
			}
		}
		return held, noteHeld(ctx, tx, scope.Project, held)
	})
}

// tooMuch returns the projects of a scope of which too much would be pruned.
func tooMuch(ctx context.Context, tx pgx.Tx, scope memory.Scope) ([]memory.HeldPrune, error) {
	now := moment(scope.Now)
	candidates, err := selectStandings(ctx, tx, `state = 'live' and ($1 = '' or project = $1) and announced_at < $2 and not pinned`, scope.Project, now)
	if err != nil {
		return nil, err
	}
	prunable, live := map[string]int{}, map[string]int{}
	for _, s := range candidates {
		if s.Prunable(now) {
			prunable[s.Project]++
		}
	}
	rows, err := tx.Query(ctx, `select project, count(*) from memories where state = 'live' and ($1 = '' or project = $1) group by project`, scope.Project)
	if err != nil {
		return nil, fmt.Errorf("count memories: %w", err)
	}
	var project string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&project, &n}, func() error { live[project] = n; return nil }); err != nil {
		return nil, fmt.Errorf("count memories: %w", err)
	}
	return memory.HeldOf(prunable, live, now), nil
}

// noteHeld writes down which projects wait, of one project or of all. One that
// waited before has waited since then.
func noteHeld(ctx context.Context, tx pgx.Tx, project string, held []memory.HeldPrune) error {
	var b pgx.Batch
	waiting := []string{}
	for _, h := range held {
		waiting = append(waiting, h.Project)
		b.Queue(`insert into held_prunes (project, memories, live, held_at) values ($1, $2, $3, $4)
on conflict (project) do update set memories = excluded.memories, live = excluded.live`, h.Project, h.Memories, h.Live, h.HeldAt)
	}
	b.Queue(`delete from held_prunes where ($1 = '' or project = $1) and project <> all($2)`, project, waiting)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("note what is held back: %w", err)
	}
	return nil
}

// Held implements activities.Organizer.
func (l *Ledger) Held(ctx context.Context) ([]memory.HeldPrune, error) {
	const what = "read what is held back"
	var out []memory.HeldPrune
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select project, memories, live, held_at from held_prunes order by project`)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (h memory.HeldPrune, err error) {
			err = r.Scan(&h.Project, &h.Memories, &h.Live, &h.HeldAt)
			h.HeldAt = h.HeldAt.UTC()
			return h, err
		})
		return err
	})
	return out, err
}
