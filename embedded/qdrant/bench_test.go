package qdrant_test

import (
	"math/rand/v2"
	"testing"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"github.com/viterin/vek/vek32"

	"github.com/mneme-memory/mneme/embedded/qdrant"
)

func fill(b *testing.B, client *pb.Client, n, dim int) {
	b.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	for first := 0; first < n; first += 500 {
		points := make([]*pb.PointStruct, 0, 500)
		for id := first; id < min(n, first+500); id++ {
			points = append(points, thing(id, randomVector(rng, dim)))
		}
		if err := upsert(b.Context(), client, points...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkQuery100k768 is a whole query over gRPC beside one pass over as
// much memory on one core.
func BenchmarkQuery100k768(b *testing.B) {
	const n, dim = 100_000, 768
	client := dial(b, start(b, qdrant.Options{Dir: b.TempDir()}).Addr())
	create(b, client, dim)
	fill(b, client, n, dim)
	query := randomVector(rand.New(rand.NewPCG(5, 6)), dim)
	table := make([]float32, n*dim)
	for i := range table {
		table[i] = float32(i)
	}
	var pass, asked time.Duration
	var sum float32
	for b.Loop() {
		at := time.Now()
		sum += vek32.Sum(table)
		pass += time.Since(at)
		at = time.Now()
		hits, err := client.Query(b.Context(), &pb.QueryPoints{CollectionName: things, Query: pb.NewQueryDense(query), Limit: pb.PtrOf(uint64(20))})
		if err != nil || len(hits) != 20 {
			b.Fatal(err, len(hits))
		}
		asked += time.Since(at)
	}
	if sum == 0 {
		b.Fatal("nothing was summed")
	}
	b.ReportMetric(float64(asked)/float64(pass), "x-memory-pass")
	b.ReportMetric(asked.Seconds()*1000/float64(b.N), "ms/query")
}

// BenchmarkUpsertDurable writes one point at a time and waits for the disk.
func BenchmarkUpsertDurable(b *testing.B) {
	client := dial(b, start(b, qdrant.Options{Dir: b.TempDir()}).Addr())
	create(b, client, 768)
	v := randomVector(rand.New(rand.NewPCG(7, 8)), 768)
	id := 0
	for b.Loop() {
		id++
		if err := upsert(b.Context(), client, thing(id, v)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBulkUpsert writes 500 points of 256 dimensions at a time.
func BenchmarkBulkUpsert(b *testing.B) {
	client := dial(b, start(b, qdrant.Options{Dir: b.TempDir()}).Addr())
	create(b, client, 256)
	v := randomVector(rand.New(rand.NewPCG(9, 10)), 256)
	id := 0
	for b.Loop() {
		points := make([]*pb.PointStruct, 500)
		for i := range points {
			id++
			points[i] = thing(id, v)
		}
		if err := upsert(b.Context(), client, points...); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(500*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}
