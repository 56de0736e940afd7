package memory_test

import (
	"math"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// TestExplain: the numbers add up to the order, and what was just below is named.
func TestExplain(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var found []memory.Candidate
	for i := range 8 {
		found = append(found, memory.Candidate{
			Memory: memory.Memory{
				ID: memory.NewID("p", memory.Memories, string(rune('a'+i))), Text: "The port is 8443, said in another way each time.", Project: "p",
				Collection: memory.Memories, Session: "s", Position: i + 1, Confidence: .5, Importance: .5, CreatedAt: now.AddDate(0, 0, -i),
			},
			Cosine: .9 - float64(i)/20, HasCosine: true, Keyword: float64(8 - i),
		})
	}
	q, err := memory.Query{Text: "which port is it?", Project: "p", Limit: 2, Explain: true}.Clean()
	if err != nil {
		t.Fatal(err)
	}
	got := memory.Rank(q, memory.CalibrationFor("mneme-static"), found, now)
	if len(got.Hits) != 2 || len(got.JustBelow) != memory.JustBelow {
		t.Fatalf("%d hits, %d just below", len(got.Hits), len(got.JustBelow))
	}
	last := math.Inf(1)
	for i, h := range append(got.Hits, got.JustBelow...) {
		w := h.Why
		if w == nil || w.Candidates != 8 || w.Cosine != .9-w.AgeDays/20 || w.Keyword != 8-w.AgeDays || w.Lent <= 0 || w.Prior <= 0 {
			t.Fatalf("%d is explained by %+v", i, w)
		}
		if sum := w.Evidence + w.Lent + w.Prior; sum > last {
			t.Errorf("%d has %v, the one before it %v", i, sum, last)
		} else {
			last = sum
		}
	}
	q.Explain = false
	if plain := memory.Rank(q, memory.CalibrationFor("mneme-static"), found, now); plain.Hits[0].Why != nil || plain.JustBelow != nil || plain.Hits[0].ID != got.Hits[0].ID {
		t.Errorf("unasked: %+v", plain)
	}
}
