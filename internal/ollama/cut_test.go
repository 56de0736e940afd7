package ollama

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// check tells what is wrong with the pieces of text: each must be within the budget, and
// together they must hold the text, in order.
func check(text string, budget int) string {
	covered := 0
	for _, s := range spans(text, budget) {
		p := text[s.start:s.end]
		if estimate(p) > budget {
			return "a piece is over the budget"
		}
		if utf8.ValidString(text) && !utf8.ValidString(p) {
			return "a character is cut"
		}
		if s.start > covered {
			return "something between two pieces is lost"
		}
		covered = max(covered, s.end)
	}
	if covered != len(text) {
		return "the end is lost"
	}
	return ""
}

func TestCutProperties(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"word", "Sentence.", "x1y2", "日志文件。", "😀", strings.Repeat("long", 30), "line\n", "/a/b/c.go:12"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 0, 80).Draw(rt, "words"), " ")
		if wrong := check(text, rapid.IntRange(minBudget, 60).Draw(rt, "budget")); wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

func TestCutOverlapsAtSentences(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("This is one sentence of a few words. ", 40)
	pieces := cut(text, 100)
	if len(pieces) < 3 {
		t.Fatalf("%d pieces", len(pieces))
	}
	total := 0
	for _, p := range pieces[:len(pieces)-1] {
		total += len(p)
		if !strings.HasSuffix(strings.TrimSpace(p), ".") {
			t.Errorf("piece ends inside a sentence: %q", p)
		}
	}
	if total+len(pieces[len(pieces)-1]) <= len(text) {
		t.Error("pieces do not overlap")
	}
	if got := cut("short", 100); len(got) != 1 || got[0] != "short" {
		t.Errorf("a short text became %q", got)
	}
}

func FuzzCut(f *testing.F) {
	f.Add("one two three. four five\n six", 9)
	f.Add("日本語のテキスト。\xff", 8)
	f.Add(strings.Repeat("😀", 40), 8)
	f.Fuzz(func(t *testing.T, text string, budget int) {
		if wrong := check(text, max(minBudget, budget%500)); wrong != "" {
			t.Fatal(wrong)
		}
	})
}
