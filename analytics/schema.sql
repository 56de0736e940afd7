-- One row an audit row of the ledger. What reports ask of most is taken out
-- of the details once, when the row is copied.
CREATE TABLE audit (
    id           BIGINT NOT NULL,
    ts           TIMESTAMP NOT NULL,        -- UTC
    "user"       VARCHAR NOT NULL,
    action       VARCHAR NOT NULL,
    project      VARCHAR NOT NULL,          -- '' for steps over all projects
    collection   VARCHAR NOT NULL,          -- '' for steps over all collections
    workflow_id  VARCHAR NOT NULL,
    run_id       VARCHAR NOT NULL,
    step         VARCHAR NOT NULL,
    affected_ids VARCHAR[] NOT NULL,
    details      JSON NOT NULL,
    source       VARCHAR NOT NULL,          -- the door it came through: mcp, hook, cli …
    session      VARCHAR NOT NULL,
    status       VARCHAR,                   -- of a store: stored, merged
    hit          BOOLEAN,                   -- of a recall
    results      INTEGER,                   -- of a recall
    tokens       INTEGER,                   -- put into a context
    took_ms      DOUBLE,                    -- the time the caller waited
    helped       BOOLEAN                    -- of a credit
);

-- The memories as they were at the last snapshot, whatever their state.
CREATE TABLE memories (
    id            VARCHAR NOT NULL,
    collection    VARCHAR NOT NULL,
    project       VARCHAR NOT NULL,
    type          VARCHAR NOT NULL,
    tags          VARCHAR[] NOT NULL,
    text_bytes    INTEGER NOT NULL,
    confidence    DOUBLE NOT NULL,
    importance    DOUBLE NOT NULL,
    pinned        BOOLEAN NOT NULL,
    access_count  BIGINT NOT NULL,
    confirmations BIGINT NOT NULL,
    created_at    TIMESTAMP NOT NULL,
    last_accessed TIMESTAMP NOT NULL,
    expires_at    TIMESTAMP,
    source        VARCHAR NOT NULL,
    session       VARCHAR NOT NULL,
    model         VARCHAR NOT NULL,
    state         VARCHAR NOT NULL,         -- live, merged, pruned, forgotten, expired
    merged_into   VARCHAR NOT NULL,
    changed_at    TIMESTAMP NOT NULL
);

-- How confidence was spread on each day that a snapshot was taken: the ledger
-- itself keeps no counter's past.
CREATE TABLE confidence_samples (
    day        DATE NOT NULL,
    project    VARCHAR NOT NULL,
    collection VARCHAR NOT NULL,
    bucket     INTEGER NOT NULL,            -- tenths: 3 holds 0.3 up to 0.4, 9 holds 1.0 too
    memories   BIGINT NOT NULL,
    mean       DOUBLE NOT NULL
);

-- What the next snapshot must know. One row.
CREATE TABLE snapshot_state (
    schema_version INTEGER NOT NULL,
    up_to          BIGINT NOT NULL,         -- id of the newest audit row in the file
    up_to_key      VARCHAR NOT NULL,        -- what makes that row unique: tells another ledger from ours
    taken_at       TIMESTAMP
);
