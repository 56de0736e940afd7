-- Documented, with an example each, in docs/analytics.md. Days are UTC.

CREATE OR REPLACE VIEW recall_hit_rate AS
SELECT CAST(ts AS DATE) AS day, project, collection, source,
       count(*) AS recalls,
       count(*) FILTER (WHERE hit) AS hits,
       count(*) FILTER (WHERE hit) / count(*) AS hit_rate
FROM audit WHERE action = 'recall' AND source <> 'doctor' -- which asks for nothing in particular
GROUP BY ALL;

CREATE OR REPLACE VIEW confidence_over_time AS
SELECT day, project, collection, bucket / 10.0 AS confidence_from, memories, mean
FROM confidence_samples;

-- A run whose history grew long went on under another run_id: one row a workflow, with the first.
CREATE OR REPLACE VIEW organize_runs AS
WITH step AS (
    SELECT * FROM audit
    WHERE action IN ('merge', 'prune', 'promote', 'expire', 'decay', 'organize') AND workflow_id LIKE 'organize/%' -- not a merge by hand
), undo AS (
    -- An undo that was taken back itself has undone nothing.
    SELECT (u.details ->> '$.of') AS workflow_id, count(DISTINCT u.id) AS undone
    FROM (SELECT workflow_id, details, unnest(affected_ids) AS id FROM audit WHERE action = 'undo') u
    WHERE u.workflow_id NOT IN (SELECT (details ->> '$.of') FROM audit WHERE action = 'undo' AND (details ->> '$.of') IS NOT NULL)
    GROUP BY 1
)
SELECT workflow_id, arg_min(run_id, id) AS run_id, min(ts) AS started_at,
       coalesce(sum(greatest(len(affected_ids) - 1, 0)) FILTER (WHERE action = 'merge'), 0)::BIGINT AS merged,
       coalesce(sum(len(affected_ids)) FILTER (WHERE action = 'prune'), 0)::BIGINT AS pruned,
       coalesce(sum(len(affected_ids)) FILTER (WHERE action = 'promote'), 0)::BIGINT AS promoted,
       coalesce(sum(len(affected_ids)) FILTER (WHERE action = 'expire'), 0)::BIGINT AS expired,
       coalesce(sum(len(affected_ids)) FILTER (WHERE action = 'decay'), 0)::BIGINT AS decayed,
       coalesce(any_value(undone), 0) AS undone
FROM step LEFT JOIN undo USING (workflow_id)
GROUP BY workflow_id;

CREATE OR REPLACE VIEW memory_growth AS
WITH change AS (
    SELECT CAST(created_at AS DATE) AS day, project, collection, 1 AS born, 0 AS gone FROM memories
    UNION ALL
    SELECT CAST(changed_at AS DATE), project, collection, 0, 1 FROM memories WHERE state <> 'live'
), daily AS (
    SELECT day, project, collection, sum(born)::BIGINT AS born, sum(gone)::BIGINT AS gone FROM change GROUP BY ALL
)
SELECT day, project, collection, born, gone,
       (sum(born - gone) OVER (PARTITION BY project, collection ORDER BY day))::BIGINT AS live
FROM daily;

CREATE OR REPLACE VIEW memory_value AS
WITH shown AS (
    SELECT unnest(affected_ids) AS id, ts, session,
           coalesce(tokens, 0) / greatest(len(affected_ids), 1) AS tokens
    FROM audit WHERE action = 'inject'
), injected AS (
    SELECT id, count(*) AS injected, sum(tokens) AS tokens, max(ts) AS last_injected FROM shown GROUP BY id
), used AS (
    SELECT id, count(*) AS used FROM (SELECT unnest(affected_ids) AS id FROM audit WHERE action = 'use') GROUP BY id
), credited AS (
    SELECT id, count(*) FILTER (WHERE helped) AS helped, count(*) FILTER (WHERE NOT helped) AS not_helped
    FROM (SELECT unnest(affected_ids) AS id, helped FROM audit WHERE action = 'credit') GROUP BY id
)
SELECT m.id, m.project, m.collection, m.type, m.state, m.confidence, m.pinned, m.access_count, m.created_at,
       coalesce(i.injected, 0) AS injected, coalesce(i.tokens, 0) AS tokens, coalesce(u.used, 0) AS used,
       CASE WHEN i.injected > 0 THEN least(coalesce(u.used, 0) / i.injected, 1) END AS use_rate, -- NULL when never shown
       coalesce(c.helped, 0) AS helped, coalesce(c.not_helped, 0) AS not_helped, i.last_injected
