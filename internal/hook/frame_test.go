package hook

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

// Whatever is stored, the notes keep to their budget, are valid text without
// control characters, and do not depend on the order they were found in.
func TestNotesKeepToTheirBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "n")
		hits := make([]memory.Hit, n)
		for i := range hits {
			hits[i] = memory.Hit{
				ID:   memory.NewID("p", "c", fmt.Sprint(i)),
				Text: strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(1, 200).Draw(t, "times")),
				Type: memory.TypeFact, CreatedAt: day(1 + i%3),
			}
		}
		tokens := rapid.IntRange(50, 2400).Draw(t, "tokens")
		f := frame(startHeading("p"), hits, tokens)
		if f.tokens > tokens || len(utf16.Encode([]rune(f.text))) > maxUnits || units(f.text) != len(utf16.Encode([]rune(f.text))) {
			t.Fatalf("%d tokens and %d units for a budget of %d", f.tokens, units(f.text), tokens)
		}
		if !utf8.ValidString(f.text) || strings.ContainsFunc(f.text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Fatalf("%q is not plain text", f.text)
		}
		if len(f.shown) == n {
			shuffled := rapid.Permutation(hits).Draw(t, "order")
			if again := frame(startHeading("p"), shuffled, tokens); again.text != f.text {
				t.Fatalf("in another order:\n%s\n%s", f.text, again.text)
			}
		}
	})
}

func TestNotesAreShortenedBeforeTheyAreLeftOut(t *testing.T) {
	t.Parallel()
	var hits []memory.Hit
	for i := range 5 {
		hits = append(hits, memory.Hit{ID: memory.NewID("p", "c", fmt.Sprint(i)), Text: strings.Repeat("word ", 400), Type: "fact", CreatedAt: day(i + 1)})
	}
	if f := frame("h", hits, 1200); len(f.shown) != 5 {
		t.Errorf("%d of 5 are shown", len(f.shown))
	}
	f := frame("h", hits, 150)
	if len(f.shown) != 2 || f.shown[0].ID != hits[0].ID {
		t.Errorf("shown %+v", f.shown)
	}
	if f := frame("h", hits, 10); f.text != "" {
		t.Errorf("a heading alone is shown: %q", f.text)
	}
	if f := frame("h", nil, 1000); f.text != "" || f.tokens != 0 {
		t.Errorf("nothing is shown as %q", f.text)
	}
}
