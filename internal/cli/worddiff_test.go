package cli

import (
	"regexp"
	"strings"
	"testing"
)

func TestWordDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"the port is 80", "the port is 80", "the port is 80"},
		{"the port is 80", "the port is 81", "the port is [-80-] {+81+}"},
		{"", "new words", "{+new words+}"},
		{"old words", "", "[-old words-]"},
		{"a b c d", "a x c d e", "a [-b-] {+x+} c d {+e+}"},
	} {
		if got := wordDiff(c.before, c.after); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

var (
	wentWords = regexp.MustCompile(`\[-(.*?)-\]`)
	cameWords = regexp.MustCompile(`\{\+(.*?)\+\}`)
)

// FuzzWordDiff takes what came, or what went, out of the difference of two texts: the
// words of the one, or of the other, must be left.
func FuzzWordDiff(f *testing.F) {
	f.Add("the port is 80", "the port is 81 now")
	f.Add("a b a b", "b a b a")
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.ContainsAny(before+after, "[]{}+-") || len(before)+len(after) > 2_000 {
			t.Skip("the marks themselves")
		}
		got := wordDiff(before, after)
		old := cameWords.ReplaceAllString(wentWords.ReplaceAllString(got, "$1"), "")
		now := wentWords.ReplaceAllString(cameWords.ReplaceAllString(got, "$1"), "")
		for _, c := range []struct{ got, want string }{{old, before}, {now, after}} {
			if strings.Join(strings.Fields(c.got), " ") != strings.Join(strings.Fields(c.want), " ") {
				t.Errorf("%q holds %q, not %q", got, c.got, c.want)
			}
		}
	})
}
