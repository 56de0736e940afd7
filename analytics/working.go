package analytics

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// working is the working copy of a snapshot, with one connection to it.
type working struct {
	db      *sql.DB
	conn    *sql.Conn
	upTo    int64
	upToKey string
}

// create makes an empty working copy.
func create(ctx context.Context, path string) (*working, error) {
	w, err := connect(ctx, path)
	if err != nil {
		return nil, err
	}
	_, err = w.conn.ExecContext(ctx, schemaSQL)
	if err == nil {
		_, err = w.conn.ExecContext(ctx, `insert into snapshot_state values (?, 0, '', null)`, schemaVersion)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create tables: %w", err), w.close())
	}
	return w, nil
}

// load opens a working copy that was begun before.
func load(ctx context.Context, path string) (*working, error) {
	w, err := connect(ctx, path)
	if err != nil {
		return nil, err
	}
	var version int
	err = w.conn.QueryRowContext(ctx, `select schema_version, up_to, up_to_key from snapshot_state`).Scan(&version, &w.upTo, &w.upToKey)
	if err == nil && version != schemaVersion {
		err = fmt.Errorf("the file has schema %d, this mneme writes %d", version, schemaVersion)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read snapshot state: %w", err), w.close())
	}
	return w, nil
}

func connect(ctx context.Context, path string) (*working, error) {
	db, err := open(path, readWrite)
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return &working{db: db, conn: conn}, nil
}

func (w *working) close() error { return errors.Join(w.conn.Close(), w.db.Close()) }

// fill copies what is missing and puts the views over it.
func (w *working) fill(
	ctx context.Context, src Source, end int64, now time.Time, report *memory.SnapshotReport, progress func(memory.SnapshotReport),
) error {
	if err := w.copyAudit(ctx, src, end, report, progress); err != nil {
		return err
	}
	if err := w.copyMemories(ctx, src, now, report); err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, viewsSQL); err != nil {
		return fmt.Errorf("create views: %w", err)
	}
	report.UpTo = w.upTo
	if err := w.conn.QueryRowContext(ctx, `select count(*) from audit`).Scan(&report.Rows); err != nil {
		return fmt.Errorf("count audit: %w", err)
	}
	if _, err := w.conn.ExecContext(ctx, `checkpoint`); err != nil {
		return fmt.Errorf("write everything to the file: %w", err)
	}
	return nil
}

// fromDetails takes out of the details what reports ask of most. The list of
// paths makes DuckDB read each JSON text once.
const fromDetails = `insert into audit select * exclude d, coalesce(d[1], ''), coalesce(d[2], ''), d[3], try_cast(d[4] as boolean),
try_cast(d[5] as integer), try_cast(d[6] as integer),
coalesce(try_cast(d[7] as double), try_cast(d[8] as double) + try_cast(d[9] as double) + try_cast(d[10] as double)),
try_cast(d[11] as boolean) from (select *, json_extract_string(details, ['$.source', '$.session', '$.result.status', '$.hit',
'$.count', '$.tokens', '$.latency_ms', '$.took_ms.embed', '$.took_ms.search', '$.took_ms.rank', '$.helped']) as d from staged)`

// copyAudit adds the audit rows up to end, batch by batch. Rows and the mark
// of how far they go are committed together, so each is there once.
func (w *working) copyAudit(
	ctx context.Context, src Source, end int64, report *memory.SnapshotReport, progress func(memory.SnapshotReport),
) error {
	// The details are staged as text: the appender would quote a text for a JSON column.
	if _, err := w.conn.ExecContext(ctx, `create or replace temp table staged as
select id, ts, "user", action, project, collection, workflow_id, run_id, step, affected_ids, details::varchar as details from audit limit 0`); err != nil {
		return fmt.Errorf("prepare to copy the audit: %w", err)
	}
	from := w.upTo
	rows := readAhead(ctx, func(ctx context.Context) iter.Seq2[memory.AuditRow, error] { return src.EachAudit(ctx, from, end) })
	defer rows.stop()
	for {
		n, err := w.copyBatch(ctx, rows)
		if err != nil {
			return fmt.Errorf("copy the audit: %w", err)
		}
		report.NewRows += int64(n)
		report.UpTo = w.upTo
		if progress != nil {
			progress(*report)
		}
		if n < batchRows {
			return nil
		}
	}
}

// copyBatch copies at most batchRows rows in one transaction.
func (w *working) copyBatch(ctx context.Context, rows *ahead) (int, error) {
	n := 0
	var last memory.AuditRow
	err := w.inTx(ctx, func() error {
		var err error
		if n, last, err = w.stage(rows); err != nil || n == 0 {
			return err
		}
		if _, err := w.conn.ExecContext(ctx, fromDetails); err != nil {
			return err
		}
		if _, err := w.conn.ExecContext(ctx, `truncate staged`); err != nil {
			return err
		}
		_, err = w.conn.ExecContext(ctx, `update snapshot_state set up_to = ?, up_to_key = ?`, last.ID, keyOf(last))
		return err
	})
	if err == nil && n > 0 {
		w.upTo, w.upToKey = last.ID, keyOf(last)
	}
	return n, err
}

