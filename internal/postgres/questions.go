package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// PinQuestion implements activities.Questioner.
func (l *Ledger) PinQuestion(
	ctx context.Context, op memory.Op, q memory.PinnedQuestion,
) (memory.PinnedQuestion, error) {
	const what = "pin a question"
	q.CreatedAt, q.User = moment(l.now()), op.User
	_, err := once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (string, error) {
		e.project, e.affected = q.Project, q.Expect
		var live, others int
		if err := tx.QueryRow(ctx, `select (select count(*) from memories where id = any($1) and state = 'live' and project = any($2)),
(select count(*) from pinned_questions where id <> $3)`, q.Expect, memory.SeenFrom(q.Project), q.ID).Scan(&live, &others); err != nil {
			return "", err
		}
		if live < len(q.Expect) {
			return "", memory.Errorf(memory.NotFound, `"mneme recall" shows what answers it, with ids`,
				"%d of the %d memories are not live memories of %s or %s",
				len(q.Expect)-live, len(q.Expect), q.Project, memory.Global)
		}
		if others >= memory.MaxPinned {
			return "", memory.Errorf(memory.Invalid,
				`see them with "mneme pin-question --list", and take one away with --remove`,
				"%d questions are pinned already", memory.MaxPinned)
		}
		_, err := tx.Exec(ctx, `insert into pinned_questions (id, project, text, expect, created_at, "user") values ($1, $2, $3, $4, $5, $6)
on conflict (id) do update set expect = excluded.expect, "user" = excluded."user"`, q.ID, q.Project, q.Text, q.Expect, q.CreatedAt, q.User)
		return q.ID, err
	})
	return q, err
}

// UnpinQuestion implements activities.Questioner.
func (l *Ledger) UnpinQuestion(ctx context.Context, op memory.Op, ref string) (memory.PinnedQuestion, error) {
	const what = "take a pinned question away"
	var q memory.PinnedQuestion
	_, err := once(ctx, l, op, what, func(tx pgx.Tx, e *entry) (string, error) {
		found, err := questions(ctx, tx, `id::text like $1 || '%'`, ref)
		if err != nil {
			return "", err
		}
		if len(found) != 1 {
			return "", memory.Errorf(memory.NotFound, `see them with "mneme pin-question --list"`,
				"%d pinned questions have the id %s", len(found), ref)
		}
		q = found[0]
		e.project, e.affected = q.Project, q.Expect
		_, err = tx.Exec(ctx, `delete from pinned_questions where id = $1`, q.ID)
		return q.ID, err
	})
	return q, err
}

// Questions implements activities.Questioner.
func (l *Ledger) Questions(ctx context.Context, project string) ([]memory.PinnedQuestion, error) {
	var out []memory.PinnedQuestion
	err := l.again(ctx, "read pinned questions", func() (err error) {
		out, err = questions(ctx, l.pool, `$1 = '' or project = $1`, project)
		return err
	})
	return out, err
}

// questions reads pinned questions, the oldest first, with the memories that
// answer them now.
func questions(ctx context.Context, q querier, condition string, args ...any) ([]memory.PinnedQuestion, error) {
	rows, err := q.Query(ctx, `select id, project, text, created_at, "user", array(select a.id from pinned_answers a
join memories m on m.id = a.id where a.question = q.id and m.merged_into is null order by a.id) from pinned_questions q where `+condition+` order by created_at, id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read pinned questions: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (p memory.PinnedQuestion, err error) {
		err = r.Scan(&p.ID, &p.Project, &p.Text, &p.CreatedAt, &p.User, &p.Expect)
		p.CreatedAt = p.CreatedAt.UTC()
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read pinned questions: %w", err)
	}
	return out, nil
}

// KeptGroups implements activities.Organizer.
func (l *Ledger) KeptGroups(ctx context.Context, workflowID, step string, from, limit int) ([][]string, error) {
	var out [][]string
	err := l.tx(ctx, "read what says the same", func(tx pgx.Tx) (err error) {
		out, err = readGroups(ctx, tx, workflowID, step, from, limit)
		return err
	})
	return out, err
}
