-- +goose Up

-- When a memory's content last changed: not its counters, and not its state. An export writes it, so
-- that an import knows which of two versions of a memory is the newer one. Null means never: the
-- content is that of created_at.
ALTER TABLE memories ADD COLUMN updated_at timestamptz;

UPDATE memories m SET updated_at = v.at
FROM (SELECT memory_id, max(at) AS at FROM memory_versions GROUP BY memory_id HAVING count(*) > 1) v
WHERE m.id = v.memory_id;

-- +goose StatementBegin
CREATE FUNCTION memories_note_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- An import that brings a newer version sets updated_at by itself.
CREATE TRIGGER memories_content_updated BEFORE UPDATE ON memories FOR EACH ROW
WHEN (NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at
    AND (NEW.text, NEW.type, NEW.tags, NEW.collection, NEW.importance, NEW.pinned, NEW.source_ref, NEW.session, NEW.position)
    IS DISTINCT FROM
    (OLD.text, OLD.type, OLD.tags, OLD.collection, OLD.importance, OLD.pinned, OLD.source_ref, OLD.session, OLD.position))
EXECUTE FUNCTION memories_note_update();

-- +goose Down
DROP TRIGGER memories_content_updated ON memories;
DROP FUNCTION memories_note_update();
ALTER TABLE memories DROP COLUMN updated_at;
