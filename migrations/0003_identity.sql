-- +goose Up

-- Whose index, task queue and schedules these are: a name that no other ledger has.
INSERT INTO settings (key, value) VALUES ('ledger', to_jsonb(gen_random_uuid())) ON CONFLICT DO NOTHING;

-- +goose Down
DELETE FROM settings WHERE key = 'ledger';
