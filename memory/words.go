package memory

import (
	"slices"
	"strings"
	"unicode"
)

// contentWords returns the words of a query that carry its meaning, in lower
// case and once each: runs of letters or digits without the commonest words
// (unless there are no others), and pairs of neighbouring characters in
// scripts that write no spaces.
func contentWords(text string) []string {
	var all, content []string
	for _, word := range wordsOf(text) {
		if slices.Contains(all, word) {
			continue
		}
		all = append(all, word)
		if !commonWord(word) {
			content = append(content, word)
		}
	}
	if len(content) == 0 {
		return all
	}
	return content
}

// wordsIn returns those of asked that a text has, a plural or another ending
// of one counting as the word.
func wordsIn(asked []string, text string) []string {
	has := make(map[string]bool)
	for _, word := range wordsOf(text) {
		has[stemOf(word)] = true
	}
	var found []string
	for _, word := range asked {
		if has[stemOf(word)] {
			found = append(found, word)
		}
	}
	return found
}

func wordsOf(text string) []string {
	var out []string
	runs := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for _, run := range runs {
		if !unspaced(run) {
			out = append(out, run)
			continue
		}
		runes := []rune(run)
		if len(runes) == 1 {
			out = append(out, run)
		}
		for i := range len(runes) - 1 {
			out = append(out, string(runes[i:i+2]))
		}
	}
	return out
}

// unspaced reports whether a run holds a script that writes no spaces.
func unspaced(run string) bool {
	return strings.ContainsFunc(run, func(r rune) bool {
		return r > 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

// stemOf takes the commonest English endings off longer words.
func stemOf(word string) string {
	if len(word) < 5 {
		return strings.TrimSuffix(word, "s")
	}
	for _, ending := range []string{"ing", "ies", "ed", "es", "s", "e", "y"} {
		if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) >= 3 {
			return stem
		}
	}
	return word
}

func commonWord(word string) bool {
	switch word {
	case "a", "an", "the", "is", "are", "was", "were", "be", "been", "am", "do", "does", "did", "done", "has", "have", "had",
		"of", "in", "on", "at", "to", "for", "from", "by", "with", "about", "into", "as", "and", "or", "but", "if", "so",
		"i", "me", "my", "we", "us", "our", "you", "your", "he", "his", "she", "her", "it", "its", "they", "them", "their",
		"this", "that", "these", "those", "there", "here", "what", "which", "who", "whom", "whose", "when", "where", "why", "how",
		"can", "could", "should", "would", "will", "shall", "may", "might", "must", "not", "no", "s", "t":
		return true
	}
	return false
}
