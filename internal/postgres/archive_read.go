package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// ArchivePassages implements activities.Archive.
func (l *Ledger) ArchivePassages(ctx context.Context, found []conversation.Candidate) ([]conversation.Found, error) {
	const what = "read what a search found"
	ids, parts, from, runes := make([]string, len(found)), make([]int, len(found)), make([]int, len(found)), make([]int, len(found))
	for i, c := range found {
		ids[i], parts[i], from[i], runes[i] = c.ID, c.Part, c.From+1, c.Runes
	}
	var out []conversation.Found
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select g.place, m.id::text, m.part, m.project, m.session, m.thread, m.role, m.position, m.said_at,
	btrim(substr(m.text, g.start, g.size), E' \n\r\t')
from unnest($1::uuid[], $2::int[], $3::int[], $4::int[]) with ordinality as g (id, part, start, size, place)
join conversation_messages m using (id, part) where m.state = 'kept' order by g.place`, ids, parts, from, runes)
		if err != nil {
			return err
		}
		out = nil
		var place int
		var m conversation.Message
		_, err = pgx.ForEachRow(rows, append([]any{&place}, archiveFields(&m)...), func() error {
			out = append(out, conversation.Found{Candidate: found[place-1], Said: m})
			return nil
		})
		return err
	})
	return out, err
}

// ArchiveResolve implements activities.Archive.
func (l *Ledger) ArchiveResolve(ctx context.Context, ref, project string) (conversation.Message, error) {
	const what = "find a message"
	first, last, err := memory.IDRange(ref)
	if err != nil {
		return conversation.Message{}, err
	}
	var found []conversation.Message
	err = l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select `+archiveColumns+` from conversation_messages
where id between $1::uuid and $2::uuid and part = 0 and state = 'kept' and ($3 = '' or project = $3) order by id limit 2`, first, last, project)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, scanMessage)
		return err
	})
	switch {
	case err != nil:
		return conversation.Message{}, err
	case len(found) == 0 && project != "":
		return conversation.Message{}, memory.Errorf(memory.NotFound, "search for it, or look in all projects",
			"there is no message %s in %s", ref, project)
	case len(found) == 0:
		return conversation.Message{}, memory.Errorf(memory.NotFound, "search for it", "there is no message %s", ref)
	case len(found) > 1:
		return conversation.Message{}, memory.Errorf(memory.Conflict, "give more of the id",
			"%s means several messages", ref)
	}
	return found[0], nil
}

func scanMessage(r pgx.CollectableRow) (m conversation.Message, err error) {
	err = r.Scan(archiveFields(&m)...)
	return m, err
}

// ArchivePage implements activities.Archive.
func (l *Ledger) ArchivePage(ctx context.Context, p conversation.Place) (conversation.Page, error) {
	const what = "read a conversation"
	var page conversation.Page
	after := conversation.Cursor{Position: -1, ID: lowestID}
	if p.After != nil {
		after = *p.After
	}
	thread, oneThread := "", false
	if p.Message != "" {
		m, err := l.ArchiveResolve(ctx, p.Message, p.Project)
		if err != nil {
			return page, err
		}
		p.Session, p.Project, thread, oneThread, page.Marked = m.Session, m.Project, m.Thread, true, m.ID
	}
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select `+archiveColumns+` from (
	select *, sum(octet_length(text)) over (order by thread, position, id, part) - octet_length(text) as before from (
		select * from conversation_messages where session = $1 and state = 'kept' and ($2 = '' or project = $2)
			and (not $3 or thread = $4) and (thread, position, id, part) > ($5, $6, $7::uuid, $8)
		order by thread, position, id, part limit $9) as page) as sized
where before < $10 order by thread, position, id, part`,
			p.Session, p.Project, oneThread, thread, after.Thread, after.Position,
			after.ID, after.Part, conversation.MaxPage, conversation.MaxPageBytes)
		if err != nil {
			return err
		}
		page.Messages, err = pgx.CollectRows(rows, scanMessage)
		return err
	})
	if n := len(page.Messages); n > 0 {
		last := page.Messages[n-1]
		page.Next = &conversation.Cursor{Thread: last.Thread, Position: last.Position, ID: last.ID, Part: last.Part}
	}
	return page, err
}

const lowestID = "00000000-0000-0000-0000-000000000000"

// ArchiveAround implements activities.Archive.
func (l *Ledger) ArchiveAround(ctx context.Context, p conversation.Place) (conversation.Page, error) {
	const what = "read the neighbours of a message"
	var page conversation.Page
	m, err := l.middle(ctx, p)
	if err != nil {
		return page, err
	}
	page.Marked = m.ID
	err = l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `with thread as (
	select distinct position, id from conversation_messages where session = $1 and thread = $2 and project = $3 and state = 'kept'
), near as (
	(select id from thread where (position, id) < ($4, $5::uuid) order by position desc, id desc limit $6)
	union all (select id from thread where (position, id) >= ($4, $5::uuid) order by position, id limit $6 + 1)
)
select `+archiveColumns+` from (
	select *, sum(octet_length(text)) over (order by position, id, part) - octet_length(text) as before
	from conversation_messages join near using (id) where state = 'kept') as sized
where before < $7 order by position, id, part`, m.Session, m.Thread, m.Project, m.Position, m.ID, p.Around, conversation.MaxPageBytes)
		if err != nil {
			return err
		}
		page.Messages, err = pgx.CollectRows(rows, scanMessage)
		return err
	})
	return page, err
}

// middle is the message in the middle of what is asked for: a named one, or the last one of a
// session's own thread that was said by a time.
func (l *Ledger) middle(ctx context.Context, p conversation.Place) (conversation.Message, error) {
	if p.Message != "" {
		return l.ArchiveResolve(ctx, p.Message, p.Project)
	}
	var m conversation.Message
	err := l.again(ctx, "find a time in a conversation", func() error {
		err := l.pool.QueryRow(ctx, `select `+archiveColumns+` from conversation_messages
where session = $1 and state = 'kept' and part = 0 and ($2 = '' or project = $2)
order by thread <> '', said_at > $3, abs(extract(epoch from said_at - $3)), position desc, id limit 1`,
			p.Session, p.Project, *p.Near).Scan(archiveFields(&m)...)
		if errors.Is(err, pgx.ErrNoRows) {
			return memory.Errorf(memory.NotFound, `"mneme import --claude" archives what was said`,
				"the conversation %s is not in the archive", memory.Clip(p.Session, 80))
		}
		return err
	})
	return m, err
}

// ArchiveSessions implements activities.Archive.
func (l *Ledger) ArchiveSessions(ctx context.Context, in conversation.Listing) ([]conversation.Session, error) {
	const what = "list conversations"
	var out []conversation.Session
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select s.session, s.project, s.messages, s.threads, s.first, s.last, coalesce(opening.text, '') from (
	select session, project, count(distinct id) as messages, count(distinct thread) filter (where thread <> '') as threads,
		min(said_at) as first, max(said_at) as last
	from conversation_messages where state = 'kept' and ($1 = '' or project = $1)
	group by session, project) as s
left join lateral (
	select left(text, 200) as text from conversation_messages o
	where o.session = s.session and o.project = s.project and o.state = 'kept' and o.thread = '' and o.role = 'user' and o.part = 0
	order by position limit 1) as opening on true
where ($2::timestamptz is null or s.last >= $2) and ($3::timestamptz is null or s.first < $3)
order by s.last desc, s.session limit $4`, in.Project, in.Since, in.Before, in.Limit)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (s conversation.Session, err error) {
			return s, r.Scan(&s.Session, &s.Project, &s.Messages, &s.Threads, &s.First, &s.Last, &s.Opening)
		})
		return err
	})
	return out, err
}

