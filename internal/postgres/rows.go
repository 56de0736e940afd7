package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// row is a record and what only the ledger knows of it.
type row struct {
	memory.Record
	confirmations int
	decayedAt     *time.Time
	indexedIn     string
	dirty         bool
	updatedAt     *time.Time // of the content; nil: never updated. The ledger notes changes by itself.
}

const (
	memoryColumns = `id, collection, project, type, tags, text, confidence, importance, pinned, access_count, created_at,
last_accessed, arrived_at, announced_at, expires_at, source, session, position, content_hash, model, state,
coalesce(merged_into::text, ''), source_ref`
	recordColumns = memoryColumns + `, vector`
	rowColumns    = recordColumns + `, confirmations, decayed_at, coalesce(indexed_in, ''), dirty, updated_at`
)

// fields are where the memoryColumns of one row go.
func fields(m *memory.Memory) []any {
	return []any{
		&m.ID, &m.Collection, &m.Project, &m.Type, &m.Tags, &m.Text, &m.Confidence, &m.Importance, &m.Pinned,
		&m.AccessCount, &m.CreatedAt, &m.LastAccessed, &m.ArrivedAt, &m.AnnouncedAt, &m.ExpiresAt, &m.Source, &m.Session, &m.Position,
		&m.ContentHash, &m.Model, &m.State, &m.MergedInto, &m.SourceRef,
	}
}

// inUTC is for JSON that reads the same on every machine.
func inUTC(m *memory.Memory) {
	m.CreatedAt, m.LastAccessed, m.ArrivedAt = m.CreatedAt.UTC(), m.LastAccessed.UTC(), m.ArrivedAt.UTC()
	for _, at := range []**time.Time{&m.ExpiresAt, &m.AnnouncedAt} {
		if *at != nil {
			utc := (*at).UTC()
			*at = &utc
		}
	}
}

func scanMemory(r pgx.CollectableRow) (memory.Memory, error) {
	var m memory.Memory
	err := r.Scan(fields(&m)...)
	inUTC(&m)
	return m, err
}

func scanRecord(r pgx.CollectableRow) (memory.Record, error) {
	var rec memory.Record
	var vector []byte
	if err := r.Scan(append(fields(&rec.Memory), &vector)...); err != nil {
		return rec, err
	}
	inUTC(&rec.Memory)
	var err error
	rec.Vector, err = memory.VectorFromBytes(vector)
	return rec, err
}

func scanRow(r pgx.CollectableRow) (row, error) {
	var x row
	var vector []byte
	err := r.Scan(append(fields(&x.Memory), &vector, &x.confirmations, &x.decayedAt, &x.indexedIn, &x.dirty, &x.updatedAt)...)
	if err != nil {
		return x, err
	}
	inUTC(&x.Memory)
	x.Vector, err = memory.VectorFromBytes(vector)
	return x, err
}

// selectRows reads rows; the condition follows "where" and may end in a lock.
func selectRows(ctx context.Context, tx pgx.Tx, condition string, args ...any) ([]row, error) {
	rows, err := tx.Query(ctx, `select `+rowColumns+` from memories where `+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("read memories: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanRow)
	if err != nil {
		return nil, fmt.Errorf("read memories: %w", err)
	}
	return out, nil
}

// lockRows reads and locks rows in the order of their ids.
func lockRows(ctx context.Context, tx pgx.Tx, ids []string) ([]row, error) {
	return selectRows(ctx, tx, `id = any($1) order by id for update`, ids)
}

// change is what a step does to one memory.
type change struct {
	before *row // nil: it is new
	after  row
	quiet  bool // only counters differ: no version
}

const insertMemory = `insert into memories (id, collection, project, type, tags, text, vector, confidence, importance,
pinned, access_count, confirmations, created_at, last_accessed, expires_at, decayed_at, source, session, position,
content_hash, model, state, merged_into, indexed_in, dirty, arrived_at, announced_at, source_ref, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29)`

const updateMemory = `update memories set collection = $2, project = $3, type = $4, tags = $5, text = $6, vector = $7,
confidence = $8, importance = $9, pinned = $10, access_count = $11, confirmations = $12, created_at = $13,
last_accessed = $14, expires_at = $15, decayed_at = $16, source = $17, session = $18, position = $19,
content_hash = $20, model = $21, state = $22, merged_into = $23, indexed_in = $24, dirty = $25, arrived_at = $26, announced_at = $27, source_ref = $28,
updated_at = coalesce($29, updated_at), revision = revision + 1, changed_at = clock_timestamp() where id = $1`

const insertVersion = `insert into memory_versions (memory_id, at, action, workflow_id, run_id, step, before, before_vector, after, after_vector, chain)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

func (x row) args() []any {
	tags := x.Tags
	if tags == nil {
		tags = []string{}
	}
	return []any{
		x.ID, x.Collection, x.Project, x.Type, tags, x.Text, x.Vector.Bytes(), x.Confidence, x.Importance, x.Pinned,
		x.AccessCount, x.confirmations, moment(x.CreatedAt), moment(x.LastAccessed), x.ExpiresAt, x.decayedAt, x.Source,
		x.Session, x.Position, x.ContentHash, x.Model, string(x.State), orNull(x.MergedInto), orNull(x.indexedIn), x.dirty,
		moment(x.ArrivedAt), x.AnnouncedAt, x.SourceRef, x.updatedAt,
	}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// save writes changes and their versions. Rows that exist must be locked by
// the caller.
func (l *Ledger) save(ctx context.Context, tx pgx.Tx, op memory.Op, changes ...change) error {
	var b pgx.Batch
	// Rows that leave a state or a text come first: the text may be free for another then.
	for _, leaving := range []bool{true, false} {
		for _, c := range changes {
			if (c.after.State != memory.Live && c.before != nil) != leaving {
				continue
			}
			if err := l.queue(&b, op, c); err != nil {
				return err
			}
		}
	}
	if b.Len() == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("write memories: %w", err)
	}
	return nil
}

func (l *Ledger) queue(b *pgx.Batch, op memory.Op, c change) error {
	stmt := insertMemory
	if c.before != nil {
		stmt = updateMemory
	}
	b.Queue(stmt, c.after.args()...)
	args, err := l.changeArgs(op, c)
	if err != nil {
		return err
	}
	b.Queue(insertChange, args...)
	if c.quiet {
		return nil
	}
	args, err = l.versionArgs(op, c)
	if err != nil {
		return err
	}
	b.Queue(insertVersion, args...)
	return nil
}

// versionArgs are the arguments of insertVersion and the columns of a copy.
func (l *Ledger) versionArgs(op memory.Op, c change) ([]any, error) {
	args := []any{c.after.ID, moment(l.now()), op.Action, op.WorkflowID, op.RunID, op.Step}
	if c.before == nil {
		args = append(args, nil, nil)
	} else {
		before, err := json.Marshal(c.before.Memory)
		if err != nil {
			return nil, fmt.Errorf("write version: %w", err)
		}
		args = append(args, before, c.before.Vector.Bytes())
	}
	after, err := json.Marshal(c.after.Memory)
	if err != nil {
		return nil, fmt.Errorf("write version: %w", err)
	}
	return append(args, after, c.after.Vector.Bytes(), chainOf(op)), nil
}

// gone is the row in a state in which it is not in the index.
func (x row) gone(state memory.State) row {
	if x.indexedIn == "" {
		x.indexedIn = x.Collection // a point may be there, written but not yet noted
	}
	x.State, x.dirty = state, true
	return x
}