FROM memories m
LEFT JOIN injected i ON i.id = m.id
LEFT JOIN used u ON u.id = m.id
LEFT JOIN credited c ON c.id = m.id;

CREATE OR REPLACE VIEW most_used AS
SELECT id, project, collection, type, access_count, confirmations, confidence, last_accessed
FROM memories WHERE state = 'live' AND access_count > 0
ORDER BY access_count DESC, last_accessed DESC, id;

CREATE OR REPLACE VIEW never_used AS
SELECT id, project, collection, type, confidence, pinned, text_bytes, created_at,
       date_diff('day', created_at, (SELECT taken_at FROM snapshot_state)) AS days_old
FROM memories WHERE state = 'live' AND access_count = 0
ORDER BY created_at, id;

-- Pruned are memories below 0.3 that nobody used for 90 days: these are near both.
CREATE OR REPLACE VIEW nearly_pruned AS
SELECT id, project, collection, type, confidence, last_accessed,
       date_diff('day', last_accessed, (SELECT taken_at FROM snapshot_state)) AS days_unused
FROM memories
WHERE state = 'live' AND NOT pinned AND confidence < 0.4
  AND date_diff('day', last_accessed, (SELECT taken_at FROM snapshot_state)) >= 60
ORDER BY confidence, last_accessed, id;

CREATE OR REPLACE VIEW duplicates_avoided AS
SELECT CAST(ts AS DATE) AS day, project, collection, source,
       count(*) FILTER (WHERE action = 'duplicate') AS before_storing,
       count(*) FILTER (WHERE action IN ('store', 'import') AND status = 'merged') AS while_storing
FROM audit
WHERE action = 'duplicate' OR (action IN ('store', 'import') AND status = 'merged')
GROUP BY ALL;

CREATE OR REPLACE VIEW tokens_injected AS
SELECT session, any_value(project) AS project, min(ts) AS first_at, max(ts) AS last_at,
       count(*) AS injections, coalesce(sum(tokens), 0)::BIGINT AS tokens, coalesce(sum(len(affected_ids)), 0)::BIGINT AS memories,
       coalesce(sum(tokens), 0) / nullif(sum(len(affected_ids)), 0) AS tokens_per_hit
FROM audit WHERE action = 'inject'
GROUP BY session;

CREATE OR REPLACE VIEW latency AS
SELECT action, source, count(*) AS calls,
       quantile_cont(took_ms, 0.5) AS p50_ms, quantile_cont(took_ms, 0.9) AS p90_ms,
       quantile_cont(took_ms, 0.95) AS p95_ms, quantile_cont(took_ms, 0.99) AS p99_ms, max(took_ms) AS max_ms
FROM audit WHERE took_ms IS NOT NULL
GROUP BY action, source;

CREATE OR REPLACE VIEW error_fixes AS
SELECT CAST(ts AS DATE) AS day, project,
       count(*) FILTER (WHERE helped) AS stayed_away,
       count(*) FILTER (WHERE NOT helped) AS came_back,
       count(*) FILTER (WHERE helped) / count(*) AS helped_rate
FROM audit WHERE action = 'credit' AND helped IS NOT NULL
GROUP BY ALL;

CREATE OR REPLACE VIEW redactions AS
SELECT day, project, kind, count(*) AS times FROM (
    SELECT CAST(ts AS DATE) AS day, project, unnest(CAST(details -> '$.redacted' AS VARCHAR[])) AS kind
    FROM audit WHERE json_type(details, '$.redacted') = 'ARRAY'
) GROUP BY ALL;

CREATE OR REPLACE VIEW sessions AS
SELECT session, any_value(project) AS project, min(ts) AS first_at, max(ts) AS last_at,
       count(*) FILTER (WHERE action = 'recall') AS recalls,
       count(*) FILTER (WHERE action = 'recall' AND hit) AS hits,
       count(*) FILTER (WHERE action = 'store') AS stores,
       coalesce(sum(tokens) FILTER (WHERE action = 'inject'), 0)::BIGINT AS tokens,
       bool_or(coalesce(hit, false)) AS had_hit
FROM audit WHERE session <> ''
GROUP BY session;
