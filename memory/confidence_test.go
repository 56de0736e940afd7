package memory_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

func TestCreditProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(0, 1).Draw(t, "confidence")
		up, down := memory.Credit(c, true), memory.Credit(c, false)
		if up < c || up > 1 || down > c || down < 0 {
			t.Fatalf("from %v: helped gives %v, not helped %v", c, up, down)
		}
		if c < 1 && up == c && 1-c > 1e-12 || c > 1e-300 && down == c {
			t.Fatalf("%v does not move: helped %v, not helped %v", c, up, down)
		}
		// Each step in one direction is smaller than the one before it.
		if next := memory.Credit(up, true); next-up > up-c+1e-15 {
			t.Fatalf("from %v up by %v, then by %v", c, up-c, next-up)
		}
		if next := memory.Credit(down, false); down-next > c-down+1e-15 {
			t.Fatalf("from %v down by %v, then by %v", c, c-down, down-next)
		}
		// What is trusted more stays trusted more.
		other := rapid.Float64Range(0, 1).Draw(t, "other")
		for _, helped := range []bool{true, false} {
			if c < other && memory.Credit(c, helped) > memory.Credit(other, helped) {
				t.Fatalf("%v and %v change places (helped: %v)", c, other, helped)
			}
		}
	})
}

func TestCreditSequencesStayInBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64().Draw(t, "confidence") // whatever a row may hold
		if math.IsNaN(c) {
			c = 0
		}
		for i, helped := range rapid.SliceOfN(rapid.Bool(), 1, 200).Draw(t, "helped") {
			if c = memory.Credit(c, helped); !(c >= 0 && c <= 1) {
				t.Fatalf("step %d: %v", i, c)
			}
		}
	})
}

// TestCreditMeans pins what the rules mean for a memory that starts in the middle.
func TestCreditMeans(t *testing.T) {
	t.Parallel()
	if memory.Credit(memory.StartConfidence, true)-memory.StartConfidence <= memory.Gain(memory.StartConfidence, memory.RecallGain)-memory.StartConfidence {
		t.Error("having helped counts no more than having been recalled")
	}
	c, steps := memory.StartConfidence, 0
	for ; c >= memory.PruneBelow; steps++ {
		c = memory.Credit(c, false)
	}
	if steps < 3 {
		t.Errorf("a memory can be pruned after %d failures: that may be chance", steps)
	}
}

func TestShownOnceADay(t *testing.T) {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		about string
		last  time.Time
		gains bool
	}{
		{"yesterday", noon.AddDate(0, 0, -1), true},
		{"the last moment of yesterday", time.Date(2026, 3, 3, 23, 59, 59, 0, time.UTC), true},
		{"the first moment of today", time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), false},
		{"an hour ago", noon.Add(-time.Hour), false},
		{"the same day by UTC, another where it was told", time.Date(2026, 3, 3, 23, 0, 0, 0, time.FixedZone("", -7*3600)), false},
		{"tomorrow, by a clock that went backwards", noon.AddDate(0, 0, 1), false},
	} {
		want := 0.5
		if c.gains {
			want = memory.Gain(0.5, memory.RecallGain)
		}
		if got := memory.Shown(0.5, c.last, noon); got != want {
			t.Errorf("%s: confidence %v, want %v", c.about, got, want)
		}
	}
}
