package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// updated is what the audit keeps of an edit: no text.
type updated struct {
	ID      string   `json:"id"`
	Changed []string `json:"changed"` // names of what differs
}

// Update implements activities.Reviser. An edit that changes nothing writes
// no version.
func (l *Ledger) Update(ctx context.Context, op memory.Op, in memory.UpdateInput, vector memory.Vector, model string) (memory.Memory, error) {
	const what = "update memory"
	if in.Text != nil {
		if err := vector.Check(); err != nil {
			return memory.Memory{}, fmt.Errorf("%s: %w", what, memory.Errorf(memory.Invalid, "", "%w", err))
		}
	}
	u, err := once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (updated, error) {
		if in.Keep {
			if err := lockKept(ctx, tx, in); err != nil {
				return updated{}, err
			}
		}
		before, err := l.lockForEdit(ctx, tx, in.ID)
		if err != nil {
			return updated{}, err
		}
		after := before
		after.Memory = in.Apply(before.Memory)
		changed := differences(before, after)
		if slices.Contains(changed, "text") {
			if err := refuseTwin(ctx, tx, after); err != nil {
				return updated{}, err
			}
			after.Vector, after.Model = vector, model
		}
		e.project, e.collection, e.affected = after.Project, after.Collection, []string{after.ID}
		e.details["source"], e.details["text_bytes"] = in.Source, len(after.Text)
		if len(changed) > 0 || in.Keep {
			// Whoever edits or keeps a memory has a use for it: it is not pruned for long.
			after.dirty, after.LastAccessed = true, latest(before.LastAccessed, moment(l.now()))
			if err := l.save(ctx, tx, op, change{before: &before, after: after, quiet: len(changed) == 0}); err != nil {
				return updated{}, err
			}
		}
		if !in.Keep || memory.Lifetime(after.Collection) == 0 {
			return updated{in.ID, changed}, nil
		}
		id, err := l.promote(ctx, tx, op, after)
		return updated{id, append(changed, "collection")}, err
	})
	if err != nil {
		return memory.Memory{}, err
	}
	found, err := l.Get(ctx, []string{u.ID})
	if err != nil {
		return memory.Memory{}, err
	}
	if len(found) == 0 {
		return memory.Memory{}, l.wrap(what, notFound(u.ID))
	}
	return found[0].Memory, nil
}

// lockKept locks the places that a memory to keep is in and goes to, both at
// once, so that two of them cannot wait for each other.
func lockKept(ctx context.Context, tx pgx.Tx, in memory.UpdateInput) error {
	var at place
	var kind string
	err := tx.QueryRow(ctx, `select project, collection, type from memories where id = $1`, in.ID).Scan(&at.project, &at.collection, &kind)
	if errors.Is(err, pgx.ErrNoRows) {
		return notFound(in.ID)
	}
	if err != nil {
		return fmt.Errorf("find place: %w", err)
	}
	if in.Type != nil {
		kind = *in.Type
	}
	return lockPlaces(ctx, tx, at, place{at.project, memory.CollectionOf(kind)})
}

// lockForEdit locks the place and the row of a live memory. One that was merged
// away is refused: the caller has not seen the survivor's text.
func (l *Ledger) lockForEdit(ctx context.Context, tx pgx.Tx, id string) (row, error) {
	if err := memory.CheckID(id); err != nil {
		return row{}, err
	}
	if err := lockPlacesOf(ctx, tx, []string{id}); err != nil {
		return row{}, err
	}
	rows, err := lockRows(ctx, tx, []string{id})
	switch {
	case err != nil:
		return row{}, err
	case len(rows) == 1 && rows[0].State == memory.Live:
		return rows[0], nil
	}
	end, err := survivor(ctx, tx, id)
	switch {
	case err != nil:
		return row{}, err
	case end != nil:
		return row{}, mergedAway(id, end.ID)
	default:
		return row{}, notFound(id)
	}
}

func mergedAway(id, survivor string) error {
	return memory.Errorf(memory.Conflict, "look at "+survivor+" and use its id", "memory %s was merged into %s", id, survivor)
}

// refuseTwin refuses a text that another live memory of the place holds.
func refuseTwin(ctx context.Context, tx pgx.Tx, after row) error {
	twins, err := selectRows(ctx, tx, `project = $1 and collection = $2 and content_hash = $3 and state = 'live' and id <> $4`,
		after.Project, after.Collection, after.ContentHash, after.ID)
	if err != nil || len(twins) == 0 {
		return err
	}
	return memory.Errorf(memory.Conflict, fmt.Sprintf("merge the two, or forget %s", after.ID),
		"memory %s holds this text already", twins[0].ID)
}

// differences names what an edit changes.
func differences(before, after row) []string {
	out := []string{}
	for _, d := range []struct {
		name string
		same bool
	}{
		{"text", before.Text == after.Text},
		{"type", before.Type == after.Type},
		{"tags", slices.Equal(before.Tags, after.Tags)},
		{"importance", before.Importance == after.Importance},
		{"pinned", before.Pinned == after.Pinned},
	} {
		if !d.same {
			out = append(out, d.name)
		}
	}
	return out
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
