package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// A backup holds every table that the migrations make. Some columns are left out: they say what
// the index of this home has, which another home's index does not.
var notBackedUp = map[string][]string{
	"memories":              {"indexed_in", "dirty"},
	"conversation_messages": {"model", "points", "beside"},
}

// tablesOfHome tell what runs in this home's Temporal, and what its index holds beside the one in force.
var tablesOfHome = []string{"organize_turn", "beside_vectors"}

// settingsOfHome belong to the home and not to what it remembers: its identity, what its index
// has lost, and where its backups are.
var settingsOfHome = []string{ledgerKey, lostKey, placesKey, generationsKey}

// Backup reads the whole ledger as of one moment. begin is called once, then row with each row
// of each table as one line of JSON, in the order of the head's tables and of their primary
// keys. The line is only valid during the call.
func (l *Ledger) Backup(ctx context.Context, begin func(memory.BackupHead) error, row func(line []byte) error) error {
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return l.wrap("read the ledger for a backup", pgx.BeginTxFunc(ctx, l.pool, snapshot, func(tx pgx.Tx) error {
		if err := exactly(ctx, tx); err != nil {
			return err
		}
		head, tables, err := l.backupHead(ctx, tx)
		if err != nil {
			return err
		}
		if err := begin(head); err != nil {
			return outside{err}
		}
		for i, t := range tables {
			n, err := t.each(ctx, tx, row)
			if err != nil {
				return err
			}
			if n != head.Tables[i].Rows {
				return fmt.Errorf("table %s had %d rows, and then %d", t.name, head.Tables[i].Rows, n)
			}
		}
		return nil
	}))
}

// exactly has PostgreSQL write values so that they come back as they were, the same way on
// every server, and take its time.
func exactly(ctx context.Context, tx pgx.Tx) error {
	for _, set := range []string{
		`set local statement_timeout = 0`,
		`set local idle_in_transaction_session_timeout = 0`, `set local timezone = 'UTC'`,
		`set local extra_float_digits = 3`, `set local bytea_output = 'hex'`, `set local intervalstyle = 'postgres'`,
	} {
		if _, err := tx.Exec(ctx, set); err != nil {
			return fmt.Errorf("prepare the connection: %w", err)
		}
	}
	return nil
}

func (l *Ledger) backupHead(ctx context.Context, tx pgx.Tx) (memory.BackupHead, []table, error) {
	head := memory.BackupHead{Format: memory.BackupFormat}
	var err error
	if head.Schema, err = schemaVersion(ctx, tx); err != nil {
		return head, nil, err
	}
	tables, err := tablesOf(ctx, tx, head.Schema)
	if err != nil {
		return head, nil, err
	}
	for _, t := range tables {
		b := memory.BackupTable{Name: t.name, Columns: t.columns}
		if err := tx.QueryRow(ctx, `select count(*) from `+t.from(), t.args()...).Scan(&b.Rows); err != nil {
			return head, nil, fmt.Errorf("count %s: %w", t.name, err)
		}
		head.Tables = append(head.Tables, b)
	}
	m, err := l.model(ctx, tx)
	if err != nil {
		return head, nil, err
	}
	head.Model, head.Dimension = m.Model, m.Dimension
	return head, tables, tx.QueryRow(ctx, `select (select value #>> '{}' from settings where key = $1), now(),
(select count(*) from memories where state = 'live')`, ledgerKey).Scan(&head.Ledger, &head.CreatedAt, &head.Live)
}

// table is one table of the ledger.
type table struct {
	name    string
	columns []string // those that are backed up
	order   []string // its primary key, as expressions that sort alike everywhere
}

// tablesOf returns the tables of a schema version, memories first.
func tablesOf(ctx context.Context, tx pgx.Tx, version int64) ([]table, error) {
	names, err := tablesAt(version)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(tablesOfHome, name) })
	out := make([]table, len(names))
	for i, name := range names {
		out[i].name = name
		// Text sorts by its bytes: the order of a language is another one on another machine.
		err := tx.QueryRow(ctx, `select
array(select column_name::text from information_schema.columns
	where table_schema = current_schema() and table_name = $1 and column_name <> all($2) and is_generated = 'NEVER' order by ordinal_position),
array(select 'x.' || quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end
	from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
	where i.indrelid = to_regclass(quote_ident($1)) and i.indisprimary order by array_position(i.indkey::int2[], a.attnum))`,
			name, noNil(notBackedUp[name])).Scan(&out[i].columns, &out[i].order)
		if err != nil {
			return nil, fmt.Errorf("look at table %s: %w", name, err)
		}
		if len(out[i].columns) == 0 || len(out[i].order) == 0 {
			return nil, memory.Errorf(memory.Internal,
				`start mneme with "mneme up", which brings its tables up to date`,
				"there is no table %s as it should be", name)
		}
	}
	return out, nil
}

