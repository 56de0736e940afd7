package memory_test

import (
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

func TestAdds(t *testing.T) {
	t.Parallel()
	weight := func(v float64) *float64 { return &v }
	link := memory.LinkRequest{TargetID: memory.NewID("p", memory.Memories, "x"), Type: "clarifies"}
	first := memory.StoreInput{Text: "t", Tags: []string{"a", "b"}, Importance: weight(0.5), Session: "one"}
	for name, c := range map[string]struct {
		more memory.StoreInput
		want bool
	}{
		"the same":           {first, false},
		"nothing":            {memory.StoreInput{}, false},
		"another session":    {memory.StoreInput{Session: "two", Source: "cli", Request: "r"}, false},
		"fewer tags":         {memory.StoreInput{Tags: []string{"b"}}, false},
		"a new tag":          {memory.StoreInput{Tags: []string{"b", "c"}}, true},
		"a pin":              {memory.StoreInput{Pinned: true}, true},
		"a link":             {memory.StoreInput{Links: []memory.LinkRequest{link}}, true},
		"less important":     {memory.StoreInput{Importance: weight(0.1)}, false},
		"as important":       {memory.StoreInput{Importance: weight(0.5)}, false},
		"more important":     {memory.StoreInput{Importance: weight(0.6)}, true},
		"importance unknown": {memory.StoreInput{Importance: nil}, false},
	} {
		if got := c.more.Adds(first); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What a session taught lives longer the more it matters; preferences and
// decisions never expire by themselves.
func TestShortTermLife(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	for _, c := range []struct {
		typ        string
		importance float64
		want       time.Duration // 0 for good
	}{
		{memory.TypeFact, 0.5, 14 * day},
		{memory.TypeFact, 0.1, 14 * day},
		{memory.TypeError, 0.75, 28 * day},
		{memory.TypeLearning, 1, 42 * day},
		{memory.TypePreference, 0.5, 0},
		{memory.TypeDecision, 0.9, 0},
	} {
		in, err := memory.StoreInput{Text: "x", Type: c.typ, Collection: memory.ShortTerm, Importance: &c.importance}.Clean()
		if err != nil {
			t.Fatal(err)
		}
		m := in.Memory(now, "")
		switch {
		case c.want == 0 && m.ExpiresAt != nil, c.want > 0 && (m.ExpiresAt == nil || m.ExpiresAt.Sub(now) != c.want):
			t.Errorf("%s of importance %v ends at %v, want after %v", c.typ, c.importance, m.ExpiresAt, c.want)
		}
	}
}

func TestWithKind(t *testing.T) {
	t.Parallel()
	full := make([]string, memory.MaxTags)
	for _, c := range []struct {
		tags []string
		kind string
		want int
	}{
		{nil, memory.TypeError, 1}, {[]string{"ci"}, memory.TypeProcedure, 2}, {[]string{"Error"}, memory.TypeError, 1}, {[]string{"ci"}, memory.TypeFact, 1}, {full, memory.TypeError, memory.MaxTags},
	} {
		if got := memory.WithKind(c.tags, c.kind); len(got) != c.want {
			t.Errorf("%v as %s: %v", c.tags, c.kind, got)
		}
	}
}
