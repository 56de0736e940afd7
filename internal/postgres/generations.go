package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// generationsKey is the setting that names the generations of this home's index. The model of
// the active one is the setting embeddingKey.
const generationsKey = "generations"

// keptGenerations is how the setting is kept.
type keptGenerations struct {
	memory.Generations
	Number int `json:"number"` // of generations that were made
}

// Generations implements activities.Reembedder.
func (l *Ledger) Generations(ctx context.Context) (memory.Generations, error) {
	var g keptGenerations
	err := l.again(ctx, "read which models there are", func() (err error) {
		g, err = l.generations(ctx, l.pool)
		return err
	})
	return g.Generations, err
}

const selectGenerations = `select (select value from settings where key = $1), (select value from settings where key = $2)`

func (l *Ledger) generations(ctx context.Context, q querier) (keptGenerations, error) {
	return scanGenerations(q.QueryRow(ctx, selectGenerations, generationsKey, embeddingKey))
}

// scanGenerations reads the answer to selectGenerations.
func scanGenerations(r pgx.Row) (keptGenerations, error) {
	var g keptGenerations
	var kept []byte
	var model *embedding
	if err := r.Scan(&kept, &model); err != nil {
		return g, err
	}
	if kept != nil {
		if err := json.Unmarshal(kept, &g); err != nil {
			return g, fmt.Errorf("read the setting %s: %w", generationsKey, err)
		}
	}
	if model != nil {
		g.Active.Model, g.Active.Dimension = model.Model, model.Dimension
	}
	return g, nil
}

