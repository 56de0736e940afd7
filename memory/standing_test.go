package memory_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

const aDay = 24 * time.Hour

// week plays an organize run for one memory without duplicates.
func week(s memory.Standing, now time.Time, ignored int) memory.Standing {
	if s.Fades(now) {
		s.Confidence, s.DecayedAt = s.Faded(now, ignored), &now
	}
	if s.Prunable(now) {
		s.State = memory.Pruned
	}
	if s.ToAnnounce(now) {
		s.AnnouncedAt = &now
	}
	return s
}

// TestNothingIsPrunedBySurprise has memories of any age and confidence live
// through runs at any times. None goes that was not in use for 90 days, by the
// ledger's own time, and was not announced six days before.
func TestNothingIsPrunedBySurprise(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		days := func(name string, most int) time.Duration {
			return time.Duration(rapid.IntRange(0, most).Draw(t, name)) * aDay
		}
		s := memory.Standing{Memory: memory.Memory{
			State: memory.Live, ArrivedAt: start, CreatedAt: start.Add(-days("said", 4000)), Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"),
		}}
		s.LastAccessed = s.CreatedAt
		lastUse, now := start, start
		var announced []time.Time
		for range rapid.IntRange(1, 60).Draw(t, "runs") {
			now = now.Add(days("pause", 20) + time.Duration(rapid.IntRange(0, 3600).Draw(t, "seconds"))*time.Second)
			if rapid.IntRange(0, 12).Draw(t, "used") == 0 {
				s.LastAccessed, lastUse = now, now
				s.Confidence = memory.Gain(s.Confidence, memory.RecallGain)
				announced = nil
			}
			before := s.AnnouncedAt
			s = week(s, now, rapid.IntRange(0, 3).Draw(t, "ignored"))
			if s.AnnouncedAt != nil && (before == nil || !before.Equal(*s.AnnouncedAt)) {
				announced = append(announced, now)
			}
			if s.State != memory.Pruned {
				continue
			}
			if unused := now.Sub(lastUse); unused < 90*aDay {
				t.Fatalf("pruned after %v without use", unused)
			}
			if len(announced) != 1 || now.Sub(announced[0]) < 6*aDay {
				t.Fatalf("pruned at %v, announced at %v", now, announced)
			}
			return
		}
	})
}

// TestWeeklyRunsPruneInTheEnd has a memory that nobody uses be announced by one
// weekly run, or two, before the one that prunes it.
func TestWeeklyRunsPruneInTheEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)
		s := memory.Standing{Memory: memory.Memory{State: memory.Live, ArrivedAt: now, LastAccessed: now, Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence")}}
		arrived := now
		for range 60 {
			now = now.Add(7*aDay + time.Duration(rapid.IntRange(-600, 600).Draw(t, "late"))*time.Second)
			s = week(s, now, 0)
			if s.State == memory.Pruned {
				notice := now.Sub(*s.AnnouncedAt)
				if notice < 6*aDay || notice > 22*aDay {
					t.Fatalf("pruned %v after it was announced", notice)
				}
				return
			}
		}
		t.Fatalf("after %v it is still there: %+v", now.Sub(arrived), s)
	})
}

// TestHoldsPrune pins a tenth, and a handful.
func TestHoldsPrune(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, live int
		want    bool
	}{{0, 0, false}, {10, 10, false}, {11, 11, true}, {11, 110, false}, {11, 109, true}, {100, 1000, false}, {101, 1000, true}} {
		if got := memory.HoldsPrune(c.n, c.live); got != c.want {
			t.Errorf("%d of %d: %v, want %v", c.n, c.live, got, c.want)
		}
	}
}

func TestHeldText(t *testing.T) {
	t.Parallel()
	one := memory.HeldPrune{Project: "it's\nmine", Memories: 40, Live: 120}
	two := memory.HeldPrune{Project: "example.org/me/shop", Memories: 11, Live: 12}
	for want, held := range map[string][]memory.HeldPrune{
		"": nil,
		`tidying up would prune 40 of the 120 memories of it's mine and waits for a yes; look at them with "mneme review --project 'it'\''s mine'"; "mneme organize --yes --project 'it'\''s mine'" prunes them`:                    {one},
		`tidying up would prune 11 of the 12 memories of example.org/me/shop and waits for a yes; look at them with "mneme review --project example.org/me/shop"; "mneme organize --yes --project example.org/me/shop" prunes them`: {two},
		`tidying up would prune 51 of the 132 memories of 2 projects and waits for a yes; look at them with "mneme review --all-projects"; "mneme organize --yes" prunes them`:                                                      {one, two},
	} {
		text, hint := memory.HeldText(held)
		if got := fmt.Sprint(text, map[bool]string{true: "; "}[hint != ""], hint); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestRehearsalSeesTheStepsBefore has a decay decide what is pruned, a merge what
// decays, and a promotion save what would have been pruned.
func TestRehearsalSeesTheStepsBefore(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)
	long, ago := now.Add(-200*aDay), now.Add(-7*aDay)
	at := func(id, collection, text string, confidence float64) memory.Standing {
		return memory.Standing{Memory: memory.Memory{
			ID: id, Collection: collection, Project: "p", Type: memory.TypeFact, ContentHash: memory.ContentHash(text), State: memory.Live,
			Confidence: confidence, CreatedAt: long, LastAccessed: long, ArrivedAt: long, AnnouncedAt: &ago,
		}}
	}
	record := func(s memory.Standing, text string) memory.Record {
		r := memory.Record{Memory: s.Memory, Vector: memory.Vector{1}}
		r.Text = text
		return r
	}
	fades, a, b := at("1", memory.Memories, "Fades.", 0.9), at("2", memory.Memories, "Use tabs.", 0.2), at("3", memory.Memories, "Use tabs", 0.2)
	earned := at("4", memory.ShortTerm, "Fades.", 0.3)
	earned.AccessCount, earned.LastAccessed = memory.PromoteAfter, now
	r := memory.NewRehearsal(now, []memory.Standing{fades, a, b, earned})
	none := func(map[string]time.Time) (map[string]int, error) { return nil, nil }
	g := r.Merge(memory.Memories, []memory.Record{record(a, "Use tabs."), record(b, "Use tabs")})
	if g.SurvivorID != "2" || len(g.MergedIDs) != 1 {
		t.Errorf("merged %+v", g)
	}
	if n, _ := r.Decay(memory.Memories, none); n != 2 {
		t.Errorf("%d fade, want what is left of two and the other", n)
	}
	members := func([]string) (map[string]memory.Record, error) {
		return map[string]memory.Record{"1": record(fades, "Fades."), "4": record(earned, "Fades.")}, nil
	}
	if n, _ := r.Promote(memory.ShortTerm, members); n != 1 {
		t.Errorf("%d promoted", n)
	}
	// 0.9 has faded below the bar, but its twin came back to it just now.
	if pruned := r.Prune("", r.Hold()); fmt.Sprint(pruned) != "[2]" {
		t.Errorf("pruned %v", pruned)
	}
}
