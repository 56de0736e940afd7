package main

// question is a view of the snapshot, and what it answers as PostgreSQL is
// asked for it.
type question struct{ view, postgres string }

func questions() []question {
	return []question{
		{"recall_hit_rate", `select "timestamp"::date, project, collection, details->>'source', count(*),
count(*) filter (where (details->>'hit')::boolean) from memory_audit where action = 'recall' group by 1, 2, 3, 4`},
		{"organize_runs", `select workflow_id, min("timestamp"), sum(cardinality(affected_ids)) filter (where action = 'prune'),
sum(cardinality(affected_ids) - 1) filter (where action = 'merge') from memory_audit
where action in ('merge', 'prune', 'promote', 'expire', 'decay', 'organize') and workflow_id like 'organize/%' group by 1`},
		{"memory_growth", `select day, project, collection, sum(born), sum(gone) from (
select created_at::date as day, project, collection, 1 as born, 0 as gone from memories
union all select changed_at::date, project, collection, 0, 1 from memories where state <> 'live') c group by 1, 2, 3`},
		{"memory_value", `select m.id, m.project, m.confidence, i.n, i.tokens, u.n, c.helped, c.not_helped from memories m
left join (select x as id, count(*) as n, sum((details->>'tokens')::int / cardinality(affected_ids)::float) as tokens
  from memory_audit, unnest(affected_ids) x where action = 'inject' group by 1) i on i.id = m.id
left join (select x as id, count(*) as n from memory_audit, unnest(affected_ids) x where action = 'use' group by 1) u on u.id = m.id
left join (select x as id, count(*) filter (where (details->>'helped')::boolean) as helped,
  count(*) filter (where not (details->>'helped')::boolean) as not_helped
  from memory_audit, unnest(affected_ids) x where action = 'credit' group by 1) c on c.id = m.id`},
		{"most_used", `select id, project, collection, type, access_count, confirmations, confidence, last_accessed
from memories where state = 'live' and access_count > 0 order by access_count desc, last_accessed desc, id`},
		{"never_used", `select id, project, collection, type, confidence, pinned, octet_length(text), created_at
from memories where state = 'live' and access_count = 0 order by created_at, id`},
		{"nearly_pruned", `select id, project, collection, type, confidence, last_accessed from memories
where state = 'live' and not pinned and confidence < 0.4 and last_accessed < now() - interval '60 days' order by 5, 6, 1`},
		{"duplicates_avoided", `select "timestamp"::date, project, collection, details->>'source',
count(*) filter (where action = 'duplicate'), count(*) filter (where action <> 'duplicate') from memory_audit
where action = 'duplicate' or (action in ('store', 'import') and details #>> '{result,status}' = 'merged') group by 1, 2, 3, 4`},
		{"tokens_injected", `select details->>'session', min("timestamp"), max("timestamp"), count(*), sum((details->>'tokens')::int),
sum(cardinality(affected_ids)) from memory_audit where action = 'inject' group by 1`},
		{"latency", `select action, details->>'source', count(*), percentile_cont(array[0.5, 0.9, 0.95, 0.99]) within group (order by
coalesce((details->>'latency_ms')::float, (details #>> '{took_ms,embed}')::float + (details #>> '{took_ms,search}')::float))
from memory_audit where details ? 'latency_ms' or details ? 'took_ms' group by 1, 2`},
		{"error_fixes", `select "timestamp"::date, project, count(*) filter (where (details->>'helped')::boolean), count(*)
from memory_audit where action = 'credit' group by 1, 2`},
		{"redactions", `select "timestamp"::date, project, kind, count(*) from memory_audit,
jsonb_array_elements_text(details->'redacted') kind where jsonb_typeof(details->'redacted') = 'array' group by 1, 2, 3`},
		{"sessions", `select details->>'session', min("timestamp"), max("timestamp"), count(*) filter (where action = 'recall'),
bool_or((details->>'hit')::boolean) from memory_audit where coalesce(details->>'session', '') <> '' group by 1`},
		{"confidence_over_time", `select project, collection, least(floor(confidence * 10), 9), count(*), avg(confidence)
from memories where state = 'live' group by 1, 2, 3`},
	}
}
