package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// The largest numbers of rows and of bytes that one statement inserts.
const (
	restoreRows  = 1000
	restoreBytes = 4 << 20
)

// restoreLock is how long a restore waits for those who use the ledger at its beginning.
const restoreLock = "30s"

// ofEmptyHome are tables that may have rows in a home in which nothing was stored yet: recalls
// that found nothing, organize runs, and what the home notes of itself.
var ofEmptyHome = []string{"settings", "memory_audit", "held_prunes", "organize_plans", "organize_plan_steps"}

func rowsText(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// hintNotEmpty says what to do with a backup and a home that has memories.
const hintNotEmpty = `restore into a new home: MNEME_HOME=/path/of/a/new/folder mneme up --detach, then the same command with that MNEME_HOME; ` +
	`"mneme import" adds an export to what is there`

// RestoreTarget looks whether a backup, known by its SHA-256, can be restored into this ledger.
func (l *Ledger) RestoreTarget(ctx context.Context, digest string) (target memory.RestoreTarget, err error) {
	err = l.tx(ctx, "look whether the home is empty", func(tx pgx.Tx) error {
		target, err = restoreTarget(ctx, tx, digest)
		return err
	})
	return target, err
}

func restoreTarget(ctx context.Context, tx pgx.Tx, digest string) (memory.RestoreTarget, error) {
	t := memory.RestoreTarget{Empty: true}
	var err error
	if t.Schema, err = schemaVersion(ctx, tx); err != nil {
		return t, err
	}
	tables, err := tablesOf(ctx, tx, t.Schema)
	if err != nil {
		return t, err
	}
	for _, table := range tables {
		if slices.Contains(ofEmptyHome, table.name) {
			continue
		}
		var n int
		if err := tx.QueryRow(ctx, `select count(*) from `+table.ident()).Scan(&n); err != nil {
			return t, fmt.Errorf("count %s: %w", table.name, err)
		}
		if n > 0 {
			t.Empty, t.Found = false, fmt.Sprintf("%s (%s)", strings.ReplaceAll(table.name, "_", " "), rowsText(n))
			break
		}
	}
	err = tx.QueryRow(ctx, `select exists (select from memory_audit where action = $1 and details ->> 'sha256' = $2)`,
		memory.ActionRestoreBackup, digest).Scan(&t.Restored)
	return t, err
}

// RestoreBackup fills an empty ledger with the rows of a backup, in one transaction. The backup must
// have been read to its end and checked before. After the rows are inserted, RestoreBackup reads the
// tables back and compares their digests with the digests in the backup: if they differ, nothing is
// restored. A backup of an older schema is brought up to date in the same transaction.
// Done, which may be nil, gets how many rows are written so far.
//
// The ledger keeps its own settings, such as its identity, and its own audit, which comes after the
// audit of the backup. The index must be compared with the ledger after a restore: the ledger records
// every live memory as indexed, but the index does not have these memories, so that the comparison
// finds them missing and writes them.
func (l *Ledger) RestoreBackup(
	ctx context.Context, user string, b memory.Backup, rows iter.Seq2[[]byte, error], done func(int64),
) error {
	if done == nil {
		done = func(int64) {}
	}
	r := restoring{l: l, backup: b, user: user, done: done}
	return l.wrap("restore the backup", pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		r.tx = tx
		return r.run(ctx, rows)
	}))
}

// restoring is one restore in its transaction.
type restoring struct {
	l      *Ledger
	tx     pgx.Tx
	backup memory.Backup
	user   string
	done   func(int64)

	to      int64       // the schema of this ledger
	between []migration // from the backup's schema to this one
	tables  []table     // of the backup's schema
}

func (r *restoring) run(ctx context.Context, rows iter.Seq2[[]byte, error]) error {
	if err := exactly(ctx, r.tx); err != nil {
		return err
	}
	if err := r.takeLedger(ctx); err != nil {
		return err
	}
	if err := r.down(ctx); err != nil {
		return err
	}
	foreign, err := r.dropForeignKeys(ctx)
	if err != nil {
		return err
	}
	if err := r.load(ctx, rows); err != nil {
		return err
	}
	if err := r.verify(ctx); err != nil {
		return err
	}
	for _, add := range foreign {
		if _, err := r.tx.Exec(ctx, add); err != nil {
			return fmt.Errorf("join the tables again: %w", err)
		}
	}
	if err := r.sequences(ctx); err != nil {
		return err
	}
	for _, m := range r.between {
		if err := r.script(ctx, m.up); err != nil {
			return fmt.Errorf("bring schema %d up to date: %w", m.version-1, err)
		}
	}
	return r.finish(ctx)
}

