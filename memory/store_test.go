package memory

import "testing"

func TestAdds(t *testing.T) {
	t.Parallel()
	weight := func(v float64) *float64 { return &v }
	link := LinkRequest{TargetID: NewID("p", Memories, "x"), Type: "clarifies"}
	first := StoreInput{Text: "t", Tags: []string{"a", "b"}, Importance: weight(0.5), Session: "one"}
	for name, c := range map[string]struct {
		more StoreInput
		want bool
	}{
		"the same":           {first, false},
		"nothing":            {StoreInput{}, false},
		"another session":    {StoreInput{Session: "two", Source: "cli", Request: "r"}, false},
		"fewer tags":         {StoreInput{Tags: []string{"b"}}, false},
		"a new tag":          {StoreInput{Tags: []string{"b", "c"}}, true},
		"a pin":              {StoreInput{Pinned: true}, true},
		"a link":             {StoreInput{Links: []LinkRequest{link}}, true},
		"less important":     {StoreInput{Importance: weight(0.1)}, false},
		"as important":       {StoreInput{Importance: weight(0.5)}, false},
		"more important":     {StoreInput{Importance: weight(0.6)}, true},
		"importance unknown": {StoreInput{Importance: nil}, false},
	} {
		if got := c.more.Adds(first); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
