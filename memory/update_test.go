package memory_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

const someID = "00112233-4455-8677-8899-aabbccddeeff"

func ptr[T any](v T) *T { return &v }

func TestUpdateInputClean(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]memory.UpdateInput{
		"no id":           {Text: ptr("x")},
		"nothing":         {ID: someID},
		"empty text":      {ID: someID, Text: ptr(" \n")},
		"long text":       {ID: someID, Text: ptr(strings.Repeat("x", memory.MaxTextBytes+1))},
		"unknown type":    {ID: someID, Type: ptr("opinion")},
		"not a number":    {ID: someID, Importance: ptr(math.NaN())},
		"above one":       {ID: someID, Importance: ptr(1.1)},
		"long tag":        {ID: someID, Tags: ptr([]string{strings.Repeat("x", memory.MaxTagBytes+1)})},
		"a line in names": {ID: someID, Pinned: ptr(true), User: "a\nb"},
	} {
		if _, err := in.Clean(); memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%s: %v, want invalid", name, err)
		}
	}
	in, err := memory.UpdateInput{ID: someID, Text: ptr(" Two  words. "), Tags: ptr([]string{"B", " a", "b"})}.Clean()
	if err != nil || *in.Text != "Two  words." || strings.Join(*in.Tags, " ") != "a b" {
		t.Errorf("cleaned to %q %v, %v", *in.Text, *in.Tags, err)
	}
}

// TestApplyKeepsTheRest edits any memory and compares what was not named.
func TestApplyKeepsTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before := anyRecord(t, "r").Memory
		in := memory.UpdateInput{ID: before.ID}
		if rapid.Bool().Draw(t, "text") {
			in.Text = ptr(rapid.StringMatching(`[a-z ]{1,20}`).Draw(t, "new text"))
		}
		if rapid.Bool().Draw(t, "pinned") {
			in.Pinned = ptr(!before.Pinned)
		}
		after := in.Apply(before)
		if after.ID != before.ID || after.Confidence != before.Confidence || !after.CreatedAt.Equal(before.CreatedAt) {
			t.Fatalf("an edit changed what is not its own: %+v", after)
		}
		if after.ContentHash != memory.ContentHash(after.Text) {
			t.Fatalf("the hash %s is not that of %q", after.ContentHash, after.Text)
		}
		if in.Text == nil && after.Text != before.Text || in.Pinned == nil && after.Pinned != before.Pinned {
			t.Fatalf("changed without being named: %+v", after)
		}
	})
}

// TestHoldsWhatWasMerged is why a store of a text that was merged away finds
// the survivor, and one of a text that was edited away does not.
func TestHoldsWhatWasMerged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyRecord(t, "a"), anyRecord(t, "b")
		if m := memory.Merge(a, b); !memory.Holds(m.Text, a.Text) || !memory.Holds(m.Text, b.Text) {
			t.Fatalf("%q does not hold both of %q and %q", m.Text, a.Text, b.Text)
		}
	})
	if memory.Holds("The API listens on port 8443.", "The API listens on port 8080.") {
		t.Error("one port holds another")
	}
	if memory.Holds("", "something") {
		t.Error("nothing holds something")
	}
}

func TestNextIDIsAnother(t *testing.T) {
	t.Parallel()
	seen, id := map[string]bool{}, memory.NewID("p", memory.Memories, "text")
	for range 1000 {
		if seen[id] || !memory.ValidID(id) {
			t.Fatalf("%s again, or no id", id)
		}
		seen[id] = true
		id = memory.NextID(id)
	}
}
