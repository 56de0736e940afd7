-- +goose Up

-- What mneme remembers: the current state, one row a memory. Rows are never
-- deleted; a memory that is gone has another state than 'live'.
CREATE TABLE memories (
    id            uuid PRIMARY KEY,            -- from project, collection and text: a retry cannot store twice
    collection    text NOT NULL,               -- also the Qdrant collection its point belongs in
    project       text NOT NULL,               -- '_global' holds everywhere
    type          text NOT NULL,
    tags          text[] NOT NULL DEFAULT '{}',
    text          text NOT NULL,               -- redacted; blank once forgotten
    vector        bytea NOT NULL,              -- float32, little-endian; empty once forgotten
    confidence    double precision NOT NULL,
    importance    double precision NOT NULL,
    pinned        boolean NOT NULL,
    access_count  bigint NOT NULL DEFAULT 0,   -- how often it was recalled
    confirmations bigint NOT NULL DEFAULT 0,   -- how often the same fact was stored again or merged into it
    created_at    timestamptz NOT NULL,
    last_accessed timestamptz NOT NULL,        -- last recalled or confirmed
    expires_at    timestamptz,                 -- NULL: for good
    decayed_at    timestamptz,                 -- until when the decay of confidence is counted in
    source        text NOT NULL DEFAULT '',    -- the door it came through
    session       text NOT NULL DEFAULT '',    -- the sitting it was said in
    position      integer NOT NULL DEFAULT 0,  -- its place in the session, from 1; 0 if it has none
    content_hash  text NOT NULL,               -- SHA-256 of the normalised text; kept when forgotten
    model         text NOT NULL,               -- embedding model of the vector
    state         text NOT NULL DEFAULT 'live',
    merged_into   uuid REFERENCES memories (id),
    revision      bigint NOT NULL DEFAULT 1,   -- counts the changes of this row
    indexed_in    text,                        -- collection where a point of it is or may be; NULL: nowhere
    dirty         boolean NOT NULL,            -- the index is behind this row
    changed_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT memories_collection_given CHECK (collection <> ''),
    CONSTRAINT memories_project_given CHECK (project <> ''),
    CONSTRAINT memories_type_given CHECK (type <> ''),
    CONSTRAINT memories_model_given CHECK (model <> ''),
    CONSTRAINT memories_state_known CHECK (state IN ('live', 'merged', 'pruned', 'forgotten', 'expired')),
    CONSTRAINT memories_live_has_text CHECK (state <> 'live' OR text <> ''),
    CONSTRAINT memories_live_has_vector CHECK (state <> 'live' OR octet_length(vector) > 0),
    CONSTRAINT memories_forgotten_is_blank CHECK (state <> 'forgotten' OR (text = '' AND octet_length(vector) = 0)),
    CONSTRAINT memories_vector_is_float32 CHECK (octet_length(vector) % 4 = 0),
    CONSTRAINT memories_confidence_bounds CHECK (confidence BETWEEN 0 AND 1),
    CONSTRAINT memories_importance_bounds CHECK (importance BETWEEN 0 AND 1),
    CONSTRAINT memories_counters_bounds CHECK (access_count >= 0 AND confirmations >= 0),
    CONSTRAINT memories_position_bounds CHECK (position >= 0),
    CONSTRAINT memories_hash_is_sha256 CHECK (content_hash ~ '^[0-9a-f]{64}$'),
    CONSTRAINT memories_merged_has_survivor CHECK ((state = 'merged') = (merged_into IS NOT NULL)),
    CONSTRAINT memories_merged_into_another CHECK (merged_into <> id)
);
-- Vectors do not compress: skip the attempt.
ALTER TABLE memories ALTER COLUMN vector SET STORAGE EXTERNAL;

-- One live memory a text, whoever forgets to lock.
CREATE UNIQUE INDEX memories_live_content ON memories (project, collection, content_hash) WHERE state = 'live';
CREATE INDEX memories_dirty ON memories (changed_at, id) WHERE dirty;
CREATE INDEX memories_tags ON memories USING gin (tags) WHERE state = 'live';
CREATE INDEX memories_session ON memories (project, session, position) WHERE session <> '';
CREATE INDEX memories_merged_into ON memories (merged_into) WHERE merged_into IS NOT NULL;

