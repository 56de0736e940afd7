-- +goose Up

-- What happened in a session of Claude Code is looked at in the console.
CREATE INDEX memory_audit_session ON memory_audit ((details ->> 'session'), id) WHERE details ->> 'session' <> '';

-- +goose Down
DROP INDEX memory_audit_session;
