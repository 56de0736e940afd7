package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/migrations"
)

// Oldest is the oldest PostgreSQL that the ledger works with.
const Oldest = "13"

// Inspect asks the server at a URL for its version, whether it can be written to, and whether
// the ledger's schema is the one that this program knows. It changes nothing, not even an old
// schema, and uses one connection, which ctx bounds.
func Inspect(ctx context.Context, url string) memory.Inspection {
	var i memory.Inspection
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		i.Fail(memory.Errorf(memory.Invalid, hintURL, "read the PostgreSQL URL: %w", err))
		return i
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		i.Fail(unreachable(cfg, err))
		return i
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // only asked, nothing to lose
	var version, readOnly string
	err = conn.QueryRow(ctx, `select split_part(current_setting('server_version'), ' ', 1), current_setting('transaction_read_only')`).
		Scan(&version, &readOnly)
	if err != nil {
		i.Fail(unreachable(cfg, err))
		return i
	}
	i.Learn(part, version, Oldest)
	if readOnly == "on" {
		i.Fail(memory.Refusal(part, "give the address of the server that may be written to", errors.New("it is read-only, as a standby is")))
	}
	inspectSchema(ctx, conn, &i)
	return i
}

// unreachable is the error of a connection that was not made. It tells the cause alone: pgx
// quotes the user and the database of the URL too.
func unreachable(cfg *pgx.ConnConfig, err error) error {
	sorted := classify(err)
	hint := memory.HintOf(sorted)
	if hint == "" {
		hint = downHint
	}
	what := "no answer at " + serverOf(cfg)
	if memory.CodeOf(sorted) == memory.Refused {
		what = "it refuses at " + serverOf(cfg)
	}
	return &memory.Error{Code: memory.CodeOf(sorted), Part: part, Hint: hint, Err: fmt.Errorf("%s: %w", what, cause(err))}
}

// serverOf names a server by its host and port, or by its socket.
func serverOf(cfg *pgx.ConnConfig) string {
	if strings.HasPrefix(cfg.Host, "/") {
		return fmt.Sprintf("%s/.s.PGSQL.%d", strings.TrimSuffix(cfg.Host, "/"), cfg.Port)
	}
	return net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port)))
}

// cause is the innermost error; of several that were joined, the last one tried.
func cause(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return errors.New(pg.Message)
	}
	for {
		var next error
		switch e := err.(type) { //nolint:errorlint // this walks the chain itself
		case interface{ Unwrap() error }:
			next = e.Unwrap()
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				next = all[len(all)-1]
			}
		}
		if next == nil {
			return err
		}
		err = next
	}
}

// inspectSchema compares the migrations that were applied with those that this program has,
// and reads which model the vectors are of.
func inspectSchema(ctx context.Context, conn *pgx.Conn, i *memory.Inspection) {
	newest, err := newestMigration()
	if err != nil {
		i.Fail(err)
		return
	}
	var applied int
	err = conn.QueryRow(ctx, `select coalesce(max(version_id), 0) from `+migrationsTable+` where is_applied`).Scan(&applied)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == noSuchTable {
		err = nil // nothing was applied yet
	}
	switch {
	case err != nil:
		i.Fail(fmt.Errorf("read the version of the schema: %w", classify(err)))
		return
	case applied < newest:
		i.Fail(memory.Refusal(part, `"mneme up", or a worker of this version, brings it up to date when it starts`,
			fmt.Errorf("the schema is at %d of %d", applied, newest)))
		return
	case applied > newest:
		i.Fail(memory.Refusal(part, "upgrade this mneme",
			fmt.Errorf("the schema is at %d, and this mneme knows %d: a newer one made it", applied, newest)))
		return
	}
	i.Tell("schema %d of %d", applied, newest)
	var m embedding // stays zero while nothing was stored yet
	err = conn.QueryRow(ctx, `select
	coalesce((select value #>> '{}' from settings where key = $1), ''),
	coalesce((select value from settings where key = $2), '{}')`, ledgerKey, embeddingKey).Scan(&i.Ledger, &m)
	if err != nil {
		i.Fail(fmt.Errorf("read the settings of the ledger: %w", classify(err)))
	}
	i.Model, i.Dimension = m.Model, m.Dimension
	g, err := scanGenerations(conn.QueryRow(ctx, selectGenerations, generationsKey, embeddingKey))
	if err != nil {
		i.Fail(fmt.Errorf("read which models there are: %w", classify(err)))
	}
	i.Replaced = g.Replaced
}

// newestMigration is the highest number among the files.
func newestMigration() (int, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	newest := 0
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		n, parse := strconv.Atoi(number)
		if parse != nil {
			return 0, fmt.Errorf("number of migration %s: %w", name, parse)
		}
		newest = max(newest, n)
	}
	return newest, err
}
