package postgres_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// exec runs a statement beside the ledger.
func exec(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// TestInspect looks at a schema that is not there yet, as it should be, of an older and of a
// newer program, and at one that cannot be written to.
func TestInspect(t *testing.T) {
	t.Parallel()
	at := testkit.Schema(t, server)
	problem := func(what, message, hint string) {
		t.Helper()
		i := postgres.Inspect(t.Context(), at)
		if len(i.Problems) != 1 || !strings.Contains(i.Problems[0].Error(), message) || memory.CodeOf(i.Problems[0]) != memory.Refused ||
			!strings.Contains(memory.HintOf(i.Problems[0]), hint) || i.Version == "" || !i.Supported {
			t.Errorf("%s: %+v", what, i)
		}
	}
	problem("empty", "the schema is at 0 of", "brings it up to date")

	l := openAt(t, at, time.Now())
	store(t, l, rec(memory.Memories, "a fact"))
	if err := l.UseModel(t.Context(), "m", 4); err != nil {
		t.Fatal(err)
	}
	i := postgres.Inspect(t.Context(), at)
	if len(i.Problems) > 0 || !i.Supported || len(i.Facts) != 1 || i.Dimension != 4 || i.Model != "m" {
		t.Errorf("as it should be: %+v", i)
	}

	readOnly := at + "&default_transaction_read_only=on"
	if !strings.Contains(at, "?") {
		readOnly = at + "?default_transaction_read_only=on"
	}
	if i := postgres.Inspect(t.Context(), readOnly); len(i.Problems) != 1 || !strings.Contains(i.Problems[0].Error(), "read-only") {
		t.Errorf("read-only: %+v", i)
	}

	exec(t, at, `insert into mneme_migrations (version_id, is_applied) values (9999, true)`)
	problem("newer", "a newer one made it", "upgrade this mneme")
	exec(t, at, `delete from mneme_migrations where version_id > 1`)
	problem("older", "the schema is at 1 of", "brings it up to date")
}

// TestInspectWithoutAnAnswer tells the cause of a connection that was not made, and nothing of
// the URL but where the server is.
func TestInspectWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(testkit.Schema(t, server))
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/no-such-database"
	for what, c := range map[string]struct{ url, message, hint string }{
		"no server":   {"postgres://me:very-secret@127.0.0.1:1/mneme", "no answer at 127.0.0.1:1", "start it"},
		"no database": {u.String(), `"no-such-database" does not exist`, "check user, password and database"},
		"no URL":      {"postgres://[", "read the PostgreSQL URL", "postgres://"},
	} {
		i := postgres.Inspect(t.Context(), c.url)
		if len(i.Problems) != 1 || !strings.Contains(i.Problems[0].Error(), c.message) || !strings.Contains(memory.HintOf(i.Problems[0]), c.hint) {
			t.Errorf("%s: %+v", what, i)
			continue
		}
		if strings.Contains(i.Problems[0].Error(), "very-secret") {
			t.Errorf("%s: a password is told: %v", what, i.Problems[0])
		}
	}
}
