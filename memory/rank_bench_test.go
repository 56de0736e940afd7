package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// BenchmarkRank ranks as many candidates as two full collections give.
func BenchmarkRank(b *testing.B) {
	q := memory.Query{Text: "what did we decide about the gateway and the retry of payments?", Limit: 5, MinScore: barOf(0)}
	cal := memory.CalibrationFor("mneme-static")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	candidates := make([]memory.Candidate, 140)
	for i := range candidates {
		candidates[i] = memory.Candidate{
			Memory: memory.Memory{
				ID: memory.NewID("p", "c", fmt.Sprint(i)), CreatedAt: now, LastAccessed: now, Confidence: 0.5, Importance: 0.5,
				Text: fmt.Sprintf("After the migration the gateway must be restarted with retries set to %d, or Payments loses its queue.", i),
			},
			Cosine: 0.5, HasCosine: true, Keyword: float64(i % 20),
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if got := memory.Rank(q, cal, candidates, now); len(got.Hits) != 5 {
			b.Fatal(len(got.Hits))
		}
	}
}
