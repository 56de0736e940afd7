-- +goose Up

-- What the last dry runs of organize would have done, so that it can be read and applied.
-- No texts: only which memories, and a digest of what each of them was.
CREATE TABLE organize_plans (
    id   text PRIMARY KEY,                     -- the workflow of the dry run
    at   timestamptz NOT NULL,                 -- the time by which the rules were asked
    head jsonb NOT NULL,
    CONSTRAINT organize_plans_id_given CHECK (id <> '')
);
CREATE INDEX organize_plans_time ON organize_plans (at);

CREATE TABLE organize_plan_steps (
    plan   text NOT NULL REFERENCES organize_plans (id) ON DELETE CASCADE,
    number integer NOT NULL,                   -- from 1, in the order in which they are done
    action text NOT NULL,
    ids    uuid[] NOT NULL,                    -- of a merge: the survivor first
    step   jsonb NOT NULL,                     -- the rest, as in memory.PlanStep
    PRIMARY KEY (plan, number)
);
CREATE INDEX organize_plan_steps_action ON organize_plan_steps (plan, action);

-- Which organize run is at work, or was last: never two at once.
CREATE TABLE organize_turn (
    one         boolean PRIMARY KEY DEFAULT true,
    workflow_id text NOT NULL,
    CONSTRAINT organize_turn_one CHECK (one)
);

-- +goose Down
DROP TABLE organize_turn;
DROP TABLE organize_plan_steps, organize_plans;
