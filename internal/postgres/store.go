package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Store implements activities.Storer. A known text, in any state, is found by
// its hash and its id; near is asked only for a new one.
func (l *Ledger) Store(ctx context.Context, op memory.Op, rec memory.Record, links []memory.LinkRequest, near memory.Near) (memory.StoreResult, error) {
	const what = "store memory"
	if err := checkNew(rec); err != nil {
		return memory.StoreResult{}, fmt.Errorf("%s: %w", what, err)
	}
	var alike []memory.Alike // not in the audit, which keeps no texts
	result, err := once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (memory.StoreResult, error) {
		s := &store{l: l, tx: tx, op: op, now: moment(l.now()), rec: rec, near: near}
		if err := s.lock(ctx); err != nil {
			return memory.StoreResult{}, err
		}
		result, err := s.run(ctx)
		if err != nil {
			return result, err
		}
		linked, err := l.addRequested(ctx, tx, op, result.ID, links)
		if err != nil {
			return result, err
		}
		e.project, e.collection, e.affected = result.Project, result.Collection, []string{result.ID}
		if rec.ID != result.ID {
			e.affected = append(e.affected, rec.ID)
		}
		alike = s.alike
		e.details["links"], e.details["source"], e.details["text_bytes"] = linked, rec.Source, len(rec.Text)
		return result, nil
	})
	if err == nil && result.Status == memory.Stored {
		result.Alike = alike
	}
	return result, err
}

// lock keeps other stores of the project out, because a fact is looked for in
// all its collections, and everybody else out of the place of the new memory.
func (s *store) lock(ctx context.Context) error {
	return lockPlaces(ctx, s.tx, place{s.rec.Project, ""}, place{s.rec.Project, s.rec.Collection})
}

// checkNew refuses what can neither be kept nor found again.
func checkNew(rec memory.Record) error {
	if err := memory.CheckID(rec.ID); err != nil {
		return err
	}
	if err := memory.CheckText(rec.Text, memory.MaxTextBytes); err != nil {
		return err
	}
	if err := rec.Vector.Check(); err != nil {
		return memory.Errorf(memory.Invalid, "", "%w", err)
	}
	if rec.State != memory.Live {
		return memory.Errorf(memory.Invalid, "", "a new memory is live, not %q", rec.State)
	}
	return nil
}

// store is one Store inside its transaction and under its lock.
type store struct {
	l    *Ledger
	tx   pgx.Tx
	op   memory.Op
	now  time.Time
	rec  memory.Record
	near memory.Near

	alike []memory.Alike // what is much like it; see duplicate
}

func (s *store) run(ctx context.Context) (memory.StoreResult, error) {
	own, holder, err := s.known(ctx)
	if err != nil {
		return memory.StoreResult{}, err
	}
	if holder != nil {
		return s.confirm(ctx, *holder)
	}
	twin, similarity, err := s.duplicate(ctx)
	if err != nil {
		return memory.StoreResult{}, err
	}
	if twin != nil {
		return s.absorb(ctx, *twin, own, similarity)
	}
	return s.insert(ctx, own)
}

// known finds the row with the new memory's id, and the live memory that
// holds the very same text already, which may be where it was merged into.
//
// A memory keeps its id when it is edited, so the row with the new memory's id
// may have come to say something else. That row stays unchanged, and the new memory
// takes the next id.
func (s *store) known(ctx context.Context) (own, holder *row, err error) {
	for {
		own, holder, err = s.lookUp(ctx)
		if err != nil || holder != nil || own == nil || own.State != memory.Live {
			return own, holder, err
		}
		s.rec.ID = memory.NextID(s.rec.ID)
	}
}

// lookUp is known for one id.
func (s *store) lookUp(ctx context.Context) (own, holder *row, err error) {
	// Two look-ups by index: an OR makes the planner walk the collection before it has statistics.
	rows, err := selectRows(ctx, s.tx, `id in (select $1::uuid union all
select id from memories where project = $2 and collection = $3 and content_hash = $4 and state = 'live') order by id for update`, s.rec.ID, s.rec.Project, s.rec.Collection, s.rec.ContentHash)
	if err != nil {
		return nil, nil, err
	}
	for i := range rows {
		if rows[i].ID == s.rec.ID {
			own = &rows[i]
		}
		if rows[i].State == memory.Live && memory.Holds(rows[i].Text, s.rec.Text) {
			holder = &rows[i]
		}
	}
	if holder == nil && own != nil && own.State == memory.Merged {
		holder, err = survivor(ctx, s.tx, own.ID)
		if holder != nil && !memory.Holds(holder.Text, s.rec.Text) {
			holder = nil // edited since
		}
	}
	return own, holder, err
}

// survivor follows merges to the live end and locks it; nil if the end is
// not live.
func survivor(ctx context.Context, tx pgx.Tx, id string) (*row, error) {
	rows, err := selectRows(ctx, tx, `state = 'live' and id in (
with recursive way(id, next) as (
	select id, merged_into from memories where id = $1
	union
	select m.id, m.merged_into from memories m join way on m.id = way.next
) select id from way) for update`, id)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// insert adds the new memory, or brings a row that is no longer live back
// with the new content.
func (s *store) insert(ctx context.Context, own *row) (memory.StoreResult, error) {
	after := fresh(s.rec, own)
	if after.Session != "" && after.Position == 0 {
		last, err := lastPositions(ctx, s.tx, []sitting{{after.Project, after.Session}})
		if err != nil {
			return memory.StoreResult{}, err
		}
		after.Position = last[sitting{after.Project, after.Session}] + 1
	}
	if err := s.l.save(ctx, s.tx, s.op, change{before: own, after: after}); err != nil {
		return memory.StoreResult{}, err
	}
	return resultOf(after, memory.Stored, 0), nil
}

// fresh is the row of a new record in place of an older one, if any.
func fresh(rec memory.Record, own *row) row {
	x := row{Record: rec, dirty: true}
	x.CreatedAt, x.LastAccessed, x.ArrivedAt = moment(x.CreatedAt), moment(x.LastAccessed), moment(x.ArrivedAt)
	if x.ExpiresAt != nil {
		at := moment(*x.ExpiresAt)
		x.ExpiresAt = &at
	}
	if own != nil {
		x.indexedIn = own.indexedIn
	}
	return x
}

func resultOf(x row, status memory.Status, similarity float64) memory.StoreResult {
	return memory.StoreResult{ID: x.ID, Status: status, Similarity: similarity, Project: x.Project, Collection: x.Collection}
}

// sitting is a session of a project.
type sitting struct{ project, session string }

// lastPositions locks sessions against other givers of positions and returns
// the last position given in each.
func lastPositions(ctx context.Context, tx pgx.Tx, sittings []sitting) (map[sitting]int, error) {
	keys := make([]string, 0, len(sittings))
	for _, s := range sittings {
		keys = append(keys, joinKey(s.project, s.session))
	}
	if err := lockKeys(ctx, tx, 3, keys); err != nil {
		return nil, err
	}
	last := make(map[sitting]int, len(sittings))
	for _, s := range sittings {
		var n int
		err := tx.QueryRow(ctx, `select coalesce(max(position), 0) from memories where project = $1 and session = $2 and session <> ''`,
			s.project, s.session).Scan(&n)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return nil, fmt.Errorf("find the last position: %w", err)
		}
		last[s] = n
	}
	return last, nil
}

func noNil(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}
