package analytics_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
)

// base is the URL of the PostgreSQL that the tests share.
var base string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
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

// generate writes n audit rows of all kinds, as a year of use would leave
// them, and m memories that they are about.
func generate(t testing.TB, conn *pgx.Conn, n, m int) {
	t.Helper()
	exec := func(sql string, args ...any) {
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(generateMemories, m)
	exec(generateAudit, n, m)
}

// One in ten memories is not live any more.
const generateMemories = `insert into memories (id, collection, project, type, tags, text, vector, confidence, importance, pinned,
access_count, created_at, last_accessed, source, session, content_hash, model, state, dirty, changed_at)
select md5('m' || i)::uuid, (array['claude_memories','learnings','procedures'])[1 + i % 3], 'project-' || i % 5, 'fact',
array['go'], case when i % 10 = 9 then '' else 'text ' || i end, case when i % 10 = 9 then ''::bytea else '\x00000000'::bytea end,
(i % 11) / 10.0, 0.5, i % 50 = 0, i % 7, timestamptz '2026-01-01' + i % 365 * interval '1 day',
timestamptz '2026-01-01' + i % 365 * interval '1 day', 'cli', 's' || i % 100,
encode(sha256(('c' || i)::bytea), 'hex'), 'mneme-static', case when i % 10 = 9 then 'forgotten' else 'live' end, false,
timestamptz '2026-12-01' from generate_series(1, $1::int) i`

const generateAudit = `insert into memory_audit ("user", action, "timestamp", affected_ids, project, collection, workflow_id, run_id, step, details)
select 'me', a, timestamptz '2026-01-01' + i * interval '31 seconds',
array[md5('m' || 1 + i % $2)::uuid, md5('m' || 1 + (i + 1) % $2)::uuid], 'project-' || i % 5, '',
case a when 'prune' then 'organize/' || i / 5000 else a || '/' || i end, 'run', 'step' || i,
case a when 'recall' then jsonb_build_object('hit', i % 3 > 0, 'count', i % 3, 'source', (array['mcp','hook','cli'])[1 + i % 3],
  'session', 's' || i % 1000, 'tokens', i % 400, 'query_hash', md5(i::text),
  'took_ms', jsonb_build_object('embed', i % 7, 'search', i % 5 + 0.5, 'rank', 0.1), 'below', i % 4)
when 'store' then jsonb_build_object('source', 'mcp', 'text_bytes', i % 900, 'latency_ms', i % 50,
  'redacted', case when i % 100 = 3 then '["email"]'::jsonb else '[]'::jsonb end,
  'result', jsonb_build_object('status', case when i % 9 = 0 then 'merged' else 'stored' end, 'id', md5('m' || 1 + i % $2)))
when 'inject' then jsonb_build_object('session', 's' || i % 1000, 'tokens', 200 + i % 300, 'source', 'hook')
when 'credit' then jsonb_build_object('helped', i % 3 > 0, 'source', 'hook') else '{}' end
from (select i, (array['recall','recall','recall','store','store','inject','inject','use','credit','prune'])[1 + i % 10] a
from generate_series(1, $1::int) i) x`
