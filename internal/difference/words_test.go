package difference_test

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/difference"
)

// marked writes the pieces as one line.
func marked(pieces []difference.Piece) string {
	marks := map[difference.Op][2]string{difference.Removed: {"[-", "-]"}, difference.Added: {"{+", "+}"}}
	words := make([]string, len(pieces))
	for i, p := range pieces {
		words[i] = marks[p.Op][0] + p.Text + marks[p.Op][1]
	}
	return strings.Join(words, " ")
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"the port is 80", "the port is 80", "the port is 80"},
		{"the port is 80", "the port is 81", "the port is [-80-] {+81+}"},
		{"", "new words", "{+new words+}"},
		{"old words", "", "[-old words-]"},
		{"a b c d", "a x c d e", "a [-b-] {+x+} c d {+e+}"},
	} {
		if got := marked(difference.Words(c.before, c.after)); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// FuzzWords leaves the added pieces of a comparison out, or the removed ones: the words of
// the first text, or of the second, must be left.
func FuzzWords(f *testing.F) {
	f.Add("the port is 80", "the port is 81 now")
	f.Add("a b a b", "b a b a")
	f.Fuzz(func(t *testing.T, before, after string) {
		if len(before)+len(after) > 2_000 {
			t.Skip("slow, and nothing new")
		}
		for without, want := range map[difference.Op]string{difference.Added: before, difference.Removed: after} {
			var words []string
			for _, p := range difference.Words(before, after) {
				if p.Op != without {
					words = append(words, p.Text)
				}
			}
			if got, want := strings.Join(words, " "), strings.Join(strings.Fields(want), " "); got != want {
				t.Errorf("%q, not %q", got, want)
			}
		}
	})
}
