-- +goose Up

-- Questions whose answers no organize run may lose.
CREATE TABLE pinned_questions (
    id         uuid PRIMARY KEY,               -- from project and text
    project    text NOT NULL,
    text       text NOT NULL,                  -- redacted
    expect     uuid[] NOT NULL,                -- the memories that answer it
    created_at timestamptz NOT NULL,
    "user"     text NOT NULL,
    CONSTRAINT pinned_questions_text_given CHECK (text <> ''),
    CONSTRAINT pinned_questions_expects CHECK (cardinality(expect) > 0)
);

-- The memories that answer them now: those that were merged away stand for what they went into.
CREATE VIEW pinned_answers AS
WITH RECURSIVE way (question, id) AS (
    SELECT q.id, unnest(q.expect) FROM pinned_questions q
    UNION
    SELECT way.question, m.merged_into FROM way JOIN memories m ON m.id = way.id WHERE m.merged_into IS NOT NULL
)
SELECT question, id FROM way;

-- +goose Down
DROP VIEW pinned_answers;
DROP TABLE pinned_questions;
