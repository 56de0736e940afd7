package memory_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// life is a memory in a simulated year, and what becomes of it in use.
type life struct {
	memory.Standing

	used    float64 // the chance that a week's work uses it
	shown   float64 // the chance that a week's recall returns it as a strong answer
	ignored int     // how often it was shown and not used since the last run
}

// lives are memories of each kind of use, some of the importance 1 and some pinned.
func lives(random *rand.Rand, start time.Time) []life {
	var out []life
	for i := range 400 {
		l := life{Standing: memory.Standing{Memory: memory.Memory{
			State: memory.Live, ArrivedAt: start, LastAccessed: start, Confidence: memory.StartConfidence, Importance: .2 + .6*random.Float64(),
		}}}
		switch i % 4 {
		case 0: // used about every month
			l.used, l.shown = .25, .3
		case 1: // shown now and then, and never used
			l.shown = .05
		case 2:
			l.Importance = 1
		case 3: // nobody asks for it
			l.Pinned = i%8 == 3
		}
		out = append(out, l)
	}
	return out
}

// TestYear plays a year of weekly runs with a person who uses some memories, is shown others and ignores
// them, and never asks for the rest. The used ones, those of the importance 1 and the pinned ones are there at the end;
// memories without any recall are gone; confidence stays between 0 and 1.
func TestYear(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a simulation
	now := time.Date(2026, 1, 5, 4, 0, 0, 0, time.UTC)
	all := lives(random, now)
	for range 52 {
		for i := range all {
			l := &all[i]
			if l.State != memory.Live {
				continue
			}
			if random.Float64() < l.shown {
				l.LastAccessed, l.Confidence = now.Add(3*aDay), memory.Gain(l.Confidence, memory.RecallGain)
				l.ignored++
			}
			if random.Float64() < l.used {
				l.LastAccessed, l.Confidence, l.ignored = now.Add(4*aDay), memory.Credit(l.Confidence, true), 0
			}
		}
		now = now.Add(7 * aDay)
		for i := range all {
			l := &all[i]
			if l.State == memory.Live {
				l.Standing, l.ignored = week(l.Standing, now, l.ignored), 0
			}
			if l.Confidence < 0 || l.Confidence > 1 {
				t.Fatalf("a confidence of %v", l.Confidence)
			}
		}
	}
	for i, l := range all {
		kept := l.used > 0 || l.Importance == 1 || l.Pinned
		if gone := l.State == memory.Pruned; kept && gone || i%4 == 3 && !kept && !gone {
			t.Errorf("after a year memory %d is %s: used %v, importance %.1f, pinned %v, confidence %.2f", i, l.State, l.used, l.Importance, l.Pinned, l.Confidence)
		}
	}
}

// TestUsedOutlivesShown compares a used memory with a memory that was only returned, equally often: the used
// memory has the greater confidence.
func TestUsedOutlivesShown(t *testing.T) {
	t.Parallel()
	shown, used := memory.StartConfidence, memory.StartConfidence
	for range 20 {
		shown, used = memory.Gain(shown, memory.RecallGain), memory.Credit(used, true)
		if used <= shown || used > 1 {
			t.Fatalf("used %v, shown %v", used, shown)
		}
	}
}

// TestImportanceOneIsNeverPruned takes a memory that would be pruned but for its importance.
func TestImportanceOneIsNeverPruned(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)
	long, announced := now.Add(-500*aDay), now.Add(-20*aDay)
	s := memory.Standing{Memory: memory.Memory{State: memory.Live, ArrivedAt: long, LastAccessed: long, AnnouncedAt: &announced, Importance: .99}}
	if !s.Prunable(now) || !s.NearlyPruned(now) {
		t.Fatal("the importance .99 is not pruned: the test shows nothing")
	}
	if s.Importance = 1; s.Prunable(now) || s.NearlyPruned(now) {
		t.Error("the importance 1 is pruned")
	}
}