func (g keptGenerations) save(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value`,
		generationsKey, g)
	if err != nil {
		return fmt.Errorf("write the setting %s: %w", generationsKey, err)
	}
	return nil
}

// changeGenerations changes the setting in a step that is applied once. Nobody changes memories or
// messages meanwhile, and all who write to the index read the setting while they hold their rows.
func (l *Ledger) changeGenerations(
	ctx context.Context, op memory.Op, what string, change func(tx pgx.Tx, g *keptGenerations) (done bool, err error),
) (memory.Generations, error) {
	return once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (memory.Generations, error) {
		for _, sql := range []string{
			`set local statement_timeout = '` + slowTimeout + `'`, `set local lock_timeout = '` + statementTimeout + `'`,
			`lock table memories, conversation_messages in exclusive mode`,
		} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return memory.Generations{}, fmt.Errorf("keep others from writing: %w", err)
			}
		}
		g, err := l.generations(ctx, tx)
		if err != nil {
			return memory.Generations{}, err
		}
		done, err := change(tx, &g)
		if err != nil {
			return memory.Generations{}, err
		}
		if !done {
			e.nothing = true
			return g.Generations, nil
		}
		return g.Generations, g.save(ctx, tx)
	})
}

const hintDropOld = `"mneme reembed --drop-old" deletes it, "mneme reembed" tells about it`

// BeginGeneration implements activities.Reembedder.
func (l *Ledger) BeginGeneration(ctx context.Context, op memory.Op, model string, dimension int) (memory.Generations, error) {
	const what = "begin another generation of the index"
	if model == "" || dimension < 1 {
		return memory.Generations{}, memory.Errorf(memory.Invalid, "", "%s: model %q with %d dimensions is none", what, model, dimension)
	}
	return l.changeGenerations(ctx, op, what, func(tx pgx.Tx, g *keptGenerations) (bool, error) {
		switch {
		case g.Active.Model == "":
			return false, memory.Errorf(memory.Conflict, "set MNEME_EMBED_MODEL="+model+" and start mneme again",
				"nothing is stored yet, so nothing has to be embedded again")
		case g.Active.Model == model && g.Active.Dimension == dimension:
			return false, memory.Errorf(memory.Conflict, `"mneme rebuild" brings the index in step with the database`,
				"the memories are embedded with %s already", model)
		case g.Beside == nil:
		case g.Dropping:
			return false, memory.Errorf(memory.Conflict, hintDropOld, "the index of %s is being deleted", g.Beside.Model)
		case g.Beside.Model == model && g.Beside.Dimension == dimension:
			return true, nil
		default:
			return false, memory.Errorf(memory.Conflict, hintDropOld, "there is an index with %s beside the one that answers", g.Beside.Model)
		}
		g.Number++
		g.Beside = &memory.Generation{Name: fmt.Sprintf("g%d", g.Number), Model: model, Dimension: dimension}
		g.Old = false
		if _, err := tx.Exec(ctx, `delete from beside_vectors`); err != nil {
			return false, fmt.Errorf("delete old vectors: %w", err)
		}
		_, err := tx.Exec(ctx, `update conversation_messages set beside = false where beside`)
		return true, err
	})
}

// lacking selects the live memories without a vector, or a point, in the generation beside. A
// memory marked dirty is left out: the pending change writes its point.
const lacking = ` from memories m left join beside_vectors b on b.memory_id = m.id
where m.state = 'live' and (b.memory_id is null or not b.written and not m.dirty)`

// LackVectors implements activities.Reembedder.
func (l *Ledger) LackVectors(ctx context.Context, limit int) (records []memory.Record, left int, err error) {
	err = l.again(ctx, "look for memories to embed", func() error {
		if err := l.pool.QueryRow(ctx, `select count(*)`+lacking).Scan(&left); err != nil || left == 0 {
			records = nil
			return err
		}
		rows, err := l.pool.Query(ctx, `select id, text, coalesce(b.vector, '')`+lacking+` order by id limit $1`, pageSize(limit))
		if err != nil {
			return err
		}
		records, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (rec memory.Record, err error) {
			var vector []byte
			if err := r.Scan(&rec.ID, &rec.Text, &vector); err != nil {
				return rec, err
			}
			rec.Vector, err = memory.VectorFromBytes(vector)
			return rec, err
		})
		return err
	})
	return records, left, err
}

// WriteBeside implements activities.Reembedder. Rows that are dirty are left to SyncIndex, which finds
// the vectors.
func (l *Ledger) WriteBeside(
	ctx context.Context, name string, records []memory.Record, write func(ctx context.Context, records []memory.Record) error,
) error {
	vectors, texts := make(map[string]memory.Vector, len(records)), make(map[string]string, len(records))
	ids := make([]string, len(records))
	for i, r := range records {
		if err := r.Vector.Check(); err != nil {
			return memory.Errorf(memory.Invalid, "", "keep a vector of %s: %w", r.ID, err)
		}
		ids[i], vectors[r.ID], texts[r.ID] = r.ID, r.Vector, r.Text
	}
	return l.tx(ctx, "write memories beside the index", func(tx pgx.Tx) error {
		rows, err := lockRows(ctx, tx, ids)
		if err != nil {
			return err
		}
		g, err := l.generations(ctx, tx)
		if err != nil {
			return err
		}
		if g.Written() == nil || g.Beside.Name != name {
			return errGenerationGone()
		}
		var held []memory.Record
		var kept []string
		var bytes [][]byte
		var written []bool
		for _, r := range rows {
			if r.State != memory.Live || r.Text != texts[r.ID] {
				continue
			}
			kept, bytes, written = append(kept, r.ID), append(bytes, vectors[r.ID].Bytes()), append(written, !r.dirty)
			if !r.dirty {
				held = append(held, besideRecord(r.Record, g.Beside.Model, vectors[r.ID]))
			}
		}
		if len(held) > 0 {
			if err := write(ctx, held); err != nil {
				return outside{err}
			}
		}
		_, err = tx.Exec(ctx, `insert into beside_vectors (memory_id, vector, written) select * from unnest($1::uuid[], $2::bytea[], $3::bool[])
on conflict (memory_id) do update set vector = excluded.vector, written = excluded.written`, noNil(kept), bytes, written)
		if err != nil {
			return fmt.Errorf("keep vectors: %w", err)
		}
		return nil
	})
}

// besideRecord is a record as the generation beside holds it.
func besideRecord(r memory.Record, model string, v memory.Vector) memory.Record {
	r.Model, r.Vector = model, v
	return r
}

// besideVectors reads the vectors of memories in the generation beside.
func besideVectors(ctx context.Context, q querier, ids []string) (map[string]memory.Vector, error) {
	rows, err := q.Query(ctx, `select memory_id, vector from beside_vectors where memory_id = any($1)`, noNil(ids))
	if err != nil {
		return nil, fmt.Errorf("read the vectors of the other model: %w", err)
	}
	out := map[string]memory.Vector{}
	var id string
	var bytes []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &bytes}, func() (err error) {
		out[id], err = memory.VectorFromBytes(bytes)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the vectors of the other model: %w", err)
	}
	return out, nil
}

// BesideRecords implements activities.Reembedder.
func (l *Ledger) BesideRecords(ctx context.Context, records []memory.Record) ([]memory.Record, error) {
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	var out []memory.Record
	err := l.again(ctx, "read memories beside the index", func() error {
		out = nil
		g, err := l.generations(ctx, l.pool)
		if err != nil {
			return err
		}
		vectors, err := besideVectors(ctx, l.pool, ids)
		if err != nil {
			return err
		}
		if g.Beside == nil {
			return errGenerationGone()
		}
		for _, r := range records {
			out = append(out, besideRecord(r, g.Beside.Model, vectors[r.ID]))
		}
		return nil
	})
	return out, err
}

// SettledBeside implements activities.Reembedder.
func (l *Ledger) SettledBeside(ctx context.Context, ids []string, look func(ctx context.Context, records []memory.Record) error) error {
	if len(ids) == 0 {
		return nil
	}
	return l.tx(ctx, "compare memories beside the index", func(tx pgx.Tx) error {
		rows, err := lockRows(ctx, tx, ids)
		if err != nil {
			return err
		}
		g, err := l.generations(ctx, tx)
		if err != nil {
			return err
		}
		if g.Written() == nil {
			return errGenerationGone()
		}
		vectors, err := besideVectors(ctx, tx, ids)
		if err != nil {
			return err
		}
		var records []memory.Record
		for _, r := range rows {
			if v := vectors[r.ID]; r.State == memory.Live && !r.dirty && len(v) > 0 {
				records = append(records, besideRecord(r.Record, g.Beside.Model, v))
			}
		}
		if len(records) == 0 {
			return nil
		}
		if err := look(ctx, records); err != nil {
			return outside{err}
		}
		return nil
	})
}

// swapVectors gives live memories the vectors of the generation beside, and keeps theirs for that one.
const swapVectors = `with pairs as materialized (
	select m.id, m.vector as before, b.vector as after from memories m join beside_vectors b on b.memory_id = m.id where m.state = 'live'
), taken as (
	update memories m set vector = pairs.after, model = $1 from pairs where m.id = pairs.id
) update beside_vectors b set vector = pairs.before from pairs where b.memory_id = pairs.id`

// FlipGenerations implements activities.Reembedder.
func (l *Ledger) FlipGenerations(ctx context.Context, op memory.Op, to string) (memory.Generations, bool, error) {
	flipped := false
	g, err := l.changeGenerations(ctx, op, "take another model into force", func(tx pgx.Tx, g *keptGenerations) (bool, error) {
		if g.Active.Name == to {
			flipped = true
			return true, nil
		}
		if g.Written() == nil || g.Beside.Name != to {
			return false, errGenerationGone()
		}
		var left int
		err := tx.QueryRow(ctx, `select (select count(*)`+lacking+`) + (select count(*)`+archiveLacking+`)`).Scan(&left)
		if err != nil || left > 0 {
			return false, err
		}
		now := embedding{g.Beside.Model, g.Beside.Dimension}
		if _, err := tx.Exec(ctx, `update settings set value = $2 where key = $1`, embeddingKey, now); err != nil {
			return false, fmt.Errorf("write the model: %w", err)
		}
		if _, err := tx.Exec(ctx, swapVectors, now.Model); err != nil {
			return false, fmt.Errorf("exchange the vectors: %w", err)
		}
		_, err = tx.Exec(ctx, `update conversation_messages set model = $1 where model <> ''`, now.Model)
		g.Generations, flipped = g.Flipped(), true
		return true, err
	})
	return g, flipped || g.Active.Name == to && err == nil, err
}

// DropGeneration implements activities.Reembedder.
func (l *Ledger) DropGeneration(ctx context.Context, op memory.Op, gone bool) (memory.Generations, error) {
	return l.changeGenerations(ctx, op, "drop a generation of the index", func(tx pgx.Tx, g *keptGenerations) (bool, error) {
		if g.Beside == nil {
			return true, nil
		}
		if g.Dropping = true; !gone {
			_, err := tx.Exec(ctx, `delete from beside_vectors`)
			return true, err
		}
		g.Beside, g.Old, g.Dropping = nil, false, false
		return true, nil
	})
}

// archiveLacking selects the parts of messages that the generation beside lacks.
const archiveLacking = ` from conversation_messages where state = 'kept' and model <> '' and not beside`

// ArchiveLackBeside implements activities.Reembedder.
func (l *Ledger) ArchiveLackBeside(ctx context.Context, limit, maxBytes int) ([]conversation.Kept, error) {
	return l.archiveParts(ctx, `model <> '' and not beside`, nil, limit, maxBytes)
}

// ArchiveWriteBeside implements activities.Reembedder.
func (l *Ledger) ArchiveWriteBeside(
	ctx context.Context, name string, kept []conversation.Kept, write func(ctx context.Context, still []bool) error,
) error {
	return l.tx(ctx, "write messages beside the index", func(tx pgx.Tx) error {
		still, err := stillThere(ctx, tx, kept)
		if err != nil {
			return err
		}
		g, err := l.generations(ctx, tx)
		if err != nil {
			return err
		}
		if g.Written() == nil || g.Beside.Name != name {
			return errGenerationGone()
		}
		if err := write(ctx, still); err != nil {
			return outside{err}
		}
		var ids []string
		var parts []int
		for i, ok := range still {
			if ok {
				ids, parts = append(ids, kept[i].ID), append(parts, kept[i].Part)
			}
		}
		_, err = tx.Exec(ctx, `update conversation_messages m set beside = true
from unnest($1::uuid[], $2::int[]) as g (id, part) where m.id = g.id and m.part = g.part and m.model <> ''`, noNil(ids), parts)
		if err != nil {
			return fmt.Errorf("mark messages: %w", err)
		}
		return nil
	})
}

func errGenerationGone() error {
	return memory.Errorf(memory.Conflict, hintDropOld, "the index that was built is not there any more")
}
