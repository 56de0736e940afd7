package workflows_test

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// flakyLedger does not answer its next writes. With applies it makes them all
// the same, as one does whose connection breaks after the commit.
type flakyLedger struct {
	activities.Ledger

	downFor atomic.Int64
	applies atomic.Bool
}

func flaked[T any](f *flakyLedger, do func() (T, error)) (T, error) {
	if f.downFor.Load() <= 0 {
		return do()
	}
	f.downFor.Add(-1)
	var none T
	if f.applies.Load() {
		if _, err := do(); err != nil {
			return none, err
		}
	}
	return none, memory.Down("PostgreSQL", "", errors.New("connection reset by peer"))
}

func (f *flakyLedger) Store(ctx context.Context, op memory.Op, rec memory.Record, links []memory.LinkRequest, near memory.Near) (memory.StoreResult, error) {
	return flaked(f, func() (memory.StoreResult, error) { return f.Ledger.Store(ctx, op, rec, links, near) })
}

func (f *flakyLedger) Select(ctx context.Context, filter memory.Filter, after string, limit int) ([]string, error) {
	return flaked(f, func() ([]string, error) { return f.Ledger.Select(ctx, filter, after, limit) })
}

func (f *flakyLedger) Forget(ctx context.Context, op memory.Op, ids []string, purge bool) (int, error) {
	return flaked(f, func() (int, error) { return f.Ledger.Forget(ctx, op, ids, purge) })
}

func (f *flakyLedger) Link(ctx context.Context, op memory.Op, link memory.Link) (memory.Link, error) {
	return flaked(f, func() (memory.Link, error) { return f.Ledger.Link(ctx, op, link) })
}

func (f *flakyLedger) Credit(ctx context.Context, op memory.Op, in memory.CreditInput) ([]string, error) {
	return flaked(f, func() ([]string, error) { return f.Ledger.Credit(ctx, op, in) })
}

func (f *flakyLedger) Update(ctx context.Context, op memory.Op, in memory.UpdateInput, v memory.Vector, model string) (memory.Memory, error) {
	return flaked(f, func() (memory.Memory, error) { return f.Ledger.Update(ctx, op, in, v, model) })
}

func (f *flakyLedger) Fold(ctx context.Context, op memory.Op, ids []string) (memory.MergedGroup, error) {
	return flaked(f, func() (memory.MergedGroup, error) { return f.Ledger.Fold(ctx, op, ids) })
}

func (f *flakyLedger) Record(ctx context.Context, workflowID string, events []memory.Event) (int, error) {
	return flaked(f, func() (int, error) { return f.Ledger.Record(ctx, workflowID, events) })
}
