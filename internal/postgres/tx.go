package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// maxCollisions is how often a transaction that lost against another one is
// tried again.
const maxCollisions = 5

// tx runs fn in a transaction. Deadlocks and lost races are tried again, and
// so is, once, a transaction whose connection turned out to be stale: every
// change here may be repeated, even if its commit was applied unseen.
func (l *Ledger) tx(ctx context.Context, what string, fn func(tx pgx.Tx) error) error {
	return l.again(ctx, what, func() error { return pgx.BeginFunc(ctx, l.pool, fn) })
}

func (l *Ledger) again(ctx context.Context, what string, fn func() error) error {
	for collisions, lost := 0, false; ; {
		err := fn()
		_, callback := errors.AsType[outside](err)
		switch {
		case err == nil || callback || ctx.Err() != nil:
			return l.wrap(what, err)
		case collided(err) && collisions < maxCollisions:
			collisions++
		case disconnected(err) && !lost:
			// The others in the pool are as stale as this one was.
			lost = true
			l.pool.Reset()
		default:
			return l.wrap(what, err)
		}
		l.log.DebugContext(ctx, "repeat a transaction", "what", what, "err", err)
	}
}

// entry is the audit row that a step writes beside its result.
type entry struct {
	project, collection string
	affected            []string
	details             map[string]any
	nothing             bool // the step changed nothing and may be tried again: no row
}

// once applies a step in one transaction with its audit row, or returns the
// result that the row of an earlier try kept. T must not hold texts.
func once[T any](ctx context.Context, l *Ledger, op memory.Op, what string, work func(tx pgx.Tx, e *entry) (T, error)) (T, error) {
	var result T
	if err := checkOp(op); err != nil {
		return result, fmt.Errorf("%s: %w", what, err)
	}
	err := l.tx(ctx, what, func(tx pgx.Tx) error {
		done, err := recorded(ctx, tx, op, &result)
		if err != nil || done {
			return err
		}
		e := entry{details: map[string]any{}}
		if result, err = work(tx, &e); err != nil || e.nothing {
			return err
		}
		e.details["result"] = result
		return l.audit(ctx, tx, op, e)
	})
	return result, err
}

// recorded takes the op's lock and, if its audit row is there, reads the result.
func recorded(ctx context.Context, tx pgx.Tx, op memory.Op, result any) (bool, error) {
	var b pgx.Batch
	run := op.RunID
	if op.AnyRun {
		run = ""
	}
	b.Queue(`select pg_advisory_xact_lock(hashtextextended($1, 1))`, joinKey(op.WorkflowID, run, op.Step))
	b.Queue(`select details -> 'result' from memory_audit where workflow_id = $1 and ($2 = '' or run_id = $2) and step = $3`,
		op.WorkflowID, run, op.Step)
	answers := tx.SendBatch(ctx, &b)
	defer answers.Close()
	if _, err := answers.Exec(); err != nil {
		return false, fmt.Errorf("lock step %s: %w", op.Step, err)
	}
	var kept []byte
	err := answers.QueryRow().Scan(&kept)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, answers.Close()
	}
	if err != nil {
		return false, fmt.Errorf("look for step %s: %w", op.Step, err)
	}
	if kept == nil {
		return true, answers.Close() // written by Note: no result
	}
	if err := json.Unmarshal(kept, result); err != nil {
		return false, fmt.Errorf("read the result of step %s: %w", op.Step, err)
	}
	return true, answers.Close()
}

// insertAudit changes nothing when the step's row is there already.
const insertAudit = `insert into memory_audit ("user", action, "timestamp", affected_ids, project, collection, workflow_id, run_id, step, details)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (workflow_id, run_id, step) do nothing`

func (l *Ledger) audit(ctx context.Context, tx pgx.Tx, op memory.Op, e entry) error {
	args, err := l.auditArgs(op, e)
	if err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, insertAudit, args...)
	if err != nil {
		return fmt.Errorf("write audit: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("step %s was applied meanwhile", op.Step) // the op's lock forbids it
	}
	return nil
}

// auditArgs are the arguments of insertAudit and the columns of a copy.
func (l *Ledger) auditArgs(op memory.Op, e entry) ([]any, error) {
	if e.details == nil {
		e.details = map[string]any{}
	}
	maps.Copy(e.details, op.Notes)
	details, err := json.Marshal(e.details)
	if err != nil {
		return nil, memory.Errorf(memory.Invalid, "", "write audit details: %w", err)
	}
	affected := e.affected
	if affected == nil {
		affected = []string{}
	}
	return []any{op.User, op.Action, moment(l.now()), affected, e.project, e.collection, op.WorkflowID, op.RunID, op.Step, details}, nil
}

func checkOp(op memory.Op) error {
	if op.WorkflowID == "" || op.Step == "" || op.Action == "" {
		return memory.Errorf(memory.Invalid, "", "an op needs a workflow, a step and an action")
	}
	return nil
}

// place is where texts must be unique.
type place struct{ project, collection string }

// lockPlaces keeps other stores, imports and merges out of places until the
// transaction ends.
func lockPlaces(ctx context.Context, tx pgx.Tx, places ...place) error {
	keys := make([]string, 0, len(places))
	for _, p := range places {
		keys = append(keys, joinKey(p.project, p.collection))
	}
	return lockKeys(ctx, tx, 2, keys)
}

// lockKeys takes transaction locks in a fixed order, so that two callers
// cannot wait for each other.
func lockKeys(ctx context.Context, tx pgx.Tx, space int, keys []string) error {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	var b pgx.Batch // in one message, and one after the other all the same
	for _, k := range keys {
		b.Queue(`select pg_advisory_xact_lock(hashtextextended($1, $2))`, k, space)
	}
	answers := tx.SendBatch(ctx, &b)
	defer answers.Close()
	for _, k := range keys {
		if _, err := answers.Exec(); err != nil {
			return fmt.Errorf("wait for the lock of %q: %w", k, err)
		}
	}
	return answers.Close()
}

// joinKey joins parts so that no two lists of them collide.
func joinKey(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%d:%s", len(p), p)
	}
	return b.String()
}
