package postgres_test

import (
	"context"
	"errors"
	"net"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

func TestDownAtStart(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	l, err := postgres.Open(t.Context(), postgres.Options{URL: "postgres://me:hunter2@" + address + "/mem"})
	if err != nil {
		t.Fatalf("open must not need the server: %v", err)
	}
	defer l.Close()
	_, stats := l.Stats(t.Context())
	_, stored := l.Store(t.Context(), step(memory.ActionStore, "s"), rec(memory.Memories, "x"), nil, nothingNear)
	for what, err := range map[string]error{"stats": stats, "store": stored, "migrate": l.Migrate(t.Context()), "ping": l.Ping(t.Context())} {
		if memory.CodeOf(err) != memory.Unavailable || memory.PartOf(err) != "PostgreSQL" || memory.HintOf(err) == "" {
			t.Errorf("%s: %v (%s, %q)", what, err, memory.CodeOf(err), memory.PartOf(err))
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s tells the password: %v", what, err)
		}
	}
}

func TestOpenRefusesBadURL(t *testing.T) {
	t.Parallel()
	_, err := postgres.Open(t.Context(), postgres.Options{URL: "postgres://me:hunter2@host:notaport/x"})
	if memory.CodeOf(err) != memory.Invalid || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

func TestBrokenConnectionsAreReplaced(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url+"&application_name=broken-connections", day0)
	r := rec(memory.Memories, "Survives.")
	store(t, l, r)
	tag, err := connect(t, url).Exec(t.Context(), `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'broken-connections'`)
	if err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%v ended, %v", tag, err)
	}
	r.Source = memory.SourceCLI
	if res := store(t, l, r); res.Status != memory.MergedIn {
		t.Errorf("%+v", res)
	}
}

func TestErrorsOfCallbacksAreNotPostgres(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	down := memory.Down("Qdrant", "start it", errors.New("no answer"))
	_, err := l.Store(t.Context(), step(memory.ActionStore, "s"), rec(memory.Memories, "x"), nil,
		func(context.Context, []string) ([]memory.Match, error) { return nil, down })
	if memory.PartOf(err) != "Qdrant" {
		t.Errorf("%v", err)
	}
	store(t, l, rec(memory.Memories, "y"))
	ids, err := l.Unindexed(t.Context(), 10)
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	err = l.SyncIndex(t.Context(), ids, func(context.Context, []memory.IndexChange) error { return down })
	if memory.PartOf(err) != "Qdrant" {
		t.Errorf("%v", err)
	}
	if left := sync(t, l); len(left) != 1 {
		t.Errorf("what failed must stay to do: %v", left)
	}
}

func TestMigrateTwiceAtOnce(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	errs := make([]error, 4)
	var wg gosync.WaitGroup
	for i := range errs {
		l, err := postgres.Open(t.Context(), postgres.Options{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		wg.Go(func() { errs[i] = l.Migrate(t.Context()) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestNotMigratedIsRefused(t *testing.T) {
	t.Parallel()
	l, err := postgres.Open(t.Context(), postgres.Options{URL: testkit.Schema(t, server)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Stats(t.Context()); memory.CodeOf(err) != memory.Refused || memory.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	for range 2 {
		if err := l.UseModel(t.Context(), "a", 4); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{l.UseModel(t.Context(), "b", 4), l.UseModel(t.Context(), "a", 5)} {
		if memory.CodeOf(err) != memory.Refused || !strings.Contains(memory.HintOf(err), "mneme rebuild") {
			t.Errorf("%v", err)
		}
	}
	r := rec(memory.Memories, "x")
	store(t, l, r)
	if err := l.ReplaceModel(t.Context(), step(memory.ActionRebuild, "model"), "b", 2); err != nil {
		t.Fatal(err)
	}
	r.Model, r.Vector = "b", memory.Vector{1, 0}
	if err := l.Reembedded(t.Context(), step(memory.ActionRebuild, "r"), []memory.Record{r}); err != nil {
		t.Fatal(err)
	}
	recs, err := l.Records(t.Context(), memory.Page{})
	if err != nil || len(recs) != 1 || recs[0].Model != "b" || len(recs[0].Vector) != 2 {
		t.Errorf("%+v, %v", recs, err)
	}
	if s, err := l.Stats(t.Context()); err != nil || s.Model != "b" || s.Dimension != 2 || s.Projects != 1 || s.Unindexed != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestNoteOnce(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, time.Now())
	for range 2 {
		if err := l.Note(t.Context(), step(memory.ActionOrganize, "n"), "p", "", map[string]any{"count": 1}); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	if err := connect(t, url).QueryRow(t.Context(), `select count(*) from memory_audit`).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
	if err := l.Note(t.Context(), memory.Op{}, "", "", nil); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("an op without a name: %v", err)
	}
}
