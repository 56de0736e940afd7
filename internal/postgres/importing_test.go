package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

func scopeOf(collection string) memory.Scope { return memory.Scope{Collection: collection} }

func TestImport(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	there, gone := rec(memory.Memories, "There."), rec(memory.Memories, "Gone.", 0, 1, 0, 0)
	store(t, l, there)
	store(t, l, gone)
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{gone.ID}, false); err != nil {
		t.Fatal(err)
	}
	fresh := rec(memory.Memories, "Fresh.")
	fresh.Session = "s"
	placed := rec(memory.Memories, "Placed.")
	placed.Session, placed.Position = "s", 7
	last := rec(memory.Memories, "Last.")
	last.Session = "s"
	batch := []memory.Record{there, gone, fresh, fresh, placed, last}
	for range 2 { // the second try changes nothing and says the same
		done, err := l.Import(t.Context(), step(memory.ActionImport, "batch/0"), batch, nil)
		if err != nil || len(done.Stored) != 4 || len(done.Existing) != 2 {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	if d := get(t, l, gone.ID); d.State != memory.Live || d.Text != gone.Text {
		t.Errorf("revived: %+v", d)
	}
	if p := []int{get(t, l, fresh.ID).Position, get(t, l, placed.ID).Position, get(t, l, last.ID).Position}; p[0] != 8 || p[1] != 7 || p[2] != 9 {
		t.Errorf("positions %v", p)
	}
	h := history(t, l, fresh.ID)
	if len(h.Versions) != 1 || len(h.Audit) != 1 || h.Audit[0].Step != "batch/0/"+fresh.ID {
		t.Errorf("history %+v", h)
	}
	if get(t, l, there.ID).Confidence != 0.5 {
		t.Error("an import must not confirm")
	}
}

func TestImportAnotherRunFindsAllExisting(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	batch := numbered(50, 8)
	for i, want := range []int{50, 0} {
		done, err := l.Import(t.Context(), step(memory.ActionImport, fmt.Sprint("run", i)), batch, nil)
		if err != nil || len(done.Stored) != want || len(done.Existing) != 50-want {
			t.Errorf("run %d: %d stored, %d existing, %v", i, len(done.Stored), len(done.Existing), err)
		}
	}
}

// TestImportTellsThePlanner: what is asked after an import must not wait until
// PostgreSQL has noticed by itself that the table has grown.
func TestImportTellsThePlanner(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, day0)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	all := numbered(1100, 4)
	for first := 0; first < len(all); first += memory.MaxImportBatch {
		part := all[first:min(len(all), first+memory.MaxImportBatch)]
		if _, err := l.Import(t.Context(), step(memory.ActionImport, fmt.Sprint("from ", first)), part, nil); err != nil {
			t.Fatal(err)
		}
	}
	var known float32
	if err := conn.QueryRow(t.Context(), `select reltuples from pg_class where oid = 'memories'::regclass`).Scan(&known); err != nil {
		t.Fatal(err)
	}
	if known < 1000 {
		t.Errorf("the planner knows of %v memories, 1000 are there", known)
	}
}

func numbered(n, dimension int) []memory.Record {
	recs := make([]memory.Record, n)
	for i := range recs {
		v := make([]float32, dimension)
		v[i%dimension] = 1
		v[0] += float32(i) / 100
		recs[i] = rec(memory.Memories, fmt.Sprintf("Memory number %d says something of ordinary length, as memories do.", i), v...)
	}
	return recs
}

func BenchmarkImport(b *testing.B) {
	l := open(b, day0)
	all := numbered(b.N*memory.MaxImportBatch, 256)
	b.ResetTimer()
	for i := range b.N {
		part := all[i*memory.MaxImportBatch : (i+1)*memory.MaxImportBatch]
		done, err := l.Import(b.Context(), step(memory.ActionImport, fmt.Sprint("b", i)), part, nil)
		if err != nil || len(done.Stored) != len(part) {
			b.Fatal(len(done.Stored), err)
		}
	}
	b.ReportMetric(float64(b.N*memory.MaxImportBatch)/b.Elapsed().Seconds(), "memories/s")
}

func BenchmarkStore(b *testing.B) {
	l := open(b, day0)
	all := numbered(b.N, 256)
	b.ResetTimer()
	for i, r := range all {
		if _, err := l.Store(b.Context(), step(memory.ActionStore, fmt.Sprint("b", i)), r, nil, nothingNear); err != nil {
			b.Fatal(err)
		}
		if i%10 == 9 {
			b.StopTimer()
			sync(b, l)
			b.StartTimer()
		}
	}
}
