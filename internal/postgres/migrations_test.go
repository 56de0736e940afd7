package postgres_test

import (
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/mneme-memory/mneme/migrations"
)

// schemaOf returns a connection to a test's schema, and what brings that to the state of any
// release.
func schemaOf(t *testing.T, url string) (*sql.DB, *goose.Provider) {
	t.Helper()
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*cfg)
	t.Cleanup(func() { db.Close() })
	schema, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS,
		goose.WithTableName("mneme_migrations"), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		t.Fatal(err)
	}
	return db, schema
}
