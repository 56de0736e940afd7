package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/internal/backup"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// lived is a ledger with a past: everything that leaves a row somewhere has happened in it.
func lived(t *testing.T, url string) *postgres.Ledger {
	t.Helper()
	l := openAt(t, url, day0)
	if err := l.UseModel(t.Context(), model, 4); err != nil {
		t.Fatal(err)
	}
	a := store(t, l, rec(memory.Memories, "The build needs \"Go\" 1.25 \\ and a\ttab, a 中文 word and a \u2028 separator", 1, 0, 0, 0.1))
	b := store(t, l, rec(memory.Memories, "Releases are tagged by the build server", 0, 1, 0, 1e-7))
	c := store(t, l, rec(memory.Memories, "Releases are tagged by the server that builds", 0, 1, 0.1, 0.3333333))
	d := store(t, l, rec(memory.Learnings, "Nobody reads the wiki", 0, 0, 1, 0))
	if _, err := l.Link(t.Context(), step(memory.ActionLink, "link"), memory.Link{
		ID: memory.NewLinkID(a.ID, b.ID, memory.LinkBuildsOn), SourceID: a.ID, TargetID: b.ID, Type: memory.LinkBuildsOn,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Fold(t.Context(), step(memory.ActionMerge, "fold"), []string{b.ID, c.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "forget"), []string{d.ID}, false); err != nil {
		t.Fatal(err)
	}
	if err := l.Recalled(t.Context(), step(memory.ActionRecall, "recall"), memory.Recalled{Query: memory.Query{Project: "p"}}); err != nil {
		t.Fatal(err)
	}
	sync(t, l)
	return l
}

// saved writes a backup of a ledger and returns it, opened.
func saved(t *testing.T, l *postgres.Ledger) (*backup.File, backup.Written) {
	t.Helper()
	w, err := backup.Create(t.Context(), l, backup.Options{Path: filepath.Join(t.TempDir(), "b")})
	if err != nil {
		t.Fatal(err)
	}
	f, err := backup.Open(w.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f, w
}

// TestRestoreBackup restores everything into an empty ledger that has been asked already, and
// compares every row of every table.
func TestRestoreBackup(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	old := lived(t, url)
	f, w := saved(t, old)
	checked, err := f.Check(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if checked.SHA256 != w.SHA256 || checked.Head.Live != 2 || checked.Head.Rows() < 10 {
		t.Fatalf("read %+v, wrote %+v", checked, w.Backup)
	}

	elsewhere := testkit.Schema(t, server)
	fresh := openAt(t, elsewhere, day0)
	identity, err := fresh.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fresh.TakeTurn(t.Context(), "organize/weekly", ""); err != nil {
		t.Fatal(err)
	}
	asked := memory.Op{WorkflowID: "asked", RunID: "r", Step: "recall", Action: memory.ActionRecall}
	if err := fresh.Recalled(t.Context(), asked, memory.Recalled{Query: memory.Query{Project: "q"}}); err != nil {
		t.Fatal(err)
	}
	if err := fresh.RestoreBackup(t.Context(), "me", checked, f.Rows(t.Context()), nil); err != nil {
		t.Fatal(err)
	}

	_, again := saved(t, fresh)
	for name, digest := range w.Digests {
		if name != "memory_audit" && again.Digests[name] != digest {
			t.Errorf("table %s has another digest", name)
		}
	}
	before, after := audit(t, url), audit(t, elsewhere)
	if !slices.Equal(before, after[:len(before)]) || len(after) != len(before)+2 {
		t.Errorf("the audit has %d rows, and had %d", len(after), len(before))
	}
	if now, err := openAt(t, elsewhere, day0).Identity(t.Context()); err != nil || now != identity || now == checked.Head.Ledger {
		t.Errorf("the restored ledger calls itself %s (%v), not %s", now, err, identity)
	}
	if expected, err := fresh.Expected(t.Context()); err != nil || expected[memory.Memories] != (memory.Expected{Live: 2, Written: 2}) {
		t.Errorf("of the index is expected %+v, %v", expected, err)
	}

	target, err := fresh.RestoreTarget(t.Context(), checked.SHA256)
	if err != nil || target.Empty || !target.Restored {
		t.Errorf("the target is %+v, %v", target, err)
	}
	err = fresh.RestoreBackup(t.Context(), "me", checked, f.Rows(t.Context()), nil)
	if memory.CodeOf(err) != memory.Conflict || memory.HintOf(err) == "" {
		t.Errorf("a second restore: %v", err)
	}

	// What is stored next is numbered on, and the change of the old home is undone in the new one.
	store(t, fresh, rec(memory.Memories, "Something new", 0, 0, 0, 1))
	found, err := fresh.FindChange(t.Context(), "test")
	if err != nil || found.Change.WorkflowID != "test" {
		t.Errorf("the change of the old home: %+v, %v", found, err)
	}
}

// audit returns the rows of the audit as texts.
func audit(t *testing.T, url string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	rows, err := conn.Query(t.Context(), `select row_to_json(a)::text from memory_audit a order by id`)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestBackupHasAllTables compares what a backup holds with what is in the database.
func TestBackupHasAllTables(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	_, w := saved(t, openAt(t, url, day0))
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	rows, err := conn.Query(t.Context(), `select table_name || '.' || column_name from information_schema.columns
where table_schema = current_schema() and table_name <> 'mneme_migrations'
and table_name not in (select table_name from information_schema.views where table_schema = current_schema()) order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	got := []string{
		"beside_vectors.memory_id", "beside_vectors.vector", "beside_vectors.written",
		"conversation_messages.beside", "conversation_messages.model", "conversation_messages.points", "memories.dirty", "memories.indexed_in", "organize_turn.one", "organize_turn.workflow_id",
	}
	for _, table := range w.Head.Tables {
		for _, column := range table.Columns {
			got = append(got, table.Name+"."+column)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("a backup holds\n%s\nand the database\n%s", got, want)
	}
}

// TestRestoreBackupIsAllOrNothing changes a row, cuts the rows off, adds one, breaks JSON and
// fails in the middle: nothing is in the ledger afterwards, and a restore succeeds.
func TestRestoreBackupIsAllOrNothing(t *testing.T) {
	t.Parallel()
	f, _ := saved(t, lived(t, testkit.Schema(t, server)))
	checked, err := f.Check(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]byte
	for line, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, bytes.Clone(line))
	}
	boom := errors.New("the disk is gone")
	of := func(rows [][]byte, err error) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	}
	replaced := func(i int, with string) [][]byte {
		out := slices.Clone(rows)
		out[i] = []byte(with)
		return out
	}
	changed := strings.Replace(string(rows[0]), `"pinned":false`, `"pinned":true`, 1)
	newer, older, other := checked, checked, checked
	newer.Head.Schema++
	older.Head.Schema = 3
	other.Head.Tables = slices.Clone(checked.Head.Tables)
	other.Head.Tables[0].Columns = append(slices.Clone(other.Head.Tables[0].Columns), `x"; drop table memories; --`)
	for name, c := range map[string]struct {
		backup memory.Backup
		rows   iter.Seq2[[]byte, error]
		says   string
	}{
		"a changed row":    {checked, of(replaced(0, changed), nil), "table memories is not what was backed up"},
		"no JSON":          {checked, of(replaced(1, "{;}"), nil), "json"},
		"two rows in one":  {checked, of(replaced(1, `{"a":1},{"a":2}`), nil), "null value"},
		"cut off":          {checked, of(rows[:len(rows)-3], nil), "ends within table"},
		"an error":         {checked, of(rows[:5], boom), boom.Error()},
		"more rows":        {checked, of(append(slices.Clone(rows), rows[0]), nil), "more rows"},
		"a newer schema":   {newer, of(rows, nil), "newer mneme"},
		"a strange schema": {older, of(rows, nil), "no mneme writes"},
		"other columns":    {other, of(rows, nil), "are not those of schema"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fresh := open(t, day0)
			err := fresh.RestoreBackup(t.Context(), "me", c.backup, c.rows, nil)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v, want %q", err, c.says)
			}
			if target, err := fresh.RestoreTarget(t.Context(), checked.SHA256); err != nil || !target.Empty || target.Restored {
				t.Fatalf("after %v: %+v, %v", c.says, target, err)
			}
			if err := fresh.RestoreBackup(t.Context(), "me", checked, of(rows, nil), nil); err != nil {
				t.Errorf("a restore afterwards: %v", err)
			}
		})
	}
}

// TestRestoreOlderBackup restores a backup of an older schema: it is brought up to date, and the
// tables are then as those of a ledger that was upgraded.
func TestRestoreOlderBackup(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	db, schema := schemaOf(t, url)
	if _, err := schema.UpTo(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	id := memory.NewID("p", memory.Memories, "old")
	for i, statement := range []string{
		fmt.Sprintf(`insert into memories (id, collection, project, type, text, vector, confidence, importance, pinned, created_at, last_accessed, content_hash, model, dirty)
values ('%s', 'claude_memories', 'p', 'fact', 'old', '\x00000000', 0.5, 0.5, false, '2026-01-01', '2026-01-01', repeat('a', 64), 'm', false)`, id),
		fmt.Sprintf(`insert into memory_versions (memory_id, at, action, workflow_id, run_id, step, after) values ('%s', '2026-01-01', 'store', 'w', 'r', 's', '{}')`, id),
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("statement %d: %v", i, err)
		}
	}
	raw, err := postgres.Open(t.Context(), postgres.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	f, w := saved(t, raw)
	if w.Head.Schema != 5 {
		t.Fatalf("the backup has schema %d", w.Head.Schema)
	}
	fresh := open(t, day0)
	if err := fresh.RestoreBackup(t.Context(), "me", w.Backup, f.Rows(t.Context()), nil); err != nil {
		t.Fatal(err)
	}
	if err := raw.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, upgraded := saved(t, raw)
	_, restored := saved(t, fresh)
	for _, name := range []string{"memories", "memory_versions", "memory_changes", "link_changes"} {
		if upgraded.Digests[name] != restored.Digests[name] {
			t.Errorf("table %s is not that of an upgraded ledger", name)
		}
	}
	store(t, fresh, rec(memory.Memories, "and it goes on"))
}

func TestBackupPlaces(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	for i := range 205 {
		if err := l.NoteBackup(t.Context(), memory.BackupPlace{Path: fmt.Sprintf("/b/%d", i), Host: "h", At: day0.Add(time.Duration(i) * time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := l.NoteBackup(t.Context(), memory.BackupPlace{Path: "/b", Host: "h", At: day0, Every: "24h"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	places, err := l.Backups(t.Context())
	if err != nil || len(places) != 200 || places[0].Path != "/b" || places[199].Path != "/b/204" {
		t.Fatalf("%d places, %+v, %v", len(places), places[:1], err)
	}
	if err := l.NoteBackup(t.Context(), places[0]); err != nil {
		t.Fatal(err)
	}
	if places, err = l.Backups(t.Context()); err != nil || len(places) != 200 || places[199].Every != "24h" {
		t.Fatalf("%d places, %v", len(places), err)
	}
}
