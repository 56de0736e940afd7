package postgres_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/keyword"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

var server string // URL of the cluster of this test run

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	url, stop, err := testkit.StartPostgres(context.Background()) // the top: nothing is above a TestMain
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server = url
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// day0 is when the tests' memories begin.
var day0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const model = "nomic-embed-text" // its calibration is the identity

func open(t testing.TB, now time.Time) *postgres.Ledger {
	t.Helper()
	return openAt(t, testkit.Schema(t, server), now)
}

func openAt(t testing.TB, url string, now time.Time) *postgres.Ledger {
	t.Helper()
	l, err := postgres.Open(t.Context(), postgres.Options{URL: url, Now: func() time.Time { return now }, Document: keyword.Vector, Query: keyword.Query})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	if err := l.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

func step(action, name string) memory.Op {
	return memory.Op{WorkflowID: "test", RunID: "run", Step: name, User: "me", Action: action}
}

// rec is a new fact in a collection, with a vector.
func rec(collection, text string, v ...float32) memory.Record {
	half := 0.5
	in := memory.StoreInput{Text: text, Type: memory.TypeFact, Tags: []string{}, Project: "p", Collection: collection, Importance: &half, Source: memory.SourceTool}
	if len(v) == 0 {
		v = []float32{1, 0, 0, 0}
	}
	return memory.Record{Memory: in.Memory(day0, model), Vector: v}
}

func nothingNear(context.Context, []string) ([]memory.Match, error) { return nil, nil }

func store(t testing.TB, l *postgres.Ledger, r memory.Record) memory.StoreResult {
	t.Helper()
	res, err := l.Store(t.Context(), step(memory.ActionStore, "store/"+r.ID+"/"+r.Source), r, nil, nothingNear)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func get(t testing.TB, l *postgres.Ledger, id string) memory.Details {
	t.Helper()
	ds, err := l.Get(t.Context(), []string{id})
	if err != nil || len(ds) != 1 {
		t.Fatalf("get %s: %d found, %v", id, len(ds), err)
	}
	return ds[0]
}

func history(t testing.TB, l *postgres.Ledger, id string) memory.History {
	t.Helper()
	h, err := l.History(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// sync brings everything in step and returns what the index was told.
func sync(t testing.TB, l *postgres.Ledger) []memory.IndexChange {
	t.Helper()
	ids, err := l.Unindexed(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var told []memory.IndexChange
	err = l.SyncIndex(t.Context(), ids, func(_ context.Context, changes []memory.IndexChange) error {
		told = append(told, changes...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return told
}
