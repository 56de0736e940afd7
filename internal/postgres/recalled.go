package postgres

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Recalled implements activities.Storer. Only strong hits are counted, and
// memory.Shown is the rule for their confidence.
func (l *Ledger) Recalled(ctx context.Context, op memory.Op, r memory.Recalled) error {
	const what = "count recall"
	if err := checkOp(op); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if r.At.IsZero() {
		r.At = l.now()
	}
	e := recallEntry(r)
	args, err := l.auditArgs(op, e)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	args[2] = moment(r.At)
	return l.tx(ctx, what, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, insertAudit, args...)
		if err != nil || tag.RowsAffected() == 0 || len(e.affected) == 0 {
			return err
		}
		return countHits(ctx, tx, e.affected, moment(r.At))
	})
}

// countHits counts a strong hit of each live memory of ids. Rows are locked before
// they are read, so that two recalls at the same time are both counted.
func countHits(ctx context.Context, tx pgx.Tx, ids []string, at time.Time) error {
	rows, err := tx.Query(ctx, `select id, confidence, last_accessed from memories
where id = any($1) and state = 'live' order by id for update`, ids)
	if err != nil {
		return err
	}
	var hits []string
	var gained []float64
	var id string
	var confidence float64
	var last time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &confidence, &last}, func() error {
		hits, gained = append(hits, id), append(gained, memory.Shown(confidence, last, at))
		return nil
	})
	if err != nil || len(hits) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `update memories m set access_count = m.access_count + 1, last_accessed = greatest(m.last_accessed, $3),
confidence = hit.confidence, dirty = true, revision = m.revision + 1, changed_at = clock_timestamp()
from unnest($1::uuid[], $2::float8[]) hit(id, confidence) where m.id = hit.id`, hits, gained, at)
	return err
}

// recallEntry describes a recall without its texts: the query is known by
// hash and length.
func recallEntry(r memory.Recalled) entry {
	type hit struct {
		ID     string  `json:"id"`
		Score  float64 `json:"score"`
		Strong bool    `json:"strong"`
	}
	e := entry{project: r.Query.Project, details: map[string]any{}}
	if len(r.Query.Collections) == 1 {
		e.collection = r.Query.Collections[0]
	}
	asked := strings.Join(r.Query.Questions(), "\n")
	hits := make([]hit, 0, len(r.Hits))
	for _, h := range r.Hits {
		hits = append(hits, hit{h.ID, h.Score, h.Strong})
		if h.Strong {
			e.affected = append(e.affected, h.ID)
		}
	}
	maps.Copy(e.details, r.Details)
	maps.Copy(e.details, map[string]any{
		"hit": len(hits) > 0, "count": len(hits), "hits": hits, "below": r.Below,
		"query_hash": memory.ContentHash(asked), "query_bytes": len(asked),
		"limit": r.Query.Limit, "source": r.Query.Source, "session": r.Query.Session,
	})
	if r.Query.MinScore != nil {
		e.details["min_score"] = *r.Query.MinScore
	}
	return e
}

// Note implements activities.Storer.
func (l *Ledger) Note(ctx context.Context, op memory.Op, project, collection string, details map[string]any) error {
	const what = "write audit"
	if err := checkOp(op); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	args, err := l.auditArgs(op, entry{project: project, collection: collection, details: details})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return l.again(ctx, what, func() error {
		_, err := l.pool.Exec(ctx, insertAudit, args...)
		return err
	})
}
