package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Import implements activities.Storer. At most memory.MaxImportBatch at a time.
// The audit rows' steps are op.Step, a slash and the memory's id, so a batch
// that is tried again does only what is missing. A known text is left
// unchanged; a record from where a memory came from takes its place. Was names, by the
// id of a record, the SourceRef that its text had before.
func (l *Ledger) Import(
	ctx context.Context, op memory.Op, recs []memory.Record, was map[string]string,
) (memory.Imported, error) {
	const what = "import memories"
	if err := checkBatch(op, recs); err != nil {
		return memory.Imported{}, fmt.Errorf("%s: %w", what, err)
	}
	var out memory.Imported
	err := l.tx(ctx, what, func(tx pgx.Tx) error {
		b := batch{l: l, tx: tx, op: op, recs: recs, was: was}
		err := b.run(ctx)
		out = b.Imported
		return err
	})
	if err != nil {
		return memory.Imported{}, err
	}
	l.grown(ctx, len(out.Stored))
	return out, nil
}

// firstLook is how many imported or marked memories are worth a look at the table.
const firstLook = 1000

// grown has the table looked at after the first thousand imported or marked memories,
// and each time that twice as many came as before. Until PostgreSQL has done
// so by itself, which may be in a minute, its planner believes that half of
// all memories are dirty, and every store reads the table from end to end.
func (l *Ledger) grown(ctx context.Context, n int) {
	l.growth.Lock()
	defer l.growth.Unlock()
	l.growth.since += n
	if l.growth.since < max(firstLook, 2*l.growth.last) {
		return
	}
	// Only time is lost when this fails: what is stored is stored.
	if _, err := l.pool.Exec(ctx, `analyze (skip_locked) memories`); err != nil {
		l.log.DebugContext(ctx, "look at the table of memories", "err", err)
	}
	l.growth.last, l.growth.since = l.growth.since, 0
}

func checkBatch(op memory.Op, recs []memory.Record) error {
	if err := checkOp(op); err != nil {
		return err
	}
	if len(recs) > memory.MaxImportBatch {
		return memory.Errorf(memory.Invalid, "split it", "a batch holds %d memories, not %d", memory.MaxImportBatch, len(recs))
	}
	for i, r := range recs {
		if err := checkNew(r); err != nil {
			return fmt.Errorf("memory %d of the batch: %w", i+1, err)
		}
	}
	return nil
}

// batch is one Import inside its transaction.
type batch struct {
	l    *Ledger
	tx   pgx.Tx
	op   memory.Op
	recs []memory.Record
	was  map[string]string // by id

	memory.Imported
	changes  []change           // what is new
	revived  []change           // what comes back
	edited   []change           // what is changed in place
	audits   []outcome          // of what this try did
	holders  map[text]string    // live memory that holds a text
	own      map[string]row     // rows with the ids of the batch
	sources  map[source]row     // live memories from where the batch comes from
	absorbed map[string]bool    // ids of sources into which others were merged
	done     map[string]outcome // by step, from an earlier try
}

// text is what must be unique.
type text struct{ project, collection, hash string }

// outcome is what the audit keeps of one memory of an import.
type outcome struct {
	ID       string        `json:"id"` // of the memory that holds the text
	Status   memory.Status `json:"status"`
	Replaced string        `json:"replaced,omitempty"` // id of the memory that was forgotten for it
	rec      memory.Record
	existing bool
	updated  bool
	kept     bool // what is here is the newer version
}

func (b *batch) run(ctx context.Context) error {
	if err := b.lock(ctx); err != nil {
		return err
	}
	if err := b.look(ctx); err != nil {
		return err
	}
	if err := b.sort(ctx); err != nil {
		return err
	}
	if err := b.placeInSessions(ctx); err != nil {
		return err
	}
	return b.write(ctx)
}

func (b *batch) step(id string) string { return b.op.Step + "/" + id }

func (b *batch) lock(ctx context.Context) error {
	if err := lockKeys(ctx, b.tx, 1, []string{joinKey(b.op.WorkflowID, b.op.RunID, b.op.Step)}); err != nil {
		return err
	}
	seen := map[place]bool{}
	var places []place
	for _, r := range b.recs {
		if p := (place{r.Project, r.Collection}); !seen[p] {
			seen[p], places = true, append(places, p)
		}
	}
	return lockPlaces(ctx, b.tx, places...)
}

