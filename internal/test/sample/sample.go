// Package sample fills a ledger with what a year of use would leave in it,
// for tests and benchmarks of the analysis.
package sample

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Fill writes so many audit rows of all kinds into a migrated ledger that
// holds nothing yet, and so many memories that they are about. Of ten rows
// three are recalls, two stores, two injections, one a use, one a credit and
// one a prune; one memory in ten is forgotten.
func Fill(ctx context.Context, conn *pgx.Conn, rows, memories int) error {
	if _, err := conn.Exec(ctx, insertMemories, memories); err != nil {
		return fmt.Errorf("write memories: %w", err)
	}
	if _, err := conn.Exec(ctx, insertAudit, rows, memories); err != nil {
		return fmt.Errorf("write audit: %w", err)
	}
	// A year of use leaves statistics and clean pages behind it, a minute does not.
	if _, err := conn.Exec(ctx, `vacuum analyze memories, memory_audit`); err != nil {
		return fmt.Errorf("tidy up: %w", err)
	}
	return nil
}

const insertMemories = `insert into memories (id, collection, project, type, tags, text, vector, confidence, importance, pinned,
access_count, created_at, last_accessed, source, session, content_hash, model, state, dirty, changed_at)
select md5('m' || i)::uuid, (array['claude_memories','learnings','procedures'])[1 + i % 3], 'project-' || i % 5, 'fact',
array['go'], case when i % 10 = 9 then '' else 'text ' || i end, case when i % 10 = 9 then ''::bytea else '\x00000000'::bytea end,
(i % 11) / 10.0, 0.5, i % 50 = 0, i % 7, timestamptz '2026-01-01' + i % 365 * interval '1 day',
timestamptz '2026-01-01' + i % 365 * interval '1 day', 'cli', 's' || i % 100,
encode(sha256(('c' || i)::bytea), 'hex'), 'mneme-static', case when i % 10 = 9 then 'forgotten' else 'live' end, false,
timestamptz '2026-12-01' from generate_series(1, $1::int) i`

const insertAudit = `insert into memory_audit ("user", action, "timestamp", affected_ids, project, collection, workflow_id, run_id, step, details)
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
