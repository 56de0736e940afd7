package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
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