func (t table) ident() string { return pgx.Identifier{t.name}.Sanitize() }

// list is its columns for a statement.
func (t table) list() string {
	quoted := make([]string, len(t.columns))
	for i, c := range t.columns {
		quoted[i] = pgx.Identifier{c}.Sanitize()
	}
	return strings.Join(quoted, ", ")
}

// from is the table with the condition that its rows are to be backed up.
func (t table) from() string {
	if t.name == "settings" {
		return t.ident() + ` where key <> all($1)`
	}
	return t.ident()
}

func (t table) args() []any {
	if t.name == "settings" {
		return []any{settingsOfHome}
	}
	return nil
}

// each calls row with every row, as they come from the server, and counts them.
func (t table) each(ctx context.Context, tx pgx.Tx, row func(line []byte) error) (n int64, err error) {
	sql := fmt.Sprintf(`select row_to_json(x)::text from (select %s from %s) x order by %s`,
		t.list(), t.from(), strings.Join(t.order, ", "))
	rows, err := tx.Query(ctx, sql, t.args()...)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", t.name, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.RawValues()[0]); err != nil {
			return n, outside{err}
		}
		n++
	}
	if err := rows.Err(); err != nil {
		return n, fmt.Errorf("read %s: %w", t.name, err)
	}
	return n, nil
}

// schemaVersion is the number of the last migration.
func schemaVersion(ctx context.Context, q querier) (version int64, err error) {
	err = q.QueryRow(ctx,
		`select coalesce(max(version_id), 0) from `+migrationsTable+` where is_applied`).Scan(&version)
	return version, err
}

// placesKey is the setting that says where backups of this ledger are.
const placesKey = "backups"

// maxPlaces bounds the files that are remembered; folders of scheduled backups stay.
const maxPlaces = 200

// NoteBackup remembers where a backup was written. The last one at a place counts.
func (l *Ledger) NoteBackup(ctx context.Context, place memory.BackupPlace) error {
	return l.tx(ctx, "remember where the backup is", func(tx pgx.Tx) error {
		// Two backups may end at once, and the setting may not be there yet.
		if _, err := tx.Exec(
			ctx, `select pg_advisory_xact_lock(hashtextextended('mneme backups ' || current_schema(), 0))`,
		); err != nil {
			return err
		}
		places, err := backupPlaces(ctx, tx)
		if err != nil {
			return err
		}
		places = slices.DeleteFunc(places,
			func(p memory.BackupPlace) bool { return p.Path == place.Path && p.Host == place.Host })
		place.At = moment(place.At)
		places = append(places, place)
		for i := 0; i < len(places) && len(places) > maxPlaces; {
			if places[i].Every != "" {
				i++
				continue
			}
			places = slices.Delete(places, i, i+1)
		}
		value, err := json.Marshal(places)
		if err != nil {
			return fmt.Errorf("write the setting: %w", err)
		}
		_, err = tx.Exec(ctx,
			`insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value`,
			placesKey, value)
		return err
	})
}

// Backups returns where backups of this ledger were written, the latest last. Whether the files are
// still there, nobody has looked.
func (l *Ledger) Backups(ctx context.Context) (places []memory.BackupPlace, err error) {
	err = l.again(ctx, "read where backups are", func() error {
		places, err = backupPlaces(ctx, l.pool)
		return err
	})
	return places, err
}

func backupPlaces(ctx context.Context, q querier) (places []memory.BackupPlace, err error) {
	var value []byte
	err = q.QueryRow(ctx, `select value from settings where key = $1`, placesKey).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(value, &places); err != nil {
		return nil, fmt.Errorf("read the setting %s: %w", placesKey, err)
	}
	for i := range places {
		places[i].At = places[i].At.In(time.UTC)
	}
	return places, nil
}
