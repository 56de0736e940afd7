-- +goose Up

-- Which change a version belongs to. One change may have been made by several runs of one
-- workflow, because a long one goes on in a new run. NULL: written by an older release.
ALTER TABLE memory_versions ADD COLUMN chain text;

-- What each change did to the counters of a memory: confidence, how often it was recalled and
-- confirmed, and when. Together with the versions, which hold texts and vectors, this is what
-- an undo needs. A change of counters alone has a row here and no version.
CREATE TABLE memory_changes (
    seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    memory_id   uuid NOT NULL REFERENCES memories (id),
    at          timestamptz NOT NULL,
    action      text NOT NULL,
    workflow_id text NOT NULL,
    run_id      text NOT NULL,
    chain       text NOT NULL,
    step        text NOT NULL,
    before      jsonb,                         -- NULL: it was new
    after       jsonb NOT NULL
);
CREATE INDEX memory_changes_memory ON memory_changes (memory_id, seq);
CREATE INDEX memory_changes_chain ON memory_changes (workflow_id, chain, memory_id);
CREATE INDEX memory_changes_time ON memory_changes (at);

-- Each link that came or went.
CREATE TABLE link_changes (
    seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    link_id     uuid NOT NULL,
    source_id   uuid NOT NULL,
    target_id   uuid NOT NULL,
    link_type   text NOT NULL,
    created_at  timestamptz NOT NULL,          -- of the link
    added       boolean NOT NULL,              -- false: it was taken away
    at          timestamptz NOT NULL,
    action      text NOT NULL,
    workflow_id text NOT NULL,
    run_id      text NOT NULL,
    chain       text NOT NULL,
    step        text NOT NULL
);
CREATE INDEX link_changes_chain ON link_changes (workflow_id, chain, link_id, seq);
CREATE INDEX link_changes_time ON link_changes (at);

CREATE INDEX memory_versions_time ON memory_versions (at);
CREATE INDEX memory_audit_undo ON memory_audit (id) WHERE action = 'undo';

-- +goose Down
DROP INDEX memory_audit_undo;
DROP INDEX memory_versions_time;
DROP TABLE link_changes, memory_changes;
ALTER TABLE memory_versions DROP COLUMN chain;
