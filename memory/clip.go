package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxRepeated bounds, in bytes, how much of a wrong value an error repeats.
const MaxRepeated = 80

// Ellipsis ends a text that [Clip] has shortened.
const Ellipsis = "…"

// Clip shortens a text to at most limit bytes, the [Ellipsis] included. It cuts
// at white space if there is some in the second half, and never inside a rune:
// a long URL, or Chinese, has no white space.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := max(0, limit-len(Ellipsis))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	head := text[:end]
	if i := strings.LastIndexFunc(head, unicode.IsSpace); i > end/2 {
		head = head[:i]
	}
	return strings.TrimRightFunc(head, unicode.IsSpace) + Ellipsis
}
