package qdrant

import (
	"math/rand/v2"
	"slices"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
)

// TestDenseSearchAgreesWithScan searches a table that is large enough to be
// shared, with filters that let through all, most, some and few.
func TestDenseSearchAgreesWithScan(t *testing.T) {
	t.Parallel()
	const rows, dim, limit = 70_000, 64, 25
	random := rand.New(rand.NewPCG(1, 2))
	table := newDenseTable(dim, pb.Distance_Dot)
	ids := make([]pointID, rows)
	v := make([]float32, dim)
	for row := range uint32(rows) {
		for i := range v {
			v[i] = float32(random.NormFloat64())
		}
		ids[row] = numberID(uint64(row))
		table.put(row, v)
	}
	for row := uint32(0); row < rows; row += 1000 {
		table.remove(row)
	}
	if len(table.chunks) < scanners || rows*dim < parallelFloats {
		t.Fatal("the table is too small to be shared")
	}
	for name, share := range map[string]float64{"most": .99, "some": .3, "few": .01, "none": 0, "all": 2} {
		var allowed bitset
		if share <= 1 {
			allowed = newBitset(rows)
			for row := range uint32(rows) {
				if random.Float64() < share {
					allowed.add(row)
				}
			}
		}
		got, want := newRanking(limit, nil, ids), newRanking(limit, nil, ids)
		table.search(v, allowed, got)
		for row := range uint32(rows) {
			if table.present.has(row) && (allowed == nil || allowed.has(row)) {
				want.offer(row, score(table.distance, v, table.row(row)))
			}
		}
		if !slices.Equal(got.sorted(), want.sorted()) {
			t.Errorf("%s: got %v, want %v", name, got.hits, want.hits)
		}
	}
}

// TestEuclidIsExact measures distances that are whole numbers: a threshold may be one.
func TestEuclidIsExact(t *testing.T) {
	t.Parallel()
	for dim := 2; dim < 70; dim++ {
		a, b := make([]float32, dim), make([]float32, dim)
		b[0] = 1
		if got := euclid(a, b); got != 1 {
			t.Errorf("of %d numbers: %v, want 1", dim, got)
		}
		b[0], b[dim-1] = 3, 4
		if got := euclid(a, b); got != 5 {
			t.Errorf("of %d numbers: %v, want 5", dim, got)
		}
	}
}
