package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mneme-memory/mneme/memory"
)

// PurgeTexts implements [activities.Purger].
func (l *Ledger) PurgeTexts(ctx context.Context, ids []string) ([]memory.PurgedText, error) {
	const what = "read what is to be purged"
	var out []memory.PurgedText
	err := l.tx(ctx, what, func(tx pgx.Tx) error {
		once, err := onceAbsorbed(ctx, tx, ids)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `with recursive tree(id) as (
	select unnest($1::uuid[])
	union
	select m.id from memories m join tree on m.merged_into = tree.id
), texts as (
	select id, text from memories where id in (select id from tree)
	union select memory_id, before ->> 'text' from memory_versions where memory_id in (select id from tree)
	union select memory_id, after ->> 'text' from memory_versions where memory_id in (select id from tree)
) select id, text from texts where text <> '' order by id, text`, append(once, ids...))
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowToStructByPos[memory.PurgedText])
		return err
	})
	return out, err
}

// EachText implements [activities.Purger].
func (l *Ledger) EachText(ctx context.Context, look func(memory.LedgerText)) error {
	return l.again(ctx, "read every text", func() error {
		rows, err := l.pool.Query(ctx, `select 'memory', id::text, text from memories where text <> ''
union all select 'version of', memory_id::text, t from memory_versions, lateral (values (before ->> 'text'), (after ->> 'text')) v(t) where t <> ''
union all select 'conversation', session, text from conversation_messages where text <> ''
union all select 'pinned question', id::text, text from pinned_questions
union all select 'audit row', id::text, details::text from memory_audit where pg_column_size(details) < octet_length(details::text) / 2`)
		if err != nil {
			return err
		}
		var t memory.LedgerText
		_, err = pgx.ForEachRow(rows, []any{&t.Place, &t.ID, &t.Text}, func() error { look(t); return nil })
		return err
	})
}

// rewritten are the tables that hold texts, or vectors of texts. The statistics of the planner hold some, too.
var rewritten = []string{"memories", "memory_versions", "memory_audit", "pinned_questions", "conversation_messages", "beside_vectors"}

// Rewrite implements [activities.Purger]. VACUUM FULL writes a table and its indexes into new files
// without the deleted rows; a checkpoint deletes the old files. Then the write-ahead log goes on in
// new segments until all older segments are deleted.
func (l *Ledger) Rewrite(ctx context.Context, own bool) ([]memory.Unreached, error) {
	const what = "write the tables anew"
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return nil, l.wrap(what, err)
	}
	defer conn.Release()
	for _, table := range rewritten {
		if err := waitingForRoom(ctx, conn, "vacuum (full, analyze) "+table); err != nil {
			return nil, l.wrap(what, err)
		}
	}
	if !own { // the rest is for its administrator: it concerns other databases too
		return []memory.Unreached{{
			What:  "the files of the PostgreSQL that you gave: its write-ahead log, its statistics, standby servers, archives and backups",
			Until: "its administrator's checkpoints, autovacuum and retention have passed over them",
		}}, nil
	}
	if err := waitingForRoom(ctx, conn, "vacuum full pg_catalog.pg_statistic"); err != nil {
		return nil, l.wrap(what, err)
	}
	return nil, l.wrap(what, l.turnOver(ctx, conn))
}

// roomTimeout is how long a rewriting waits for those who read the table, and keeps those who come
// after it waiting. Then it makes room and is tried again.
const roomTimeout = "5s"

func waitingForRoom(ctx context.Context, conn *pgxpool.Conn, sql string) error {
	if _, err := conn.Exec(ctx, "set lock_timeout = '"+roomTimeout+"'"); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, sql)
	_, reset := conn.Exec(context.WithoutCancel(ctx), "reset lock_timeout")
	return errors.Join(err, reset)
}

// turns bounds how many segments of the write-ahead log are gone through: more than it ever keeps.
const turns = 200

// turnOver has the write-ahead log go on in new segments until those that are there now are deleted.
// That they are, and not kept to be written over, is a setting of the embedded server.
func (l *Ledger) turnOver(ctx context.Context, conn *pgxpool.Conn) error {
	before, err := segments(ctx, conn)
	if err != nil {
		return err
	}
	for range turns {
		for _, sql := range []string{
			"select pg_logical_emit_message(false, 'mneme', '')", // a segment with nothing in it is not left
			"select pg_switch_wal()", "checkpoint",
		} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		now, err := segments(ctx, conn)
		if err != nil {
			return err
		}
		left := 0
		for name := range now {
			if before[name] {
				left++
			}
		}
		if left == 0 {
			return nil
		}
	}
	return memory.Refusal("PostgreSQL", "end what replicates from it, or delete its replication slots",
		fmt.Errorf("it keeps old segments of its write-ahead log"))
}

func segments(ctx context.Context, conn *pgxpool.Conn) (map[string]bool, error) {
	rows, err := conn.Query(ctx, "select name from pg_ls_waldir()")
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, n := range names {
		if !strings.Contains(n, ".") {
			out[n] = true
		}
	}
	return out, nil
}
