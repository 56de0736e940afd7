-- +goose Up

-- A text can be years older than its place in the ledger: an import brings what was said in 2023.
-- Unused is counted from the last use, or from here if that is later.
ALTER TABLE memories ADD COLUMN arrived_at timestamptz NOT NULL DEFAULT now();
-- When the owner was first told that it will be pruned soon. It holds until the next use.
ALTER TABLE memories ADD COLUMN announced_at timestamptz;

-- The versions know when a memory came in, or came back.
UPDATE memories m SET arrived_at = v.at
FROM (SELECT memory_id, max(at) AS at FROM memory_versions
      WHERE after ->> 'state' = 'live' AND coalesce(before ->> 'state', '') <> 'live' GROUP BY memory_id) v
WHERE m.id = v.memory_id;

-- What was imported with an old date and never used has faded for years in which it was not here.
-- 7776000 seconds are the half-life of confidence, 0.5 is what a memory begins with.
UPDATE memories SET dirty = true, revision = revision + 1, changed_at = clock_timestamp(),
    confidence = greatest(confidence, 0.5 * power(2::float8, -extract(epoch FROM decayed_at - arrived_at)::float8 / 7776000))
WHERE state = 'live' AND access_count = 0 AND confirmations = 0 AND confidence < 0.5
    AND decayed_at >= arrived_at AND last_accessed < arrived_at - interval '1 day';

CREATE INDEX memories_announced ON memories (id) WHERE state = 'live' AND announced_at IS NOT NULL;

-- Projects whose pruning waits for a yes, because it would take more than a tenth of them.
CREATE TABLE held_prunes (
    project  text PRIMARY KEY,
    memories bigint NOT NULL,      -- that would be pruned
    live     bigint NOT NULL,      -- of so many
    held_at  timestamptz NOT NULL, -- by the first run that stopped before them
    CONSTRAINT held_prunes_project_given CHECK (project <> ''),
    CONSTRAINT held_prunes_some CHECK (memories BETWEEN 1 AND live)
);

-- +goose Down
DROP TABLE held_prunes;
ALTER TABLE memories DROP COLUMN announced_at, DROP COLUMN arrived_at;
