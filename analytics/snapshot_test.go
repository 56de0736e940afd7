package analytics_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/memory"
)

func ask[T any](t *testing.T, path, query string) T {
	t.Helper()
	r, err := analytics.OpenReader(t.Context(), path)
	require.NoError(t, err)
	defer r.Close()
	table, _, err := r.Query(t.Context(), query, 0)
	require.NoError(t, err)
	require.Len(t, table.Rows, 1, query)
	v, ok := table.Rows[0][0].(T)
	require.Truef(t, ok, "%s gave a %T", query, table.Rows[0][0])
	return v
}

const countOnce = `select count(*) = count(distinct id) and count(*) = max(id) and min(id) = 1 from audit`

func TestSnapshotsAddWhatIsNew(t *testing.T) {
	t.Parallel()
	ledger, conn := newLedger(t)
	s := &analytics.Snapshots{Dir: filepath.Join(t.TempDir(), "analytics"), Source: ledger}

	r, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err, "of an empty ledger")
	assert.Zero(t, r.Rows)

	generate(t, conn, 3000, 100)
	r, err = s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 3000, r.Rows)
	assert.EqualValues(t, 3000, r.NewRows)
	assert.EqualValues(t, 100, r.Memories)

	_, err = conn.Exec(t.Context(), `insert into memory_audit ("user", action, "timestamp", project, collection, workflow_id, run_id, step)
values ('me', 'recall', now(), 'p', '', 'w', 'r', 's')`)
	require.NoError(t, err)
	r, err = s.Snapshot(t.Context(), memory.SnapshotInput{Parquet: true}, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 1, r.NewRows)
	assert.EqualValues(t, 3001, r.Rows)
	assert.True(t, ask[bool](t, s.Path(), countOnce))
	require.Len(t, r.Parquet, 3)
	assert.EqualValues(t, 3001, ask[int64](t, s.Path(), fmt.Sprintf(`select count(*) from '%s'`, r.Parquet[0])))

	info, err := os.Stat(s.Path())
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())
	left, err := filepath.Glob(filepath.Join(s.Dir, "next*"))
	require.NoError(t, err)
	assert.Empty(t, left, "the working copy is gone")
}

// broken is a source whose stream breaks off, as a killed process's would.
type broken struct {
	analytics.Source
	after int
}

var errBroken = errors.New("broken off")

func (b *broken) EachAudit(ctx context.Context, after, end int64) iter.Seq2[memory.AuditRow, error] {
	return func(yield func(memory.AuditRow, error) bool) {
		n := 0
		for row, err := range b.Source.EachAudit(ctx, after, end) {
			if n == b.after {
				yield(row, errBroken)
				return
			}
			n++
			if !yield(row, err) {
				return
			}
		}
	}
}

func TestSnapshotGoesOnWhereItBrokeOff(t *testing.T) {
	t.Parallel()
	ledger, conn := newLedger(t)
	generate(t, conn, 250_000, 10)
	s := &analytics.Snapshots{Dir: t.TempDir(), Source: &broken{ledger, 230_000}}
	_, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.ErrorIs(t, err, errBroken)
	_, err = os.Stat(s.Path())
	require.ErrorIs(t, err, os.ErrNotExist, "nothing half is published")

	s.Source = ledger
	r, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 50_000, r.NewRows, "two batches were committed before")
	assert.EqualValues(t, 250_000, r.Rows)
	assert.True(t, ask[bool](t, s.Path(), countOnce))
}

func TestAnotherLedgerStartsAnew(t *testing.T) {
	t.Parallel()
	one, conn := newLedger(t)
	generate(t, conn, 500, 10)
	dir := t.TempDir()
	_, err := (&analytics.Snapshots{Dir: dir, Source: one}).Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err)

	two, conn := newLedger(t)
	generate(t, conn, 100, 10)
	s := &analytics.Snapshots{Dir: dir, Source: two}
	r, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err)
	assert.True(t, r.Anew)
	assert.EqualValues(t, 100, r.Rows)
}

func TestADamagedFileIsBuiltAnew(t *testing.T) {
	t.Parallel()
	ledger, conn := newLedger(t)
	generate(t, conn, 500, 10)
	s := &analytics.Snapshots{Dir: t.TempDir(), Source: ledger}
	require.NoError(t, os.WriteFile(s.Path(), []byte("not a DuckDB file"), 0o600))
	r, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err)
	assert.True(t, r.Anew)
	assert.EqualValues(t, 500, r.Rows)
}

// TestRowsThatCommitLate holds an insert open whose id is smaller than one
// that is committed already: a snapshot must not pass it by.
func TestRowsThatCommitLate(t *testing.T) {
	t.Parallel()
	ledger, conn := newLedger(t)
	const insert = `insert into memory_audit ("user", action, "timestamp", project, collection, workflow_id, run_id, step)
values ('me', 'recall', now(), 'p', '', 'w', 'r', $1)`
	late, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = late.Exec(t.Context(), insert, "late")
	require.NoError(t, err)
	require.NoError(t, ledger.Note(t.Context(), memory.Op{WorkflowID: "x", RunID: "y", Step: "early", Action: "recall"}, "p", "", nil))

	s := &analytics.Snapshots{Dir: t.TempDir(), Source: ledger}
	done := make(chan error, 1)
	go func() {
		_, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
		done <- err
	}()
	waiting := func() bool {
		var n int
		err := conn.QueryRow(t.Context(), `select count(*) from pg_locks l join pg_class c on c.oid = l.relation
where c.relname = 'memory_audit' and not l.granted`).Scan(&n)
		return err == nil && n > 0
	}
	require.Eventually(t, waiting, 10*time.Second, 5*time.Millisecond, "the snapshot waits for the late row")
	require.NoError(t, late.Commit(t.Context()))
	require.NoError(t, <-done)
	assert.EqualValues(t, 2, ask[int64](t, s.Path(), `select count(*) from audit`))
}

func TestSnapshotsAtOnceAndReadersMeanwhile(t *testing.T) {
	t.Parallel()
	ledger, conn := newLedger(t)
	generate(t, conn, 2000, 50)
	s := &analytics.Snapshots{Dir: t.TempDir(), Source: ledger}
	_, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err)
	old, err := analytics.OpenReader(t.Context(), s.Path())
	require.NoError(t, err)

	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			op := memory.Op{WorkflowID: "more", RunID: "r", Step: fmt.Sprint(i), Action: "recall"}
			assert.NoError(t, ledger.Note(t.Context(), op, "p", "", nil))
			_, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	table, _, err := old.Query(t.Context(), `select count(*) from audit`, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 2000, table.Rows[0][0], "a reader keeps the file it opened")
	require.NoError(t, old.Close())
	assert.EqualValues(t, 2004, ask[int64](t, s.Path(), `select count(distinct id) from audit`))
	assert.EqualValues(t, 2004, ask[int64](t, s.Path(), `select count(*) from audit`))
}
