package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// The plans of dry runs that are kept: the last ones, for a while.
const (
	plansKept   = 20
	planKeptFor = 30 * 24 * time.Hour
	planPage    = 500 // steps, when a plan is compared with the ledger
)

// KeepPlan implements activities.Planner.
func (l *Ledger) KeepPlan(ctx context.Context, head memory.PlanHead, steps []memory.PlanStep) error {
	head.At = moment(head.At)
	head.Steps, head.Digest, head.Totals = len(steps), memory.DigestOf(steps), memory.TotalsOf(steps)
	var err error
	if head.Ledger, err = l.Identity(ctx); err != nil {
		return err
	}
	data, err := json.Marshal(head)
	if err != nil {
		return memory.Errorf(memory.Internal, "", "write the head of a plan: %w", err)
	}
	return l.tx(ctx, "keep a plan", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from organize_plans where id = $1 or at < $2
or id in (select id from organize_plans order by at desc, id offset $3)`, head.ID, moment(l.now()).Add(-planKeptFor), plansKept-1); err != nil {
			return fmt.Errorf("drop old plans: %w", err)
		}
		if _, err := tx.Exec(
			ctx, `insert into organize_plans (id, at, head) values ($1, $2, $3)`,
			head.ID, moment(l.now()), data,
		); err != nil {
			return fmt.Errorf("keep the head of a plan: %w", err)
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"organize_plan_steps"},
			[]string{"plan", "number", "action", "ids", "step"},
			pgx.CopyFromSlice(len(steps), func(i int) ([]any, error) {
				s := steps[i]
				ids := s.IDs
				s.IDs = nil
				rest, err := json.Marshal(s)
				return []any{head.ID, int32(i + 1), s.Action, ids, rest}, err //nolint:gosec // fewer steps than memories
			}))
		if err != nil {
			return fmt.Errorf("keep the steps of a plan: %w", err)
		}
		return nil
	})
}

// PlanHead implements activities.Planner.
func (l *Ledger) PlanHead(ctx context.Context, id string) (memory.PlanHead, error) {
	const what = "read a plan"
	var head memory.PlanHead
	var data []byte
	err := l.again(ctx, what, func() error {
		err := l.pool.QueryRow(ctx, `select head from organize_plans where id = $1`, id).Scan(&data)
		if errors.Is(err, pgx.ErrNoRows) {
			return memory.Errorf(memory.NotFound, `make a new one with "mneme organize --dry-run"`,
				"the plan %s is not kept: it is of another ledger, older than %d days, or %d newer ones were made",
				id, int(planKeptFor.Hours()/24), plansKept)
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(data, &head)
	})
	return head, err
}

// PlanSteps implements activities.Planner.
func (l *Ledger) PlanSteps(ctx context.Context, id string, after, limit int) ([]memory.PlanStep, error) {
	const what = "read the steps of a plan"
	var out []memory.PlanStep
	err := l.again(ctx, what, func() (err error) {
		out, err = planSteps(ctx, l.pool, `plan = $1 and number > $2 order by number limit $3`, id, after, limit)
		return err
	})
	return out, err
}

func planSteps(ctx context.Context, q querier, condition string, args ...any) ([]memory.PlanStep, error) {
	rows, err := q.Query(ctx, `select ids, step from organize_plan_steps where `+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("read the steps of a plan: %w", err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (s memory.PlanStep, err error) {
		var ids []string
		var data []byte
		if err := r.Scan(&ids, &data); err != nil {
			return s, err
		}
		err = json.Unmarshal(data, &s)
		s.IDs = ids
		return s, err
	})
}

// PlanMoved implements activities.Planner.
func (l *Ledger) PlanMoved(ctx context.Context, id string, limit int) (moved []memory.Moved, count int, err error) {
	const what = "compare a plan with the ledger"
	err = l.again(ctx, what, func() error {
		moved, count = []memory.Moved{}, 0
		for after := 0; ; after += planPage {
			steps, err := planSteps(ctx, l.pool,
				`plan = $1 and number > $2 and number <= $3 order by number`, id, after, after+planPage)
			if err != nil || len(steps) == 0 {
				return err
			}
			found, err := movedIn(ctx, l.pool, steps)
			if err != nil {
				return err
			}
			count += len(found)
			moved = append(moved, found[:min(len(found), limit-len(moved))]...)
		}
	})
	return moved, count, err
}

// movedIn compares the memories of steps with what they are now.
func movedIn(ctx context.Context, q querier, steps []memory.PlanStep) ([]memory.Moved, error) {
	var ids []string
	for _, s := range steps {
		if len(s.Marks) == len(s.IDs) {
			ids = append(ids, s.IDs...)
		}
	}
	found, err := selectStandings(ctx, q, `id = any($1)`, noNil(ids))
	if err != nil {
		return nil, err
	}
	now := make(map[string]memory.Standing, len(found))
	for _, s := range found {
		now[s.ID] = s
	}
	var moved []memory.Moved
	for _, step := range steps {
		for i, mark := range step.Marks {
			s, there := now[step.IDs[i]]
			switch {
			case !there:
				moved = append(moved, memory.Moved{ID: step.IDs[i], Action: step.Action, Now: "not there any more"})
			case s.State != memory.Live:
				moved = append(moved, memory.Moved{ID: s.ID, Action: step.Action, Now: string(s.State)})
			case s.Mark(step.Action) != mark:
				moved = append(moved, memory.Moved{ID: s.ID, Action: step.Action, Now: "changed or used"})
			}
		}
	}
	return moved, nil
}

// inPlan is the condition that a plan names a memory for an action; $7 is the
// plan, "" for none, and $8 the action.
const inPlan = `($7 = '' or id in (select unnest(ids) from organize_plan_steps where plan = $7 and action = $8))`

// changedByOthers returns those of ids whose content somebody else changed after a time.
func changedByOthers(
	ctx context.Context, tx pgx.Tx, op memory.Op, ids []string, since time.Time,
) (map[string]bool, error) {
	rows, err := tx.Query(ctx,
		`select distinct memory_id from memory_versions where memory_id = any($1) and at > $2 and workflow_id <> $3`,
		noNil(ids), moment(since), op.WorkflowID)
	if err != nil {
		return nil, fmt.Errorf("ask what was changed meanwhile: %w", err)
	}
	changed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("ask what was changed meanwhile: %w", err)
	}
	out := make(map[string]bool, len(changed))
	for _, id := range changed {
		out[id] = true
	}
	return out, nil
}

// nowOf returns what memories were merged into since, in order and each once:
// those that were not merged away stay.
func nowOf(ids []string, survivors map[string]string) []string {
	out := slices.Clone(ids)
	for i, id := range out {
		if s, ok := survivors[id]; ok {
			out[i] = s
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