-- Append-only: every change of content or state, with what was before and
-- after. Counters (access, confidence by recall, decay) write none.
CREATE TABLE memory_versions (
    seq           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    memory_id     uuid NOT NULL REFERENCES memories (id),
    at            timestamptz NOT NULL,
    action        text NOT NULL,
    workflow_id   text NOT NULL,
    run_id        text NOT NULL,
    step          text NOT NULL,
    before        jsonb,                       -- NULL: it was new
    before_vector bytea,
    after         jsonb NOT NULL,
    after_vector  bytea,
    CONSTRAINT memory_versions_action_given CHECK (action <> '')
);
ALTER TABLE memory_versions ALTER COLUMN before_vector SET STORAGE EXTERNAL;
ALTER TABLE memory_versions ALTER COLUMN after_vector SET STORAGE EXTERNAL;
CREATE INDEX memory_versions_memory ON memory_versions (memory_id, seq);
CREATE INDEX memory_versions_run ON memory_versions (workflow_id, run_id);

-- +goose StatementBegin
-- Only a forget with purge may blank old versions; it says so by a setting
-- that lasts for its transaction. Nobody may delete.
CREATE FUNCTION memory_versions_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('mneme.purge', true) = 'on' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'memory_versions is append-only: % refused', TG_OP
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'memory_versions_append_only';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER memory_versions_append_only BEFORE UPDATE OR DELETE ON memory_versions
    FOR EACH ROW EXECUTE FUNCTION memory_versions_guard();
CREATE TRIGGER memory_versions_no_truncate BEFORE TRUNCATE ON memory_versions
    FOR EACH STATEMENT EXECUTE FUNCTION memory_versions_guard();

-- How memories stand to one another.
CREATE TABLE memory_links (
    id         uuid PRIMARY KEY,               -- from the three columns below
    source_id  uuid NOT NULL REFERENCES memories (id),
    target_id  uuid NOT NULL REFERENCES memories (id),
    link_type  text NOT NULL,                  -- builds_on, contradicts, clarifies; more may come
    created_at timestamptz NOT NULL,
    CONSTRAINT memory_links_once UNIQUE (source_id, target_id, link_type),
    CONSTRAINT memory_links_type_given CHECK (link_type <> ''),
    CONSTRAINT memory_links_between_two CHECK (source_id <> target_id)
);
CREATE INDEX memory_links_target ON memory_links (target_id);

-- What was done, by whom and why. One row a step of a workflow run, so that a
-- retried step is applied once. Details never hold a text.
CREATE TABLE memory_audit (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "user"       text NOT NULL,                -- operating system user who asked
    action       text NOT NULL,
    "timestamp"  timestamptz NOT NULL,
    affected_ids uuid[] NOT NULL DEFAULT '{}',
    project      text NOT NULL,                -- '' for steps over all projects
    collection   text NOT NULL,                -- '' for steps over all collections
    workflow_id  text NOT NULL,
    run_id       text NOT NULL,
    step         text NOT NULL,
    details      jsonb NOT NULL DEFAULT '{}',  -- scores, counts, latency; 'result' is the step's answer
    CONSTRAINT memory_audit_once UNIQUE (workflow_id, run_id, step),
    CONSTRAINT memory_audit_step_given CHECK (workflow_id <> '' AND step <> ''),
    CONSTRAINT memory_audit_action_given CHECK (action <> '')
);
CREATE INDEX memory_audit_affected ON memory_audit USING gin (affected_ids);
CREATE INDEX memory_audit_time ON memory_audit ("timestamp");

-- What holds for the whole ledger, such as the embedding model.
CREATE TABLE settings (
    key   text PRIMARY KEY,
    value jsonb NOT NULL,
    CONSTRAINT settings_key_given CHECK (key <> '')
);

-- +goose Down
DROP TABLE settings, memory_audit, memory_links, memory_versions, memories;
DROP FUNCTION memory_versions_guard();