// takeLedger waits for those who use the tables, keeps them out, and checks that it is empty.
func (r *restoring) takeLedger(ctx context.Context) error {
	var err error
	if r.to, err = schemaVersion(ctx, r.tx); err != nil {
		return err
	}
	names, err := tablesAt(r.to)
	if err != nil {
		return err
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = pgx.Identifier{name}.Sanitize()
	}
	if _, err := r.tx.Exec(ctx, `set local lock_timeout = '`+restoreLock+`'`); err != nil {
		return err
	}
	if _, err := r.tx.Exec(ctx, `lock table `+strings.Join(quoted, ", ")+` in access exclusive mode`); err != nil {
		return err
	}
	target, err := restoreTarget(ctx, r.tx, r.backup.SHA256)
	switch {
	case err != nil:
		return err
	case !target.Empty:
		return memory.Errorf(memory.Conflict, hintNotEmpty, "the home is not empty: it has %s", target.Found)
	}
	return r.backup.Head.Fits(r.to)
}

// down gives the empty tables the schema of the backup.
func (r *restoring) down(ctx context.Context) error {
	files, err := allMigrations()
	if err != nil {
		return err
	}
	for _, m := range files {
		if m.version > r.backup.Head.Schema && m.version <= r.to {
			r.between = append(r.between, m)
		}
	}
	for _, m := range slices.Backward(r.between) {
		if err := r.script(ctx, m.down); err != nil {
			return fmt.Errorf("go back to schema %d: %w", m.version-1, err)
		}
	}
	if r.tables, err = tablesOf(ctx, r.tx, r.backup.Head.Schema); err != nil {
		return err
	}
	same := slices.EqualFunc(r.tables, r.backup.Head.Tables, func(t table, b memory.BackupTable) bool {
		return t.name == b.Name && slices.Equal(t.columns, b.Columns)
	})
	if !same {
		return memory.Errorf(memory.Invalid, "make a new backup with the mneme that has the memories",
			"the tables of the backup are not those of schema %d", r.backup.Head.Schema)
	}
	return nil
}

// script runs statements that need no arguments.
func (r *restoring) script(ctx context.Context, statements string) error {
	_, err := r.tx.Conn().PgConn().Exec(ctx, statements).ReadAll()
	return err
}

// dropForeignKeys returns the statements that bring them back. Rows come in the order of their
// ids, and a memory may have been merged into one that comes later.
func (r *restoring) dropForeignKeys(ctx context.Context) (again []string, err error) {
	rows, err := r.tx.Query(ctx, `select conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) from pg_constraint
where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid::regclass::text = any($1)`, r.names())
	if err != nil {
		return nil, fmt.Errorf("list foreign keys: %w", err)
	}
	var drop []string
	var table, name, definition string
	_, err = pgx.ForEachRow(rows, []any{&table, &name, &definition}, func() error {
		drop = append(drop, fmt.Sprintf(`alter table %s drop constraint %s`, table, name))
		again = append(again, fmt.Sprintf(`alter table %s add constraint %s %s`, table, name, definition))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list foreign keys: %w", err)
	}
	for _, statement := range drop {
		if _, err := r.tx.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("take the tables apart: %w", err)
		}
	}
	return again, nil
}

func (r *restoring) names() []string {
	names := make([]string, len(r.tables))
	for i, t := range r.tables {
		names[i] = t.name
	}
	return names
}