// look reads what is known of the batch: steps that are done, rows with its
// ids, and live memories with its texts.
func (b *batch) look(ctx context.Context) error {
	var steps, ids, projects, collections, hashes []string
	for _, r := range b.recs {
		steps, ids = append(steps, b.step(r.ID)), append(ids, r.ID)
		if r.Exported != nil {
			ids = append(ids, memory.NewID(r.Project, r.Collection, r.Text))
		}
		projects, collections, hashes = append(projects, r.Project), append(collections, r.Collection), append(hashes, r.ContentHash)
	}
	rows, err := b.tx.Query(ctx, `select step, details #>> '{result,id}', details #>> '{result,status}',
coalesce(details #>> '{result,replaced}', '') from memory_audit
where workflow_id = $1 and run_id = $2 and step = any($3)`, b.op.WorkflowID, b.op.RunID, noNil(steps))
	if err != nil {
		return fmt.Errorf("look for done steps: %w", err)
	}
	b.done = map[string]outcome{}
	var step string
	var o outcome
	if _, err = pgx.ForEachRow(rows, []any{&step, &o.ID, &o.Status, &o.Replaced}, func() error {
		o.existing, o.updated, o.kept = o.Status == memory.MergedIn, o.Status == imported, o.Status == keptHere
		b.done[step] = o
		return nil
	}); err != nil {
		return fmt.Errorf("look for done steps: %w", err)
	}
	found, err := selectRows(ctx, b.tx, `id in (select unnest($1::uuid[]) union all
select m.id from unnest($2::text[], $3::text[], $4::text[]) as given(project, collection, content_hash)
join memories m using (project, collection, content_hash) where m.state = 'live') order by id for update`,
		noNil(ids), noNil(projects), noNil(collections), noNil(hashes))
	if err != nil {
		return err
	}
	b.holders, b.own, b.sources = map[text]string{}, map[string]row{}, map[source]row{}
	for _, r := range found {
		b.keep(r)
	}
	return b.lookAtSources(ctx)
}

// sort tells the new from the existing, in the order of the batch.
func (b *batch) sort(ctx context.Context) error {
	seen := map[string]string{} // id in the batch to the memory that holds it
	for _, rec := range b.recs {
		if id, twice := seen[rec.ID]; twice {
			b.Existing = append(b.Existing, id)
			continue
		}
		o, done := b.done[b.step(rec.ID)]
		if !done {
			var err error
			if o, err = b.decide(ctx, rec); err != nil {
				return err
			}
			b.audits = append(b.audits, o)
		}
		seen[rec.ID] = o.ID
		if o.Replaced != "" {
			b.Forgotten = append(b.Forgotten, o.Replaced)
		}
		switch {
		case o.existing:
			b.Existing = append(b.Existing, o.ID)
		case o.updated:
			b.Updated = append(b.Updated, o.ID)
		case o.kept:
			b.Kept = append(b.Kept, o.ID)
		default:
			b.Stored = append(b.Stored, o.ID)
		}
	}
	return nil
}

func (b *batch) decide(ctx context.Context, rec memory.Record) (outcome, error) {
	if rec.Exported != nil {
		if o, done, err := b.exported(ctx, rec); err != nil || done {
			return o, err
		}
	}
	o, done := b.replace(rec)
	if done {
		return o, nil
	}
	key := text{rec.Project, rec.Collection, rec.ContentHash}
	at, own, err := b.room(ctx, rec)
	if err != nil {
		return outcome{}, err
	}
	holder := b.holders[key]
	if own != nil && own.State == memory.Live {
		holder = own.ID
	}
	if holder == "" && own != nil && own.State == memory.Merged {
		end, err := survivor(ctx, b.tx, own.ID)
		if err != nil {
			return outcome{}, err
		}
		if end != nil && memory.Holds(end.Text, rec.Text) {
			holder = end.ID
		}
	}
	if holder != "" {
		return outcome{ID: holder, Status: memory.MergedIn, Replaced: o.Replaced, rec: rec, existing: true}, nil
	}
	b.holders[key] = at
	added := rec
	added.ID = at
	after := b.earned(fresh(added, own), rec)
	if own != nil {
		b.revived = append(b.revived, change{before: own, after: after})
	} else {
		b.changes = append(b.changes, change{after: after})
	}
	return outcome{ID: at, Status: memory.Stored, Replaced: o.Replaced, rec: rec}, nil
}

