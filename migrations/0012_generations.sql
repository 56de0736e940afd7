-- +goose Up

-- The vectors of a second embedding model, of the generation of the index that stands beside the one
-- that answers. A memory whose text changed has none until it is embedded again.
CREATE TABLE beside_vectors (
    memory_id uuid PRIMARY KEY REFERENCES memories (id),
    vector    bytea NOT NULL,              -- float32, little-endian
    written   boolean NOT NULL DEFAULT false, -- the index has the memory's point, unless the memory is dirty
    CONSTRAINT beside_vectors_is_float32 CHECK (octet_length(vector) > 0 AND octet_length(vector) % 4 = 0)
);
ALTER TABLE beside_vectors ALTER COLUMN vector SET STORAGE EXTERNAL;

-- Whether the points of a message are in the generation beside, too.
ALTER TABLE conversation_messages ADD COLUMN beside boolean NOT NULL DEFAULT false;

-- +goose StatementBegin
CREATE FUNCTION beside_vectors_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM beside_vectors WHERE memory_id = NEW.id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER memories_beside_vectors AFTER UPDATE ON memories FOR EACH ROW
    WHEN (NEW.text <> OLD.text OR NEW.state <> 'live') EXECUTE FUNCTION beside_vectors_follow();

-- +goose StatementBegin
CREATE FUNCTION conversation_messages_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.beside := false;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER conversation_messages_beside BEFORE UPDATE ON conversation_messages FOR EACH ROW
    WHEN (NEW.beside AND (NEW.text <> OLD.text OR NEW.state <> 'kept' OR NEW.model = '')) EXECUTE FUNCTION conversation_messages_follow();

-- +goose StatementBegin
-- A store may have embedded its text a moment before another model came into force. It is refused
-- then, and embeds again. The code is mneme's own.
CREATE FUNCTION memories_model_in_force() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM settings WHERE key = 'generations') AND EXISTS (
        SELECT FROM settings WHERE key = 'embedding' AND value ->> 'model' <> NEW.model) THEN
        RAISE EXCEPTION 'the memory has a vector of a model that is not in force' USING ERRCODE = 'MN001';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER memories_model_of_new BEFORE INSERT ON memories FOR EACH ROW
    WHEN (NEW.state = 'live') EXECUTE FUNCTION memories_model_in_force();
CREATE TRIGGER memories_model_of_changed BEFORE UPDATE OF model ON memories FOR EACH ROW
    WHEN (NEW.state = 'live' AND (NEW.model <> OLD.model OR OLD.state <> 'live')) EXECUTE FUNCTION memories_model_in_force();

-- +goose Down
DROP TRIGGER memories_model_of_changed ON memories;
DROP TRIGGER memories_model_of_new ON memories;
DROP FUNCTION memories_model_in_force();
DROP TRIGGER conversation_messages_beside ON conversation_messages;
DROP FUNCTION conversation_messages_follow();
DROP TRIGGER memories_beside_vectors ON memories;
DROP FUNCTION beside_vectors_follow();
ALTER TABLE conversation_messages DROP COLUMN beside;
DROP TABLE beside_vectors;
