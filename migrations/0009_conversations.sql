-- +goose Up

-- The archive of conversations: what was said in sessions of Claude Code, a row for each part of
-- a message. Recalls never read it. A message that was forgotten keeps its row without its text,
-- so that the next import of the same transcript does not bring it back.
CREATE TABLE conversation_messages (
    id          uuid NOT NULL,             -- from session, role and the client's own name of the message
    part        integer NOT NULL,          -- a long message has several, from 0
    project     text NOT NULL,
    session     text NOT NULL,
    thread      text NOT NULL,             -- the subagent that it was said in; '' in the conversation itself
    role        text NOT NULL,
    position    bigint NOT NULL,           -- where it stands in its thread; only the order counts
    said_at     timestamptz NOT NULL,
    text        text NOT NULL,             -- redacted; blank once forgotten
    state       text NOT NULL DEFAULT 'kept',
    model       text NOT NULL DEFAULT '',  -- embedding model of its points in the index; '': it has none yet
    points      integer NOT NULL DEFAULT 0, -- how many points of it are, or may be, in the index
    archived_at timestamptz NOT NULL,
    PRIMARY KEY (id, part),
    CONSTRAINT conversation_messages_project_given CHECK (project <> ''),
    CONSTRAINT conversation_messages_session_given CHECK (session <> ''),
    CONSTRAINT conversation_messages_role_known CHECK (role IN ('user', 'assistant', 'tool', 'thinking')),
    CONSTRAINT conversation_messages_state_known CHECK (state IN ('kept', 'forgotten')),
    CONSTRAINT conversation_messages_forgotten_is_blank CHECK (state = 'kept' OR text = ''),
    CONSTRAINT conversation_messages_bounds CHECK (part >= 0 AND position >= 0 AND points >= 0)
);
CREATE INDEX conversation_messages_place ON conversation_messages (session, thread, position, id, part);
CREATE INDEX conversation_messages_time ON conversation_messages (project, said_at);
CREATE INDEX conversation_messages_unindexed ON conversation_messages (id, part) WHERE model = '' AND state = 'kept';
CREATE INDEX conversation_messages_leaving ON conversation_messages (id, part) WHERE points > 0 AND state = 'forgotten';

-- +goose Down
DROP TABLE conversation_messages;
