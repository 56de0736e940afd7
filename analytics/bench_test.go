package analytics_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/memory"
)

// BenchmarkSnapshot copies 1,000,000 audit rows and 10,000 memories.
func BenchmarkSnapshot(b *testing.B) {
	ledger, conn := newLedger(b)
	generate(b, conn, 200_000, 10_000)
	for b.Loop() {
		s := &analytics.Snapshots{Dir: filepath.Join(b.TempDir(), "analytics"), Source: ledger}
		r, err := s.Snapshot(b.Context(), memory.SnapshotInput{}, func(r memory.SnapshotReport) { b.Logf("%d rows", r.NewRows) })
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("%+v", r)
		at := time.Now()
		r, err = s.Snapshot(b.Context(), memory.SnapshotInput{Parquet: true}, nil)
		b.Logf("%v %+v %v", time.Since(at), r, err)
	}
}
