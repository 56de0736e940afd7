package analytics_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/test/sample"
	"github.com/mneme-memory/mneme/internal/testkit"
)

// base is the URL of the PostgreSQL that the tests share.
var base string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if !analytics.Linked {
		fmt.Fprintln(os.Stderr, "skipped: DuckDB is not linked in; it needs a C++ compiler")
		return 0
	}
	if os.Getenv(childURL) != "" {
		if err := takeSnapshot(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	url, stop, err := testkit.StartPostgres(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	base = url
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// newLedger returns an empty ledger and a connection to its database.
func newLedger(t testing.TB) (*postgres.Ledger, *pgx.Conn) {
	t.Helper()
	url := testkit.Schema(t, base)
	l, err := postgres.Open(t.Context(), postgres.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	if err := l.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	return l, conn
}

// generate fills a ledger. See [sample.Fill].
func generate(t testing.TB, conn *pgx.Conn, n, m int) {
	t.Helper()
	if err := sample.Fill(t.Context(), conn, n, m); err != nil {
		t.Fatal(err)
	}
}
