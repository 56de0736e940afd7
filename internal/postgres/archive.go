package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

const archiveColumns = `id::text, part, project, session, thread, role, position, said_at, text`

// archiveFields are where the archiveColumns of one row go.
func archiveFields(m *conversation.Message) []any {
	return []any{&m.ID, &m.Part, &m.Project, &m.Session, &m.Thread, &m.Role, &m.Position, &m.At, &m.Text}
}

// insertArchive adds the parts that are new. One with another text than before, or that was
// forgotten and is wanted again, is written over and has to be indexed anew.
const insertArchive = `insert into conversation_messages as kept (id, part, project, session, thread, role, position, said_at, text, archived_at)
select g.id, g.part, g.project, g.session, g.thread, g.role, g.position, g.said_at, g.text, $10
from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::timestamptz[], $9::text[])
	as g (id, part, project, session, thread, role, position, said_at, text)
order by g.id, g.part
on conflict (id, part) do update set text = excluded.text, state = 'kept', model = ''
where (kept.state = 'kept' or $11) and kept.text <> excluded.text
returning id::text, part, xmax = 0`

// Archive implements activities.Archive.
func (l *Ledger) Archive(
	ctx context.Context, messages []conversation.Message, again bool,
) (conversation.Archived, error) {
	const what = "archive messages"
	var done conversation.Archived
	for i, m := range messages {
		if err := m.Check(); err != nil {
			return done, fmt.Errorf("%s: part %d of the batch: %w", what, i+1, err)
		}
	}
	messages = lastOfEach(messages)
	err := l.tx(ctx, what, func(tx pgx.Tx) error {
		done = conversation.Archived{}
		added, changed, err := l.insertArchive(ctx, tx, messages, again)
		if err != nil {
			return err
		}
		gone, err := forgottenOf(ctx, tx, messages)
		if err != nil {
			return err
		}
		for _, m := range messages {
			switch {
			case m.Part > 0: // counted with its first
			case gone[m.ID]:
				done.Forgotten++
			case added[m.ID]:
				done.Added++
			case changed[m.ID]:
				done.Changed++
			default:
				done.Known++
			}
		}
		return nil
	})
	return done, err
}

