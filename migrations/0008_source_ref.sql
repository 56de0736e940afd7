-- +goose Up

-- Where a memory came from, so that an import finds it again: "file:docs/ops.md#Deploy > Staging",
-- "issue:https://…", "mem0:<id>". Empty for what was simply said.
ALTER TABLE memories ADD COLUMN source_ref text NOT NULL DEFAULT '';
CREATE INDEX memories_source_ref ON memories (project, source_ref) WHERE state = 'live' AND source_ref <> '';

-- +goose Down
DROP INDEX memories_source_ref;
ALTER TABLE memories DROP COLUMN source_ref;
