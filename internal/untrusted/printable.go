package untrusted

import (
	"strings"
	"unicode"
)

// Printable returns a stored text for the eyes of a person, on a terminal or a page. Line ends
// and tabs stay; control characters, which could move a terminal's cursor, and characters that
// are not seen or that turn the direction of reading become U+FFFD.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
