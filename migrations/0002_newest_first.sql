-- +goose Up

-- Reviews list what is new, a page at a time.
CREATE INDEX memories_newest ON memories (created_at, id) WHERE state = 'live';

-- +goose Down
DROP INDEX memories_newest;
