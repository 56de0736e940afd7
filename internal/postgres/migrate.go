package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/mneme-memory/mneme/migrations"
)

// migrationsTable is goose's own table. The name tells users of a shared
// database that the table belongs to mneme.
const migrationsTable = "mneme_migrations"

// Migrate brings the schema up to date. Two workers that start at once are
// safe: the second waits for the first.
func (l *Ledger) Migrate(ctx context.Context) error {
	db := stdlib.OpenDBFromPool(l.pool)
	defer db.Close() // closes nothing of the pool's
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS,
		goose.WithTableName(migrationsTable),
		goose.WithSessionLocker(migrationLock{}),
		goose.WithDisableGlobalRegistry(true),
		goose.WithLogger(goose.NopLogger()), // goose would write to stdout
	)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	results, err := p.Up(ctx)
	if err != nil {
		return l.wrap("migrate the ledger", err)
	}
	for _, r := range results {
		l.log.InfoContext(ctx, "migrated the ledger", "file", r.Source.Path, "took", r.Duration)
	}
	return nil
}

// migrationLock waits in the server, where goose's own locker asks again
// every few seconds. It is one lock for each schema.
type migrationLock struct{}

const migrationKey = `hashtextextended('mneme migrations ' || current_schema(), 0)`

// SessionLock waits for the lock.
func (migrationLock) SessionLock(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, `set statement_timeout = '`+slowTimeout+`'`); err != nil {
		return fmt.Errorf("allow slow migrations: %w", err)
	}
	if _, err := conn.ExecContext(ctx, `select pg_advisory_lock(`+migrationKey+`)`); err != nil {
		return fmt.Errorf("wait for other migrations: %w", err)
	}
	return nil
}

// SessionUnlock gives the lock back and makes the connection an ordinary one again.
func (migrationLock) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, `select pg_advisory_unlock(`+migrationKey+`)`); err != nil {
		return fmt.Errorf("end the migration's lock: %w", err)
	}
	if _, err := conn.ExecContext(ctx, `reset statement_timeout`); err != nil {
		return fmt.Errorf("reset the statement timeout: %w", err)
	}
	return nil
}