// ArchiveStats implements activities.Archive.
func (l *Ledger) ArchiveStats(ctx context.Context) (conversation.Stats, error) {
	var s conversation.Stats
	err := l.again(ctx, "count the archive", func() error {
		return l.pool.QueryRow(ctx, `select count(*) filter (where part = 0), count(distinct session), count(distinct project),
	count(*) filter (where model = '') from conversation_messages where state = 'kept'`).
			Scan(&s.Messages, &s.Sessions, &s.Projects, &s.Unindexed)
	})
	return s, err
}

// archiveWhere is the condition of a filter, with its arguments from $1 on.
const archiveWhere = `($1::uuid is null or id = $1) and ($2 = '' or session = $2) and ($3 = '' or project = $3)
	and ($4::timestamptz is null or said_at >= $4) and ($5::timestamptz is null or said_at < $5)`

func archiveArgs(f conversation.Filter) []any {
	var id *string
	if f.Message != "" {
		id = &f.Message
	}
	return []any{id, f.Session, f.Project, utc(f.Since), utc(f.Before)}
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := moment(*t)
	return &at
}

// ArchiveCount implements activities.Archive.
func (l *Ledger) ArchiveCount(ctx context.Context, f conversation.Filter) (conversation.Receipt, error) {
	var r conversation.Receipt
	err := l.again(ctx, "count messages to forget", func() error {
		return l.pool.QueryRow(ctx, `select count(distinct id), count(distinct session), coalesce(array_agg(distinct project), '{}'), min(said_at), max(said_at)
from conversation_messages where state = 'kept' and `+archiveWhere, archiveArgs(f)...).
			Scan(&r.Messages, &r.Sessions, &r.Projects, &r.First, &r.Last)
	})
	return r, err
}

// ArchiveForget implements activities.Archive.
func (l *Ledger) ArchiveForget(ctx context.Context, f conversation.Filter, limit int) (int, error) {
	var n int
	err := l.tx(ctx, "forget messages", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update conversation_messages m set text = '', state = 'forgotten', model = ''
from (select id, part from conversation_messages where state = 'kept' and `+archiveWhere+`
	order by id, part limit $6 for update) as page
where m.id = page.id and m.part = page.part`, append(archiveArgs(f), limit)...)
		n = int(tag.RowsAffected())
		if err != nil {
			return fmt.Errorf("blank messages: %w", err)
		}
		return nil
	})
	return n, err
}

// ArchiveLeaving implements activities.Archive.
func (l *Ledger) ArchiveLeaving(ctx context.Context, limit int) ([]conversation.Kept, error) {
	var out []conversation.Kept
	err := l.again(ctx, "read forgotten messages", func() error {
		rows, err := l.pool.Query(ctx, `select `+archiveColumns+`, points from conversation_messages
where points > 0 and state = 'forgotten' order by id, part limit $1`, limit)
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

// ArchiveLeft implements activities.Archive.
func (l *Ledger) ArchiveLeft(ctx context.Context, kept []conversation.Kept) error {
	ids, parts := make([]string, len(kept)), make([]int, len(kept))
	for i, k := range kept {
		ids[i], parts[i] = k.ID, k.Part
	}
	return l.tx(ctx, "note that points are gone", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update conversation_messages m set points = 0 from unnest($1::uuid[], $2::int[]) as g (id, part)
where m.id = g.id and m.part = g.part and m.state = 'forgotten'`, ids, parts)
		return err
	})
}
