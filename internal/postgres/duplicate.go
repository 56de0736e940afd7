package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// confirmation is what the audit keeps of a duplicate: no text.
type confirmation struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"`
}

// Confirm implements activities.Reviser. It looks under the lock under which
// Store would look, so that the two agree.
func (l *Ledger) Confirm(ctx context.Context, op memory.Op, rec memory.Record, near memory.Near) (memory.DuplicateResult, error) {
	const what = "look for a duplicate"
	if err := checkNew(rec); err != nil {
		return memory.DuplicateResult{}, fmt.Errorf("%s: %w", what, err)
	}
	c, err := once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (confirmation, error) {
		s := &store{l: l, tx: tx, op: op, now: moment(l.now()), rec: rec, near: near}
		if err := s.lock(ctx); err != nil {
			return confirmation{}, err
		}
		before, similarity, err := s.holder(ctx)
		if err != nil || before == nil {
			e.nothing = true
			return confirmation{}, err
		}
		after := *before
		s.strengthen(&after, *before)
		e.project, e.collection, e.affected = after.Project, after.Collection, []string{after.ID}
		e.details["source"], e.details["session"], e.details["text_bytes"] = rec.Source, rec.Session, len(rec.Text)
		return confirmation{after.ID, similarity}, l.save(ctx, tx, op, change{before: before, after: after, quiet: true})
	})
	if err != nil || c.ID == "" {
		return memory.DuplicateResult{}, err
	}
	found, err := l.Get(ctx, []string{c.ID})
	if err != nil || len(found) == 0 {
		return memory.DuplicateResult{}, err
	}
	m := found[0]
	return memory.DuplicateResult{
		Found: true, ID: m.ID, Text: m.Text, Project: m.Project, Collection: m.Collection, Similarity: c.Similarity,
	}, nil
}

// holder finds the memory that holds the same fact as the record, and how
// similar the two are.
func (s *store) holder(ctx context.Context) (*row, float64, error) {
	_, holder, err := s.known(ctx)
	if err != nil || holder != nil {
		return holder, 1, err
	}
	return s.duplicate(ctx)
}