// room returns the id under which a text is, was or can be kept, and the row
// that is there. A live row that was edited and no longer says it is passed by.
func (b *batch) room(ctx context.Context, rec memory.Record) (string, *row, error) {
	id := rec.ID
	own, known := b.own[id]
	if rec.Exported != nil && known && own.Project != rec.Project {
		id = memory.NewID(rec.Project, rec.Collection, rec.Text) // the export was edited by hand
		own, known = b.own[id]
	}
	for known && own.State == memory.Live && !memory.Holds(own.Text, rec.Text) {
		id = memory.NextID(id)
		rows, err := lockRows(ctx, b.tx, []string{id})
		if err != nil {
			return id, nil, err
		}
		if known = len(rows) == 1; known {
			own = rows[0]
		}
	}
	if !known {
		return id, nil, nil
	}
	return id, &own, nil
}

// placeInSessions gives positions, in the order of the batch, to what came
// with a session and without a position.
func (b *batch) placeInSessions(ctx context.Context) error {
	var open []*row
	seen := map[sitting]bool{}
	var sittings []sitting
	for _, list := range [][]change{b.changes, b.revived} {
		for i := range list {
			x := &list[i].after
			if x.Session == "" || x.Position != 0 {
				continue
			}
			open = append(open, x)
			if s := (sitting{x.Project, x.Session}); !seen[s] {
				seen[s], sittings = true, append(sittings, s)
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	last, err := lastPositions(ctx, b.tx, sittings)
	if err != nil {
		return err
	}
	for _, list := range [][]change{b.changes, b.revived} {
		for _, c := range list { // positions given in this batch count too
			s := sitting{c.after.Project, c.after.Session}
			if at, ok := last[s]; ok {
				last[s] = max(at, c.after.Position)
			}
		}
	}
	for _, x := range open {
		s := sitting{x.Project, x.Session}
		last[s]++
		x.Position = last[s]
	}
	return nil
}

var (
	memoryCopy = []string{
		"id", "collection", "project", "type", "tags", "text", "vector", "confidence", "importance", "pinned",
		"access_count", "confirmations", "created_at", "last_accessed", "expires_at", "decayed_at", "source", "session",
		"position", "content_hash", "model", "state", "merged_into", "indexed_in", "dirty",
		"arrived_at", "announced_at", "source_ref", "updated_at",
	}
	versionCopy = []string{"memory_id", "at", "action", "workflow_id", "run_id", "step", "before", "before_vector", "after", "after_vector", "chain"}
	changeCopy  = []string{"memory_id", "at", "action", "workflow_id", "run_id", "chain", "step", "before", "after"}
	auditCopy   = []string{"user", "action", "timestamp", "affected_ids", "project", "collection", "workflow_id", "run_id", "step", "details"}
)

// write copies new rows with their versions and audit rows.
func (b *batch) write(ctx context.Context) error {
	var rows, versions, counts, audits [][]any
	for _, c := range b.changes {
		op := b.op
		op.Step = b.step(c.after.ID)
		args, err := b.l.versionArgs(op, c)
		if err != nil {
			return err
		}
		counted, err := b.l.changeArgs(op, c)
		if err != nil {
			return err
		}
		rows, versions, counts = append(rows, c.after.args()), append(versions, args), append(counts, counted)
	}
	for _, c := range slices.Concat(b.edited, b.revived) {
		op := b.op
		op.Step = b.step(c.after.ID)
		if err := b.l.save(ctx, b.tx, op, c); err != nil {
			return err
		}
	}
	for _, o := range b.audits {
		op := b.op
		op.Step = b.step(o.rec.ID)
		args, err := b.l.auditArgs(op, entry{
			project: o.rec.Project, collection: o.rec.Collection, affected: []string{o.ID},
			details: map[string]any{"result": o, "text_bytes": len(o.rec.Text), "source": o.rec.Source},
		})
		if err != nil {
			return err
		}
		audits = append(audits, args)
	}
	return errorsIn(
		b.copy(ctx, "memories", memoryCopy, rows),
		b.copy(ctx, "memory_versions", versionCopy, versions),
		b.copy(ctx, "memory_changes", changeCopy, counts),
		b.copy(ctx, "memory_audit", auditCopy, audits),
	)
}

func (b *batch) copy(ctx context.Context, table string, columns []string, rows [][]any) func() error {
	return func() error {
		if len(rows) == 0 {
			return nil
		}
		if _, err := b.tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows)); err != nil {
			return fmt.Errorf("copy into %s: %w", table, err)
		}
		return nil
	}
}

// errorsIn runs steps until one fails.
func errorsIn(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
