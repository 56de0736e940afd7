package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Every change of a memory or a link is written down in the transaction that
// makes it, so that it can be undone: texts, vectors and states as versions,
// counters in memory_changes, links in link_changes. Recalls alone are not
// written down: what they count is carried over by an undo.

// counts are what changes about a memory without anybody having edited it.
type counts struct {
	Confidence    float64    `json:"confidence"`
	AccessCount   int        `json:"access_count"`
	Confirmations int        `json:"confirmations"`
	LastAccessed  time.Time  `json:"last_accessed"`
	ArrivedAt     time.Time  `json:"arrived_at"`
	AnnouncedAt   *time.Time `json:"announced_at"`
	DecayedAt     *time.Time `json:"decayed_at"`
}

func (x row) counts() counts {
	return counts{
		x.Confidence, x.AccessCount, x.confirmations, moment(x.LastAccessed), moment(x.ArrivedAt),
		momentOrNil(x.AnnouncedAt), momentOrNil(x.decayedAt),
	}
}

func momentOrNil(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := moment(*t)
	return &at
}

// sqlCounts is counts of a row m, made by PostgreSQL.
const sqlCounts = `jsonb_build_object('confidence', m.confidence, 'access_count', m.access_count, 'confirmations', m.confirmations,
'last_accessed', m.last_accessed, 'arrived_at', m.arrived_at, 'announced_at', m.announced_at, 'decayed_at', m.decayed_at)`

const (
	changeColumns = `memory_id, at, action, workflow_id, run_id, chain, step, before, after`

	insertChange = `insert into memory_changes (` + changeColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

	noteDecay = `insert into memory_changes (` + changeColumns + `)
select m.id, $4, $5, $6, $7, $8, $9, ` + sqlCounts + `, ` + sqlCounts + ` || jsonb_build_object('confidence', faded.confidence, 'decayed_at', $3::timestamptz)
from memories m join unnest($1::uuid[], $2::float8[]) faded(id, confidence) on m.id = faded.id`

	noteAnnouncement = `insert into memory_changes (` + changeColumns + `)
select m.id, $3, $4, $5, $6, $7, $8, ` + sqlCounts + `, ` + sqlCounts + ` || jsonb_build_object('announced_at', $2::timestamptz)
from memories m where m.id = any($1)`
)

// chainOf names the change that an op is a part of.
func chainOf(op memory.Op) string {
	if op.Chain != "" {
		return op.Chain
	}
	return op.RunID
}

// changeArgs are the arguments of insertChange and the columns of a copy.
func (l *Ledger) changeArgs(op memory.Op, c change) ([]any, error) {
	var before []byte // NULL
	if c.before != nil {
		var err error
		if before, err = json.Marshal(c.before.counts()); err != nil {
			return nil, fmt.Errorf("write change: %w", err)
		}
	}
	after, err := json.Marshal(c.after.counts())
	if err != nil {
		return nil, fmt.Errorf("write change: %w", err)
	}
	return []any{c.after.ID, moment(l.now()), op.Action, op.WorkflowID, op.RunID, chainOf(op), op.Step, before, after}, nil
}

// noteLinks writes down links that came or went.
func (l *Ledger) noteLinks(ctx context.Context, tx pgx.Tx, op memory.Op, added bool, links ...memory.Link) error {
	var b pgx.Batch
	for _, k := range links {
		b.Queue(`insert into link_changes (link_id, source_id, target_id, link_type, created_at, added, at, action, workflow_id, run_id, chain, step)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
			k.ID, k.SourceID, k.TargetID, k.Type, k.CreatedAt, added, moment(l.now()), op.Action, op.WorkflowID, op.RunID, chainOf(op), op.Step)
	}
	if b.Len() == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("note links: %w", err)
	}
	return nil
}

// dropLinks takes away all links of memories and returns them.
func (l *Ledger) dropLinks(ctx context.Context, tx pgx.Tx, op memory.Op, ids []string) ([]memory.Link, error) {
	rows, err := tx.Query(ctx, `delete from memory_links where source_id = any($1) or target_id = any($1) returning `+linkColumns, noNil(ids))
	if err != nil {
		return nil, fmt.Errorf("drop links: %w", err)
	}
	dropped, err := pgx.CollectRows(rows, scanLink)
	if err != nil {
		return nil, fmt.Errorf("drop links: %w", err)
	}
	return dropped, l.noteLinks(ctx, tx, op, false, dropped...)
}