// load puts what the empty home has in its audit aside, and inserts the rows.
func (r *restoring) load(ctx context.Context, rows iter.Seq2[[]byte, error]) error {
	if _, err := r.tx.Exec(
		ctx, `create temporary table audit_of_home on commit drop as select * from memory_audit`,
	); err != nil {
		return fmt.Errorf("put the audit of the home aside: %w", err)
	}
	if _, err := r.tx.Exec(ctx, `delete from settings where key <> all($1)`, settingsOfHome); err != nil {
		return fmt.Errorf("put the settings of the home aside: %w", err)
	}
	for _, t := range r.tables {
		if t.name == "settings" || !slices.Contains(ofEmptyHome, t.name) {
			continue // all others are empty
		}
		if _, err := r.tx.Exec(ctx, `delete from `+t.ident()); err != nil {
			return fmt.Errorf("empty %s: %w", t.name, err)
		}
	}
	next, stop := iter.Pull2(rows)
	defer stop()
	var total int64
	for i, t := range r.tables {
		b := loading{tx: r.tx, table: t}
		for range r.backup.Head.Tables[i].Rows {
			line, err, ok := next()
			if !ok {
				return memory.Errorf(memory.Invalid, hintAltered, "the backup ends within table %s", t.name)
			}
			if err != nil {
				return outside{err}
			}
			if err := b.add(ctx, line); err != nil {
				return err
			}
			if total++; total%restoreRows == 0 {
				r.done(total)
			}
		}
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	r.done(total)
	if _, err, ok := next(); err != nil {
		return outside{err}
	} else if ok {
		return memory.Errorf(memory.Invalid, hintAltered, "the backup has more rows than it says")
	}
	return nil
}

const hintAltered = "take another backup: this file was cut off or changed"

// loading collects the rows of one table for a statement.
type loading struct {
	tx    pgx.Tx
	table table
	rows  int
	json  bytes.Buffer
}

func (b *loading) add(ctx context.Context, line []byte) error {
	if b.rows == restoreRows || b.rows > 0 && b.json.Len()+len(line) > restoreBytes {
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	if b.rows > 0 {
		b.json.WriteByte(',')
	}
	b.json.Write(line)
	b.rows++
	return nil
}

func (b *loading) flush(ctx context.Context) error {
	if b.rows == 0 {
		return nil
	}
	columns, values := b.table.list(), b.table.list()
	if b.table.name == "memories" {
		// As if this home's index had lost them: whoever compares the two writes them again.
		columns, values = columns+", dirty, indexed_in", values+", false, case when state = 'live' then collection end"
	}
	sql := fmt.Sprintf(`insert into %[1]s (%[2]s) overriding system value select %[3]s from json_populate_recordset(null::%[1]s, $1::json)`,
		b.table.ident(), columns, values)
	tag, err := b.tx.Exec(ctx, sql, "["+b.json.String()+"]")
	if err != nil {
		return fmt.Errorf("fill %s: %w", b.table.name, err)
	}
	if tag.RowsAffected() != int64(b.rows) {
		return memory.Errorf(memory.Invalid, hintAltered, "the backup does not hold one row of %s a line", b.table.name)
	}
	b.rows = 0
	b.json.Reset()
	return nil
}

// verify reads everything again and compares it with what was backed up.
func (r *restoring) verify(ctx context.Context) error {
	for _, t := range r.tables {
		sum := sha256.New()
		_, err := t.each(ctx, r.tx, func(line []byte) error {
			sum.Write(line)
			sum.Write([]byte{'\n'})
			return nil
		})
		if err != nil {
			return err
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != r.backup.Digests[t.name] {
			return memory.Errorf(memory.Invalid, hintAltered,
				"table %s is not what was backed up, so nothing was restored: its digest is %.16s and should be %.16s",
				t.name, got, r.backup.Digests[t.name])
		}
	}
	return nil
}

// sequences has what is numbered go on after the last number.
func (r *restoring) sequences(ctx context.Context) error {
	rows, err := r.tx.Query(ctx, `select quote_ident(table_name), quote_ident(column_name), pg_get_serial_sequence(quote_ident(table_name), column_name)
from information_schema.columns where table_schema = current_schema() and is_identity = 'YES' and table_name = any($1)`, r.names())
	if err != nil {
		return fmt.Errorf("list what is numbered: %w", err)
	}
	set := map[string]string{}
	var table, column, sequence string
	if _, err = pgx.ForEachRow(rows, []any{&table, &column, &sequence}, func() error {
		set[sequence] = fmt.Sprintf(
			`select setval($1::regclass, coalesce(max(%s), 0) + 1, false) from %s`, column, table)
		return nil
	}); err != nil {
		return fmt.Errorf("list what is numbered: %w", err)
	}
	for _, sequence := range slices.Sorted(maps.Keys(set)) {
		if _, err := r.tx.Exec(ctx, set[sequence], sequence); err != nil {
			return fmt.Errorf("number on: %w", err)
		}
	}
	return nil
}

// finish puts the audit of the home behind that of the backup, notes the restore and has the
// planner look at the new tables.
func (r *restoring) finish(ctx context.Context) error {
	_, err := r.tx.Exec(ctx, `insert into memory_audit ("user", action, "timestamp", affected_ids, project, collection, workflow_id, run_id, step, details)
select "user", action, "timestamp", affected_ids, project, collection, workflow_id, run_id, step, details from audit_of_home order by id
on conflict (workflow_id, run_id, step) do nothing`)
	if err != nil {
		return fmt.Errorf("put the audit of the home back: %w", err)
	}
	head := r.backup.Head
	step := memory.Op{
		WorkflowID: "restore-backup/" + r.backup.SHA256[:min(16, len(r.backup.SHA256))] +
			"/" + r.l.now().UTC().Format(time.RFC3339Nano),
		Step: memory.ActionRestoreBackup, User: r.user, Action: memory.ActionRestoreBackup,
	}
	details, err := json.Marshal(map[string]any{
		"sha256": r.backup.SHA256, "rows": head.Rows(), "live": head.Live,
		"schema": head.Schema, "from": head.Ledger, "written_at": head.CreatedAt,
	})
	if err != nil {
		return fmt.Errorf("note the restore: %w", err)
	}
	_, err = r.tx.Exec(ctx, insertAudit, step.User, step.Action, moment(r.l.now()),
		[]string{}, "", "", step.WorkflowID, step.RunID, step.Step, details)
	if err != nil {
		return fmt.Errorf("note the restore: %w", err)
	}
	if _, err = r.tx.Exec(ctx, `analyze `+strings.Join(r.names(), ", ")); err != nil {
		return fmt.Errorf("look at the tables: %w", err)
	}
	return nil
}
