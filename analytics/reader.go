package analytics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mneme-memory/mneme/memory"
)

// Reader asks a snapshot. It sees the file as it was when it was opened,
// whatever is published afterwards.
type Reader struct{ db *sql.DB }

// OpenReader opens the file of a snapshot. It is [memory.NotFound] when none
// was ever taken. Readers of one process share the file that the first of
// them opened, until all of them are closed: DuckDB opens a path once.
func OpenReader(ctx context.Context, path string) (*Reader, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, memory.Errorf(memory.NotFound, `take one with "mneme analytics snapshot"`, "there is no snapshot at %s yet", path)
	}
	db, err := open(path, readOnly)
	if err != nil {
		return nil, err
	}
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return &Reader{db: db}, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.db.Close() }

// Table is the answer to a query. Values are what DuckDB's driver gives for
// the columns' types.
type Table struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// Query asks anything in SQL. The file cannot be changed. At most limit rows
// are returned, and whether there were more; limit 0 means all.
func (r *Reader) Query(ctx context.Context, query string, limit int) (t Table, more bool, err error) {
	rows, err := r.db.QueryContext(ctx, query)
	if err != nil {
		return t, false, memory.Errorf(memory.Invalid, "the tables and views are in docs/analytics.md, or ask \"show all tables\"", "%w", err)
	}
	defer rows.Close()
	if t.Columns, err = rows.Columns(); err != nil {
		return t, false, fmt.Errorf("read columns: %w", err)
	}
	t.Rows = [][]any{}
	for rows.Next() {
		if limit > 0 && len(t.Rows) == limit {
			return t, true, nil
		}
		values := make([]any, len(t.Columns))
		targets := make([]any, len(values))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return t, false, fmt.Errorf("read row: %w", err)
		}
		t.Rows = append(t.Rows, values)
	}
	return t, false, rows.Err()
}