func (l *Ledger) insertArchive(
	ctx context.Context, tx pgx.Tx, messages []conversation.Message, again bool,
) (added, changed map[string]bool, err error) {
	n := len(messages)
	ids, parts, projects, sessions := make([]string, n), make([]int, n), make([]string, n), make([]string, n)
	threads, roles, positions := make([]string, n), make([]string, n), make([]int64, n)
	times, texts := make([]time.Time, n), make([]string, n)
	for i, m := range messages {
		ids[i], parts[i], projects[i], sessions[i], threads[i] = m.ID, m.Part, m.Project, m.Session, m.Thread
		roles[i], positions[i], times[i], texts[i] = string(m.Role), m.Position, moment(m.At), m.Text
	}
	rows, err := tx.Query(ctx, insertArchive, ids, parts, projects, sessions,
		threads, roles, positions, times, texts, moment(l.now()), again)
	if err != nil {
		return nil, nil, fmt.Errorf("write messages: %w", err)
	}
	added, changed = map[string]bool{}, map[string]bool{}
	var id string
	var part int
	var isNew bool
	_, err = pgx.ForEachRow(rows, []any{&id, &part, &isNew}, func() error {
		if isNew && part == 0 {
			added[id] = true
		} else {
			changed[id] = true
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("write messages: %w", err)
	}
	return added, changed, nil
}

// forgottenOf returns the ids of those messages that are forgotten.
func forgottenOf(ctx context.Context, tx pgx.Tx, messages []conversation.Message) (map[string]bool, error) {
	ids := make([]string, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	rows, err := tx.Query(ctx,
		`select distinct id::text from conversation_messages where id = any($1::uuid[]) and state = 'forgotten'`,
		ids)
	if err != nil {
		return nil, fmt.Errorf("look for forgotten messages: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for forgotten messages: %w", err)
	}
	gone := make(map[string]bool, len(found))
	for _, id := range found {
		gone[id] = true
	}
	return gone, nil
}

// lastOfEach leaves out what comes again later in the list: one statement cannot write a row twice.
func lastOfEach(messages []conversation.Message) []conversation.Message {
	type key struct {
		id   string
		part int
	}
	place := make(map[key]int, len(messages))
	out := make([]conversation.Message, 0, len(messages))
	for _, m := range messages {
		k := key{m.ID, m.Part}
		if i, twice := place[k]; twice {
			out[i] = m
			continue
		}
		place[k] = len(out)
		out = append(out, m)
	}
	return out
}

// ArchiveUnindexed implements activities.Archive.
func (l *Ledger) ArchiveUnindexed(ctx context.Context, ids []string, limit, maxBytes int) ([]conversation.Kept, error) {
	return l.archiveParts(ctx, `model = ''`, ids, limit, maxBytes)
}

// archiveParts returns kept parts that meet a condition, for [Ledger.ArchiveUnindexed] and others.
func (l *Ledger) archiveParts(ctx context.Context, condition string, ids []string, limit, maxBytes int) ([]conversation.Kept, error) {
	const what = "read messages that are not indexed"
	var out []conversation.Kept
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select `+archiveColumns+`, points from (
	select *, sum(octet_length(text)) over (order by id, part) - octet_length(text) as before from (
		select * from conversation_messages where `+condition+` and state = 'kept' and ($1::uuid[] is null or id = any($1))
		order by id, part limit $2) as page) as sized
where before < $3 order by id, part`, ids, limit, maxBytes)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (k conversation.Kept, err error) {
			return k, r.Scan(append(archiveFields(&k.Message), &k.Points)...)
		})
		return err
	})
	return out, err
}

// ArchiveIndexed implements activities.Archive. The rows are locked while apply writes their points, so
// that a forget at the same moment either comes first, and they are left out, or finds the points.
func (l *Ledger) ArchiveIndexed(
	ctx context.Context, kept []conversation.Kept, points []int,
	model string, apply func(ctx context.Context, still []bool) error,
) error {
	const what = "bring messages in step with the index"
	return l.tx(ctx, what, func(tx pgx.Tx) error {
		still, err := stillThere(ctx, tx, kept)
		if err != nil {
			return err
		}
		inForce, err := l.generations(ctx, tx)
		if err != nil {
			return err
		}
		if inForce.Number > 0 && inForce.Active.Model != model { // another one came into force since they were embedded
			return memory.Refusal(part, "it is tried again by itself", fmt.Errorf("the messages have vectors of %s, which is not in force", model))
		}
		if err := apply(ctx, still); err != nil {
			return outside{err}
		}
		var doneIDs []string
		var doneParts, doneCounts []int
		for i, ok := range still {
			if ok {
				doneIDs, doneParts, doneCounts = append(doneIDs, kept[i].ID), append(doneParts, kept[i].Part), append(doneCounts, points[i])
			}
		}
		_, err = tx.Exec(ctx, `update conversation_messages m set model = $4, points = g.points
from unnest($1::uuid[], $2::int[], $3::int[]) as g (id, part, points) where m.id = g.id and m.part = g.part`,
			noNil(doneIDs), doneParts, doneCounts, model)
		if err != nil {
			return fmt.Errorf("mark messages: %w", err)
		}
		return nil
	})
}

// stillThere locks those of parts that are still as they were read, and tells which those are.
func stillThere(ctx context.Context, tx pgx.Tx, kept []conversation.Kept) ([]bool, error) {
	ids, parts, texts := make([]string, len(kept)), make([]int, len(kept)), make([]string, len(kept))
	for i, k := range kept {
		ids[i], parts[i], texts[i] = k.ID, k.Part, k.Text
	}
	rows, err := tx.Query(ctx, `select g.place from conversation_messages m
join unnest($1::uuid[], $2::int[], $3::text[]) with ordinality as g (id, part, text, place) using (id, part)
where m.state = 'kept' and m.text = g.text order by m.id, m.part for update of m`, ids, parts, texts)
	if err != nil {
		return nil, fmt.Errorf("lock messages: %w", err)
	}
	places, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("lock messages: %w", err)
	}
	still := make([]bool, len(kept))
	for _, p := range places {
		still[p-1] = true
	}
	return still, nil
}

// ArchiveReset implements activities.Archive.
func (l *Ledger) ArchiveReset(ctx context.Context, but string) (int, error) {
	var n int
	err := l.tx(ctx, "have all messages indexed anew", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx,
			`update conversation_messages set model = '' where model not in ('', $1) and state = 'kept'`,
			but)
		n = int(tag.RowsAffected())
		return err
	})
	return n, err
}
