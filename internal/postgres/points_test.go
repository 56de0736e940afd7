package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
	"github.com/mneme-memory/mneme/memory"
)

// TestUnfindable counts memories without a point, but not those whose point is
// merely out of date; and what comparisons found lost.
func TestUnfindable(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "Go has no exceptions.")
	wants := func(what string, unwritten, lost int) {
		t.Helper()
		u, n, err := l.Unfindable(t.Context(), 5)
		if err != nil || u != unwritten || n != lost {
			t.Errorf("%s: %d not written and %d lost, %v; want %d and %d", what, u, n, err, unwritten, lost)
		}
	}
	store(t, l, r)
	wants("one new memory", 1, 0)
	sync(t, l)
	again := r
	again.Source = memory.SourceCLI
	store(t, l, again)
	if behind, err := l.Unindexed(t.Context(), 5); err != nil || len(behind) != 1 {
		t.Errorf("confirmed: %v behind, %v", behind, err)
	}
	wants("confirmed", 0, 0)
	for _, step := range []struct {
		lost map[string]int
		want int
	}{
		{map[string]int{memory.Memories: 3, memory.Learnings: 2}, 5},
		{map[string]int{memory.Memories: 1}, 3},
		{map[string]int{memory.Memories: 0, memory.Learnings: 0}, 0},
	} {
		if err := l.NoteLost(t.Context(), step.lost); err != nil {
			t.Fatal(err)
		}
		wants(fmt.Sprint(step.lost), 0, step.want)
	}
}

// TestExpected counts points through a store, a move and a forget, before and after the
// index knows of each.
func TestExpected(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	wants := func(what string, want map[string]memory.Expected) {
		t.Helper()
		got, err := l.Expected(t.Context())
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", what, got, err, want)
		}
	}
	wants("nothing stored", map[string]memory.Expected{})
	first, second := store(t, l, rec(memory.ShortTerm, "One.")).ID, store(t, l, rec(memory.ShortTerm, "Two.")).ID
	wants("stored", map[string]memory.Expected{memory.ShortTerm: {Live: 2, Written: 0, Marked: 2}})
	sync(t, l)
	wants("written", map[string]memory.Expected{memory.ShortTerm: {Live: 2, Written: 2}})
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{first}, false); err != nil {
		t.Fatal(err)
	}
	wants("forgotten", map[string]memory.Expected{memory.ShortTerm: {Live: 1, Written: 1, Marked: 1}})
	sync(t, l)
	wants("deleted", map[string]memory.Expected{memory.ShortTerm: {Live: 1, Written: 1}})
	promote(t, l, second)
	wants("promoted", map[string]memory.Expected{
		memory.ShortTerm: {Marked: 1}, memory.Memories: {Live: 1, Written: 0, Marked: 1},
	})
	sync(t, l)
	wants("moved", map[string]memory.Expected{memory.Memories: {Live: 1, Written: 1}})
}

