package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// sweepPage is how many rows a sweep reads at a time.
const sweepPage = 200

// SweepMessages implements activities.Sweeper. Messages that somebody changes at the same moment are
// left alone; the search at the end finds them.
func (l *Ledger) SweepMessages(ctx context.Context, in memory.Cleaning) (int, error) {
	const what = "clean the archive of conversations"
	count, id, part, counted := 0, nothing, -1, ""
	for {
		page, err := l.archiveAfter(ctx, id, part)
		if err != nil || len(page) == 0 {
			return count, err
		}
		var before, after []conversation.Message
		for _, m := range page {
			clean, changed := cleanMessage(m, in)
			if !changed {
				continue
			}
			before, after = append(before, m), append(after, clean)
			if counted != m.ID { // its parts stand side by side
				count, counted = count+1, m.ID
			}
		}
		if in.Apply && len(before) > 0 {
			if err := l.tx(ctx, what, func(tx pgx.Tx) error { return rewriteMessages(ctx, tx, before, after) }); err != nil {
				return count, err
			}
		}
		in.Step()
		id, part = page[len(page)-1].ID, page[len(page)-1].Part
	}
}

// nothing is before the first id.
const nothing = "00000000-0000-0000-0000-000000000000"

func (l *Ledger) archiveAfter(ctx context.Context, id string, part int) ([]conversation.Message, error) {
	var out []conversation.Message
	err := l.again(ctx, "read the archive of conversations", func() error {
		rows, err := l.pool.Query(ctx, `select `+archiveColumns+` from conversation_messages
where state = 'kept' and (id, part) > ($1::uuid, $2::int) order by id, part limit $3`, id, part, sweepPage)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (m conversation.Message, err error) {
			return m, r.Scan(archiveFields(&m)...)
		})
		return err
	})
	return out, err
}

func cleanMessage(m conversation.Message, in memory.Cleaning) (clean conversation.Message, changed bool) {
	clean = m
	if text, dirty := in.Clean(m.Project, m.Text); dirty {
		clean.Text, changed = text, true
	}
	for _, name := range []*string{&clean.Project, &clean.Session, &clean.Thread} {
		changed = in.CleanName(m.Project, name) || changed
	}
	return clean, changed
}

// rewriteMessages writes messages whose texts are still as they were. They have to be indexed anew.
func rewriteMessages(ctx context.Context, tx pgx.Tx, before, after []conversation.Message) error {
	n := len(before)
	ids, parts, was, texts := make([]string, n), make([]int, n), make([]string, n), make([]string, n)
	projects, sessions, threads := make([]string, n), make([]string, n), make([]string, n)
	for i, m := range after {
		ids[i], parts[i], was[i], texts[i] = m.ID, m.Part, before[i].Text, m.Text
		projects[i], sessions[i], threads[i] = m.Project, m.Session, m.Thread
	}
	_, err := tx.Exec(ctx, `update conversation_messages m set text = g.text, project = g.project, session = g.session, thread = g.thread,
	model = '', state = case when g.text = '' then 'forgotten' else 'kept' end
from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) as g (id, part, was, text, project, session, thread)
where m.id = g.id and m.part = g.part and m.text = g.was and m.state = 'kept'`, ids, parts, was, texts, projects, sessions, threads)
	if err != nil {
		return fmt.Errorf("write messages: %w", err)
	}
	return nil
}

// SweepQuestions implements activities.Sweeper.
func (l *Ledger) SweepQuestions(ctx context.Context, in memory.Cleaning) (int, error) {
	count := 0
	err := l.tx(ctx, "clean the pinned questions", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `select id, project, text, expect, created_at, "user" from pinned_questions order by id for update`)
		if err != nil {
			return fmt.Errorf("read pinned questions: %w", err)
		}
		all, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (q memory.PinnedQuestion, err error) {
			return q, r.Scan(&q.ID, &q.Project, &q.Text, &q.Expect, &q.CreatedAt, &q.User)
		})
		if err != nil {
			return fmt.Errorf("read pinned questions: %w", err)
		}
		count = 0
		for _, q := range all {
			clean, changed := cleanQuestion(q, in)
			if !changed {
				continue
			}
			count++
			if !in.Apply {
				continue
			}
			if err := replaceQuestion(ctx, tx, q.ID, clean); err != nil {
				return err
			}
		}
		return nil
	})
	return count, err
}

