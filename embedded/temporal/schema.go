package temporal

import (
	"bytes"
	"context"
	gosql "database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/persistence"
	dbschema "go.temporal.io/server/schema"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"golang.org/x/mod/semver"
)

// Where the server's module keeps its scripts for SQLite.
const (
	mainScripts       = "sqlite/v3/temporal"
	visibilityScripts = "sqlite/v3/visibility"
)

// The file's versions stand in the table that Temporal uses for them in other databases.
// It numbers the schema of the main tables, not that of the visibility tables, which it
// changes without a number: so the release that last wrote the file is kept too.
const (
	mainRow   = "temporal"
	serverRow = "temporal_server"

	versionTable = `CREATE TABLE IF NOT EXISTS schema_version (
	version_partition INT NOT NULL,
	db_name VARCHAR(255) NOT NULL,
	creation_time DATETIME(6),
	curr_version VARCHAR(64),
	min_compatible_version VARCHAR(64),
	PRIMARY KEY (version_partition, db_name))`
)

// versions are those of a file, or of this program.
type versions struct {
	schema string // of the main tables, such as "0.11"
	server string // the release that wrote it, such as "1.32.1"
}

func (v versions) String() string {
	return fmt.Sprintf("Temporal %s (schema %s)", v.server, v.schema)
}

// ours are the versions of the server in this program.
func ours() versions {
	return versions{schema: sqliteschema.Version, server: headers.ServerVersion}
}

// unrecorded are the versions of a file without a record: all that were made before the
// versions were kept.
func unrecorded() versions { return versions{schema: "0.11", server: "1.32.1"} }

// newerThan reports whether a file of v may hold what a server of w does not know. Releases
// that differ in the last number only keep each other's files.
func (v versions) newerThan(w versions) bool {
	return semver.Compare("v"+v.schema, "v"+w.schema) > 0 ||
		semver.Compare(semver.MajorMinor("v"+v.server), semver.MajorMinor("v"+w.server)) > 0
}

// record writes v into a file.
func (v versions) record(exec func(stmt string, args ...any) error) error {
	if err := exec(versionTable); err != nil {
		return fmt.Errorf("make the table of versions: %w", err)
	}
	for row, version := range map[string]string{mainRow: v.schema, serverRow: v.server} {
		if err := exec(`REPLACE INTO schema_version (version_partition, db_name, creation_time, curr_version, min_compatible_version)
			VALUES (0, ?, ?, ?, ?)`, row, time.Now().UTC(), version, version); err != nil {
			return fmt.Errorf("record version %s: %w", version, err)
		}
	}
	return nil
}

// readVersions returns what a file says, or [unrecorded].
func readVersions(ctx context.Context, db *gosql.DB) (versions, error) {
	var tables int
	if err := db.QueryRowContext(ctx,
		"SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'").Scan(&tables); err != nil {
		return versions{}, fmt.Errorf("look for the table of versions: %w", err)
	}
	if tables == 0 {
		return unrecorded(), nil
	}
	var v versions
	for row, field := range map[string]*string{mainRow: &v.schema, serverRow: &v.server} {
		err := db.QueryRowContext(ctx,
			"SELECT curr_version FROM schema_version WHERE version_partition = 0 AND db_name = ?", row).Scan(field)
		if err == nil && !semver.IsValid("v"+*field) {
			err = fmt.Errorf("%q is no version", *field)
		}
		if err != nil {
			return versions{}, fmt.Errorf("read the version of %s: %w", row, err)
		}
	}
	return v, nil
}

