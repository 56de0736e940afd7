package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// holdsIdentifier reports whether a query is one identifier, such as the number of a ticket, and
// a text holds it as a word. Then nothing else has to be weighed: CLM-471 is as much like
// CLM-482 as anything can be, and no answer.
func holdsIdentifier(text string, query []string) bool {
	if len(query) != 1 || !identifier(query[0]) {
		return false
	}
	return holdsWord(strings.ToLower(text), strings.ToLower(query[0]))
}

// identifier reports whether a word has letters and digits, as names of tickets and parts have.
func identifier(word string) bool {
	return len(word) >= 4 && strings.ContainsFunc(word, unicode.IsDigit) && strings.ContainsFunc(word, unicode.IsLetter)
}

// holdsWord looks for a word that has no letter or digit next to it.
func holdsWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+i])
		after, _ := utf8.DecodeRuneInString(text[from+i+len(word):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from += i + len(word)
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
