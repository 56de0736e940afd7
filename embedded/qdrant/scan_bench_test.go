package qdrant

import (
	"testing"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"github.com/viterin/vek/vek32"
)

// BenchmarkScan100k768 is the scan alone, on one core and on two.
func BenchmarkScan100k768(b *testing.B) {
	const n, dim = 100_000, 768
	table := newDenseTable(dim, pb.Distance_Dot)
	ids := make([]pointID, n)
	v := make([]float32, dim)
	for row := range uint32(n) {
		ids[row] = numberID(uint64(row))
		v[row%dim] = float32(row % 97)
		table.put(row, v)
	}
	for _, shared := range []bool{false, true} {
		name := map[bool]string{false: "one", true: "two"}[shared]
		b.Run(name, func(b *testing.B) {
			var pass, scan time.Duration
			var sum float32
			for b.Loop() {
				at := time.Now()
				for _, chunk := range table.chunks {
					sum += vek32.Sum(chunk)
				}
				pass += time.Since(at)
				at = time.Now()
				best := newRanking(20, nil, ids)
				if shared {
					table.searchShared(v, nil, best)
				} else {
					for i := range table.chunks {
						table.searchChunk(v, i, nil, best)
					}
				}
				scan += time.Since(at)
			}
			if sum == 0 {
				b.Fatal("nothing was summed")
			}
			b.ReportMetric(float64(scan)/float64(pass), "x-memory-pass")
			b.ReportMetric(scan.Seconds()*1000/float64(b.N), "ms/scan")
		})
	}
}
