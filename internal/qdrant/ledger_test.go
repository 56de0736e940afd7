package qdrant_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// ledger is one that the index belongs to: a name, and a record of the memories
// stored in it.
type ledger struct {
	name  string
	wrote map[string]string // id to content hash
}

func (l *ledger) Identity(context.Context) (string, error) { return l.name, nil }

func (l *ledger) Wrote(_ context.Context, points map[string]string) (bool, error) {
	for id, hash := range points {
		if l.wrote[id] != hash {
			return false, nil
		}
	}
	return true, nil
}

// stored is a ledger with these memories.
func stored(name string, records ...memory.Record) *ledger {
	l := &ledger{name: name, wrote: map[string]string{}}
	for _, r := range records {
		l.wrote[r.ID] = r.ContentHash
	}
	return l
}

// The ledgers of the tests. Most know only the first.
var (
	first  = stored("11111111-1111-4111-8111-111111111111")
	second = stored("22222222-2222-4222-8222-222222222222")
)

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
