package qdrant_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	server "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/keyword"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// BenchmarkSearch searches 10,000 memories of 256 numbers in seven
// collections of the embedded server, of which two hold something, and ranks
// what it finds. Some have neighbours in a session.
func BenchmarkSearch(b *testing.B) {
	s, err := server.Start(b.Context(), server.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Stop() }()
	x, err := qdrant.Open(qdrant.Options{Address: s.Addr(), Document: keyword.Vector, Query: keyword.Query, Ledger: first})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	if err := x.EnsureCollections(b.Context(), 256); err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	vector := func() memory.Vector {
		v := make(memory.Vector, 256)
		for i := range v {
			v[i] = float32(random.NormFloat64())
		}
		return v
	}
	var records []memory.Record
	for i := range 10_000 {
		records = append(records, rec(fmt.Sprintf("The service %d retries with policy %d after %d seconds.", i%97, i, i%13), vector(), func(r *memory.Record) {
			if i%5 == 0 {
				r.Collection, r.Type = memory.Learnings, memory.TypeLearning
			}
			if i%4 == 0 {
				r.Session, r.Position = fmt.Sprint("session-", i/200), i%200/4+1
			}
		}))
	}
	if err := x.Upsert(b.Context(), records); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		search := memory.Search{Text: "which policy for service 12", Vector: vector(), Limit: 5, Projects: []string{"p", memory.Global}, Now: start()}
		found, err := x.Search(b.Context(), search)
		if err != nil {
			b.Fatal(err)
		}
		memory.Rank(memory.Query{Text: search.Text, Limit: 5}, memory.CalibrationFor("mneme-static"), found, start())
	}
}
