package conversation

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// passageRunes is about how long a passage is, and passageMost the most it can
// be: long enough for a thought, short enough that its vector says one thing.
const (
	passageRunes = 700
	passageMost  = 1000
)

// Passage is a stretch of a part's text that is searched by itself.
type Passage struct {
	From  int    // in characters of the part's text
	Runes int    // its length in characters
	Text  string // without the blanks at its ends
}

// PassageID returns the id of a passage in the index: of a part's passages, the
// one with a number from 0.
func PassageID(message string, part, number int) string {
	return memory.NewID(message, Collection, fmt.Sprintf("%d/%d", part, number))
}

// Passages cuts a text into passages, at the end of a paragraph, a line or a
// sentence where there is one near, else between words, else between characters.
// A text of blanks has none.
func Passages(text string) []Passage {
	var out []Passage
	from := 0
	for len(text) > 0 {
		n := passageEnd(text)
		piece := text[:n]
		runes := utf8.RuneCountInString(piece)
		if trimmed := strings.TrimSpace(piece); trimmed != "" {
			out = append(out, Passage{From: from, Runes: runes, Text: trimmed})
		}
		from, text = from+runes, text[n:]
	}
	return out
}

// passageEnd is where the first passage of a text ends, in bytes.
func passageEnd(text string) int {
	var paragraph, line, sentence, word, count int
	var before rune
	for i, r := range text {
		if count == passageMost {
			return firstOf(paragraph, line, sentence, word, i)
		}
		if count >= passageRunes/2 {
			switch {
			case before == '\n' && r == '\n':
				paragraph = i
			case before == '\n':
				line = i
			case unicode.IsSpace(r) && strings.ContainsRune(".!?。！？", before):
				sentence = i
			case unicode.IsSpace(before):
				word = i
			}
		}
		before = r
		count++
	}
	return len(text)
}

// firstOf is the first of places that is one.
func firstOf(places ...int) int {
	for _, p := range places {
		if p > 0 {
			return p
		}
	}
	return 0
}
