package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// The largest numbers of rows and of bytes that one statement inserts.
const (
	restoreRows  = 1000
	restoreBytes = 4 << 20
)

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
