-- +goose Up

-- Rebuilds read a collection in pages, in the order of ids; and how many
-- memories it has is counted in the index alone.
CREATE INDEX memories_by_collection ON memories (collection, id) WHERE state = 'live';

-- +goose Down
DROP INDEX memories_by_collection;