// cleanQuestion returns a question without what has to go. Nothing stays of one without a text or
// without an answer.
func cleanQuestion(q memory.PinnedQuestion, in memory.Cleaning) (clean memory.PinnedQuestion, changed bool) {
	clean = q
	if text, dirty := in.Clean(q.Project, q.Text); dirty {
		clean.Text, changed = text, true
	}
	changed = in.CleanName(q.Project, &clean.Project) || changed
	clean.Expect = slices.DeleteFunc(slices.Clone(q.Expect), func(id string) bool { return slices.Contains(in.Gone, id) })
	return clean, changed || len(clean.Expect) < len(q.Expect)
}

// replaceQuestion writes a question in place of the one with an id, or none.
func replaceQuestion(ctx context.Context, tx pgx.Tx, id string, q memory.PinnedQuestion) error {
	if _, err := tx.Exec(ctx, `delete from pinned_questions where id = $1`, id); err != nil {
		return fmt.Errorf("take a pinned question away: %w", err)
	}
	clean, err := q.Clean()
	if err != nil {
		return nil //nolint:nilerr // nothing is left to ask, or nobody to answer
	}
	_, err = tx.Exec(ctx, `insert into pinned_questions as q (id, project, text, expect, created_at, "user") values ($1, $2, $3, $4, $5, $6)
on conflict (id) do update set expect = array(select distinct unnest(q.expect || excluded.expect))`,
		clean.ID, clean.Project, clean.Text, clean.Expect, clean.CreatedAt, clean.User)
	if err != nil {
		return fmt.Errorf("write a pinned question: %w", err)
	}
	return nil
}

// auditRow is what a sweep looks at of a row of the audit.
type auditRow struct {
	id      int64
	project string
	details string
}

// SweepAudit implements activities.Sweeper.
func (l *Ledger) SweepAudit(ctx context.Context, in memory.Cleaning) (int, error) {
	count := 0
	for after := int64(0); ; {
		var page []auditRow
		err := l.again(ctx, "read the audit", func() error {
			rows, err := l.pool.Query(ctx, `select id, project, details::text from memory_audit where id > $1 order by id limit $2`, after, 10*sweepPage)
			if err != nil {
				return err
			}
			page, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (a auditRow, err error) {
				return a, r.Scan(&a.id, &a.project, &a.details)
			})
			return err
		})
		if err != nil || len(page) == 0 {
			return count, err
		}
		n, err := l.sweepAudit(ctx, page, in)
		count += n
		if err != nil {
			return count, err
		}
		in.Step()
		after = page[len(page)-1].id
	}
}

func (l *Ledger) sweepAudit(ctx context.Context, page []auditRow, in memory.Cleaning) (int, error) {
	var b pgx.Batch
	for _, row := range page {
		clean := row
		changed := in.CleanName(row.project, &clean.project)
		if _, dirty := in.Clean(row.project, row.details); dirty {
			clean.details, changed = cleanJSON(row.project, row.details, in.Clean), true
		}
		if changed {
			b.Queue(`update memory_audit set project = $2, details = $3 where id = $1`, clean.id, clean.project, clean.details)
		}
	}
	if b.Len() == 0 || !in.Apply {
		return b.Len(), nil
	}
	return b.Len(), l.tx(ctx, "clean the audit", func(tx pgx.Tx) error { return tx.SendBatch(ctx, &b).Close() })
}

// cleanJSON cleans every string of a JSON value. Where that is not enough, because names and values
// together say what has to go, nothing of the value stays.
func cleanJSON(project, text string, clean memory.Cleaner) string {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return "{}"
	}
	out, err := json.Marshal(cleanValue(project, value, clean))
	if err != nil {
		return "{}"
	}
	if _, dirty := clean(project, string(out)); dirty {
		return "{}"
	}
	return string(out)
}

func cleanValue(project string, value any, clean memory.Cleaner) any {
	switch v := value.(type) {
	case string:
		if left, changed := clean(project, v); changed {
			return left
		}
	case []any:
		for i := range v {
			v[i] = cleanValue(project, v[i], clean)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, one := range v {
			if left, changed := clean(project, key); changed {
				key = left
			}
			out[key] = cleanValue(project, one, clean)
		}
		return out
	}
	return value
}