// promote moves a memory of the short term to its place for good.
func promote(t *testing.T, l *postgres.Ledger, id string) {
	t.Helper()
	for i := range memory.PromoteAfter {
		err := l.Recalled(t.Context(), step(memory.ActionRecall, fmt.Sprint(i)), memory.Recalled{
			Hits: []memory.Hit{{ID: id, Strong: true}}, At: day0,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	moved, err := l.Promote(t.Context(), step(memory.ActionPromote, "p"), memory.Scope{Collection: memory.ShortTerm, Now: day0})
	if err != nil || !slices.Equal(moved.All(), []string{id}) {
		t.Fatalf("promoted %v, %v", moved, err)
	}
}

// TestSettled hands out what is live and in step, and keeps others from changing it meanwhile.
func TestSettled(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	still, gone := store(t, l, rec(memory.Memories, "One.")).ID, store(t, l, rec(memory.Memories, "Two.")).ID
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{gone}, false); err != nil {
		t.Fatal(err)
	}
	sync(t, l)
	behind := store(t, l, rec(memory.Memories, "Three.")).ID
	var held []string
	changed := make(chan error, 1)
	err := l.Settled(t.Context(), []string{still, gone, behind, memory.NewID("", "", "nobody")}, func(ctx context.Context, records []memory.Record) error {
		for _, r := range records {
			held = append(held, r.ID)
		}
		soon, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, err := l.Forget(soon, step(memory.ActionForget, "meanwhile"), []string{still}, false)
		changed <- err
		return nil
	})
	if err != nil || !slices.Equal(held, []string{still}) {
		t.Errorf("held %v, %v; want %s", held, err, still)
	}
	if err := <-changed; err == nil {
		t.Error("a held memory was forgotten")
	}
	failure := errors.New("the index is down")
	if err := l.Settled(t.Context(), []string{still}, func(context.Context, []memory.Record) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("the error of the caller's function became %v", err)
	}
}

// TestStrangers tells points that belong to no memory from those whose memory is elsewhere on
// its way.
func TestStrangers(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	live, gone := store(t, l, rec(memory.Memories, "One.")).ID, store(t, l, rec(memory.Memories, "Two.")).ID
	elsewhere := store(t, l, rec(memory.Learnings, "Three.")).ID
	leaves := store(t, l, rec(memory.Memories, "Four.")).ID
	forget := func(id string) {
		if _, err := l.Forget(t.Context(), step(memory.ActionForget, id), []string{id}, false); err != nil {
			t.Fatal(err)
		}
	}
	forget(gone)
	sync(t, l)
	forget(leaves)
	unknown := memory.NewID("", "", "nobody")
	got, err := l.Strangers(t.Context(), memory.Memories, []string{live, gone, elsewhere, leaves, unknown})
	want := []string{gone, elsewhere, unknown}
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("strangers %v, %v; want %v", got, err, want)
	}
}

// TestPagesAreReadByKey counts the rows that PostgreSQL reads for one page of a collection, and
// for bringing one page of marked rows in step, while its statistics know nothing of the mark
// that 3,000 rows have: not all of them.
func TestPagesAreReadByKey(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l, conn := openAt(t, url+"&application_name=fills", day0), connect(t, url)
	all := numbered(3000, 4)
	for i, batch := 0, all; len(batch) > 0; i++ {
		n := min(len(batch), memory.MaxImportBatch)
		if _, err := l.Import(t.Context(), step(memory.ActionImport, fmt.Sprint(i)), batch[:n], nil); err != nil {
			t.Fatal(err)
		}
		batch = batch[n:]
	}
	l.Close()
	for _, sql := range []string{
		`update memories set dirty = false, indexed_in = collection`, `vacuum analyze memories`, `update memories set dirty = true`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	closed := func(name string) {
		t.Helper()
		wait.Until(t, "the connection is closed, and what it read is counted", func() bool {
			n := -1
			err := conn.QueryRow(t.Context(), `select count(*) from pg_stat_activity where application_name = $1`, name).Scan(&n)
			return err == nil && n == 0
		})
	}
	closed("fills")
	page := func(l *postgres.Ledger) []string {
		records, err := l.Records(t.Context(), memory.Page{Collection: memory.Memories, After: all[7].ID, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range records {
			ids = append(ids, r.ID)
		}
		return ids
	}
	for what, work := range map[string]func(*postgres.Ledger){
		"a page": func(l *postgres.Ledger) { page(l) },
		"a page in step": func(l *postgres.Ledger) {
			err := l.SyncIndex(t.Context(), page(l), func(context.Context, []memory.IndexChange) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		before := rowsRead(t, conn)
		// So small a table is read faster from end to end; without sequential scans it
		// stands for a large table.
		one := openAt(t, url+"&enable_seqscan=off&application_name=reads-a-page", day0)
		work(one)
		one.Close()
		closed("reads-a-page")
		if n := rowsRead(t, conn) - before; n > 1000 {
			t.Errorf("%s of 100 memories read %d rows", what, n)
		}
	}
}

// rowsRead is how many memories all closed connections and this one have read. A connection tells
// what it read once a second, unless it is asked to.
func rowsRead(t *testing.T, conn *pgx.Conn) (n int) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), `select pg_stat_force_next_flush()`); err != nil {
		t.Fatal(err)
	}
	err := conn.QueryRow(t.Context(), `select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables
where relid = 'memories'::regclass`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
