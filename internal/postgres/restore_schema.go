package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

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