// migrate brings the tables of a file from one version to ours: the main tables by Temporal's
// numbered scripts, the visibility tables, for which it has none, by being made anew.
func migrate(ctx context.Context, db *gosql.DB, from versions) error {
	scripts, err := scriptsSince(from.schema)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	for _, script := range scripts {
		if _, err := tx.ExecContext(ctx, script.text); err != nil {
			return fmt.Errorf("run %s: %w", script.name, err)
		}
	}
	if err := renewVisibility(ctx, tx); err != nil {
		return fmt.Errorf("renew the visibility tables: %w", err)
	}
	if err := sameTables(ctx, tx); err != nil {
		return err
	}
	exec := func(stmt string, args ...any) error { _, err := tx.ExecContext(ctx, stmt, args...); return err }
	if err := ours().record(exec); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// reference is an empty database in memory, set up by this server's scripts.
func reference(ctx context.Context, scripts ...string) (*gosql.DB, error) {
	db, err := gosql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, fmt.Errorf("open a database in memory: %w", err)
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	for _, dir := range scripts {
		if err := setUp(ctx, db, dir); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

// setUp makes tables as Temporal does in a new file, statement by statement: SQLite keeps
// the text of each, and the texts are compared.
func setUp(ctx context.Context, db executor, dir string) error {
	text, err := fs.ReadFile(dbschema.Assets(), path.Join(dir, "schema.sql"))
	if err != nil {
		return fmt.Errorf("read the server's scripts: %w", err)
	}
	statements, err := persistence.LoadAndSplitQueryFromReaders([]io.Reader{bytes.NewReader(text)})
	if err != nil {
		return fmt.Errorf("read %s: %w", dir, err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("set up %s: %w", dir, err)
		}
	}
	return nil
}

type script struct{ name, text string }

// scriptsSince returns Temporal's scripts for the main tables after version, oldest first.
func scriptsSince(version string) ([]script, error) {
	const dir = mainScripts + "/versioned"
	entries, err := fs.ReadDir(dbschema.Assets(), dir)
	if err != nil {
		return nil, fmt.Errorf("list the server's scripts: %w", err)
	}
	var steps []string
	for _, e := range entries {
		if semver.Compare(e.Name(), "v"+version) > 0 {
			steps = append(steps, e.Name())
		}
	}
	semver.Sort(steps)
	var scripts []script
	for _, step := range steps {
		more, err := scriptsOf(path.Join(dir, step))
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, more...)
	}
	return scripts, nil
}

// scriptsOf reads one step, whose manifest names its files in order.
func scriptsOf(dir string) ([]script, error) {
	assets := dbschema.Assets()
	data, err := fs.ReadFile(assets, path.Join(dir, "manifest.json"))
	if err != nil {
		return nil, fmt.Errorf("read the server's scripts: %w", err)
	}
	var manifest struct {
		Files []string `json:"SchemaUpdateCqlFiles"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, fmt.Errorf("read the manifest in %s: %w", dir, err)
	}
	var scripts []script
	for _, file := range manifest.Files {
		name := path.Join(dir, file)
		text, err := fs.ReadFile(assets, name)
		if err != nil {
			return nil, fmt.Errorf("read the server's scripts: %w", err)
		}
		scripts = append(scripts, script{name: name, text: string(text)})
	}
	return scripts, nil
}

// sameTables holds the columns of every table against those that this server makes, so that
// it never works on others.
func sameTables(ctx context.Context, tx *gosql.Tx) (err error) {
	want, err := reference(ctx, mainScripts, visibilityScripts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, want.Close()) }()
	tables, err := texts(ctx, want, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
	if err != nil {
		return err
	}
	const columns = "SELECT name || ' ' || type FROM pragma_table_xinfo(?) ORDER BY name"
	for _, table := range tables {
		expected, err := texts(ctx, want, columns, table)
		if err != nil {
			return err
		}
		got, err := texts(ctx, tx, columns, table)
		if err != nil {
			return err
		}
		if !slices.Equal(got, expected) {
			return fmt.Errorf("table %s is not what this server expects: it has the columns %q, not %q", table, got, expected)
		}
	}
	return nil
}

// An executor is a database or a transaction.
type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (gosql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*gosql.Rows, error)
}

// texts returns the one column of a query.
func texts(ctx context.Context, db executor, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return out, nil
}