// stage appends at most batchRows rows to the staging table, and returns how
// many and the last of them.
func (w *working) stage(rows *ahead) (n int, last memory.AuditRow, err error) {
	err = w.append("temp", "staged", func(add func(...driver.Value) error) error {
		for ; n < batchRows; n++ {
			row, err, ok := rows.next()
			if err != nil || !ok {
				return err
			}
			last = row
			if err := add(auditValues(row)...); err != nil {
				return err
			}
		}
		return nil
	})
	return n, last, err
}

// keyOf is what [Source].AuditKey returns for a row.
func keyOf(a memory.AuditRow) string { return a.WorkflowID + " " + a.RunID + " " + a.Step }

func auditValues(a memory.AuditRow) []driver.Value {
	return []driver.Value{
		a.ID, a.At.UTC(), a.User, a.Action, a.Project, a.Collection, a.WorkflowID, a.RunID, a.Step,
		emptyForNil(a.AffectedIDs), string(a.Details),
	}
}

// copyMemories replaces the memories' state and today's sample of their confidence.
func (w *working) copyMemories(ctx context.Context, src Source, now time.Time, report *memory.SnapshotReport) error {
	const sample = `insert into confidence_samples select ?::date, project, collection,
least(floor(confidence * 10), 9)::integer, count(*), avg(confidence) from memories where state = 'live' group by all`
	day := now.UTC().Format(time.DateOnly)
	err := w.inTx(ctx, func() error {
		if _, err := w.conn.ExecContext(ctx, `delete from memories`); err != nil {
			return err
		}
		if err := w.appendMemories(ctx, src, report); err != nil {
			return err
		}
		if _, err := w.conn.ExecContext(ctx, `delete from confidence_samples where day = ?::date`, day); err != nil {
			return err
		}
		if _, err := w.conn.ExecContext(ctx, sample, day); err != nil {
			return err
		}
		_, err := w.conn.ExecContext(ctx, `update snapshot_state set taken_at = ?`, now.UTC())
		return err
	})
	if err != nil {
		return fmt.Errorf("copy the memories: %w", err)
	}
	return nil
}

func (w *working) appendMemories(ctx context.Context, src Source, report *memory.SnapshotReport) error {
	report.Memories = 0
	return w.append("", "memories", func(add func(...driver.Value) error) error {
		for m, err := range src.EachMemory(ctx) {
			if err != nil {
				return err
			}
			report.Memories++
			if err := add(memoryValues(m)...); err != nil {
				return err
			}
		}
		return nil
	})
}

func memoryValues(m memory.MemoryRow) []driver.Value {
	var expires driver.Value
	if m.ExpiresAt != nil {
		expires = m.ExpiresAt.UTC()
	}
	return []driver.Value{
		m.ID, m.Collection, m.Project, m.Type, emptyForNil(m.Tags), int32(m.TextBytes), m.Confidence, m.Importance, m.Pinned,
		int64(m.AccessCount), int64(m.Confirmations), m.CreatedAt.UTC(), m.LastAccessed.UTC(), expires, m.Source, m.Session,
		m.Model, string(m.State), m.MergedInto, m.ChangedAt.UTC(),
	}
}

// emptyForNil is for columns that are not null: the appender takes a nil slice for one.
func emptyForNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// inTx runs fn in a transaction on the one connection. The transaction is
// DuckDB's and not database/sql's, because the appender needs the connection.
func (w *working) inTx(ctx context.Context, fn func() error) error {
	if _, err := w.conn.ExecContext(ctx, `begin transaction`); err != nil {
		return err
	}
	if err := fn(); err != nil {
		_, undo := w.conn.ExecContext(context.WithoutCancel(ctx), `rollback`)
		return errors.Join(err, undo)
	}
	_, err := w.conn.ExecContext(ctx, `commit`)
	return err
}

// appender is DuckDB's Appender.
type appender interface {
	AppendRow(values ...driver.Value) error
	Close() error
}

// append fills a table through DuckDB's Appender.
func (w *working) append(catalog, table string, fill func(add func(...driver.Value) error) error) error {
	return w.conn.Raw(func(raw any) error {
		conn, ok := raw.(driver.Conn)
		if !ok {
			return fmt.Errorf("the DuckDB driver gave a %T", raw)
		}
		a, err := newAppender(conn, catalog, table)
		if err != nil {
			return fmt.Errorf("append to %s: %w", table, err)
		}
		return errors.Join(fill(a.AppendRow), a.Close())
	})
}

// exportParquet writes each table as a Parquet file into a folder.
func (w *working) exportParquet(ctx context.Context, dir string) ([]string, error) {
	var paths []string
	for _, table := range []string{"audit", "memories", "confidence_samples"} {
		path := filepath.Join(dir, table+".parquet")
		// COPY takes no parameters: the path is quoted as SQL wants it.
		quoted := strings.ReplaceAll(path+".next", "'", "''")
		_, err := w.conn.ExecContext(ctx, fmt.Sprintf(`copy %s to '%s' (format parquet, compression zstd)`, table, quoted))
		if err != nil {
			return paths, errors.Join(fmt.Errorf("write %s: %w", path, err), removeAll(path+".next"))
		}
		if err := publish(path+".next", path); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
