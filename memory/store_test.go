package memory_test

import (
	"testing"

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
