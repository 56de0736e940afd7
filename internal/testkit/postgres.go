package testkit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mneme-memory/mneme/embedded/postgres"
)

// PostgresURLEnv names the variable with the URL of a PostgreSQL to test
// against instead of a private one. Tests make and drop schemas in it.
const PostgresURLEnv = "MNEME_TEST_POSTGRES_URL"

// tooManyConnections is PostgreSQL's code for it.
const tooManyConnections = "53300"

// StartPostgres starts one private cluster, to be called once in a TestMain,
// and returns its URL and what stops it and removes its files.
func StartPostgres(ctx context.Context) (string, func() error, error) {
	if given := os.Getenv(PostgresURLEnv); given != "" {
		return given, func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp("", "mneme-pg-")
	if err != nil {
		return "", nil, fmt.Errorf("make a folder for PostgreSQL: %w", err)
	}
	server, err := postgres.Start(ctx, postgres.Options{Dir: dir})
	if err != nil {
		os.RemoveAll(dir)
		return "", nil, fmt.Errorf("start PostgreSQL (or set %s): %w", PostgresURLEnv, err)
	}
	stop := func() error {
		if err := server.Stop(); err != nil {
			return fmt.Errorf("stop PostgreSQL: %w", err)
		}
		return os.RemoveAll(dir)
	}
	return server.URL(), stop, nil
}

// connect connects to a PostgreSQL. While the connections of other tests are all that the
// server allows, it waits for one of them to end.
func connect(t testing.TB, base string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, base)
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == tooManyConnections {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if err != nil {
			t.Fatalf("connect: %v", err)
		}
		return conn
	}
}

// Schema makes an empty schema of the test's own and returns a URL that leads
// into it. It is dropped when the test ends.
func Schema(t testing.TB, base string) string {
	t.Helper()
	name := "test_" + strings.ToLower(rand.Text()[:12])
	run := func(sql string) {
		conn := connect(t, base)
		defer conn.Close(context.WithoutCancel(t.Context()))
		if _, err := conn.Exec(context.WithoutCancel(t.Context()), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	run("create schema " + name)
	t.Cleanup(func() { run("drop schema " + name + " cascade") })
	u, err := url.Parse(base)
	if err != nil {
		t.Fatalf("read URL: %v", err)
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}
