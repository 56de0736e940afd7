package temporal

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object is a table, an index or a trigger of a schema.
type object struct{ kind, name, table, sql string }

// virtual says that o is a table that SQLite keeps in others, which go with it.
func (o object) virtual() bool { return strings.HasPrefix(o.sql, "CREATE VIRTUAL") }

// objects returns what somebody made in db, but for the tables behind a virtual one.
func objects(ctx context.Context, db executor) (_ []object, err error) {
	rows, err := db.QueryContext(ctx, `SELECT type, name, tbl_name, sql FROM sqlite_master
		WHERE sql IS NOT NULL AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')`)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var all []object
	for rows.Next() {
		var o object
		if err := rows.Scan(&o.kind, &o.name, &o.table, &o.sql); err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		all = append(all, o)
	}
	return all, rows.Err()
}

// renewVisibility makes the tables that the lists of workflows are read from anew, with what
// is in them, if this server makes them otherwise than the one that made the file.
func renewVisibility(ctx context.Context, tx *gosql.Tx) error {
	want, err := wantedVisibility(ctx)
	if err != nil {
		return err
	}
	all, err := objects(ctx, tx)
	if err != nil {
		return err
	}
	tables := map[string]bool{}
	for o := range want {
		tables[o.table] = true
	}
	have := map[object]bool{}
	for _, o := range all {
		if tables[o.table] {
			have[o] = true
		}
	}
	if maps.Equal(have, want) {
		return nil
	}
	old, err := setAside(ctx, tx, have)
	if err != nil {
		return err
	}
	if err := setUp(ctx, tx, visibilityScripts); err != nil {
		return err
	}
	for table, aside := range old {
		if err := moveRows(ctx, tx, aside, table); err != nil {
			return err
		}
	}
	return nil
}

// wantedVisibility is what this server makes in a new file.
func wantedVisibility(ctx context.Context) (_ map[object]bool, err error) {
	db, err := reference(ctx, visibilityScripts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	all, err := objects(ctx, db)
	if err != nil {
		return nil, err
	}
	want := map[object]bool{}
	for _, o := range all {
		want[o] = true
	}
	return want, nil
}

// setAside drops what is derived from the tables and renames the tables. The result maps
// the old names to the new ones.
func setAside(ctx context.Context, tx *gosql.Tx, have map[object]bool) (map[string]string, error) {
	old := map[string]string{}
	var statements []string
	for _, kind := range []string{"trigger", "index", "table"} { // triggers would run, indexes keep their names
		for o := range have {
			switch {
			case o.kind != kind:
			case kind == "table" && !o.virtual():
				old[o.name] = "old_" + o.name
				statements = append(statements, fmt.Sprintf("ALTER TABLE %s RENAME TO %s", o.name, old[o.name]))
			default:
				statements = append(statements, fmt.Sprintf("DROP %s %s", o.kind, o.name))
			}
		}
	}
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return old, nil
}

// moveRows copies the columns that both tables have, but for computed ones, and drops from.
// The triggers of the new table fill its full text indexes.
func moveRows(ctx context.Context, tx *gosql.Tx, from, to string) error {
	const stored = "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0"
	had, err := texts(ctx, tx, stored, from)
	if err != nil {
		return err
	}
	columns, err := texts(ctx, tx, stored, to)
	if err != nil {
		return err
	}
	columns = slices.DeleteFunc(columns, func(c string) bool { return !slices.Contains(had, c) })
	list := strings.Join(columns, ", ")
	for _, statement := range []string{
		fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", to, list, list, from), //nolint:gosec // names of Temporal's schema
		"DROP TABLE " + from,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("move the rows of %s: %w", to, err)
		}
	}
	return nil
}
