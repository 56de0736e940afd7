package memory

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// asked are the words of a query that carry its meaning, each with its stem,
// ready to be looked for in many texts.
type asked struct{ words, stems []string }

// askedIn returns the words of a query in lower case and once each: runs of
// letters or digits without the commonest words (unless there are no others),
// and pairs of neighbouring characters in scripts that write no spaces.
func askedIn(query string) asked {
	var all, content []string
	for word := range wordsOf(query) {
		if slices.Contains(all, word) {
			continue
		}
		all = append(all, word)
		if !commonWord(word) {
			content = append(content, word)
		}
	}
	if len(content) == 0 {
		content = all
	}
	a := asked{words: content, stems: make([]string, len(content))}
	for i, word := range content {
		a.stems[i] = stemOf(word)
	}
	return a
}

// in returns those words that a text has, a plural or another ending of one
// counting as the word.
func (a asked) in(text string) []string {
	var found []string
	has := make([]bool, len(a.stems))
	for word := range wordsOf(text) {
		stem := stemOf(word)
		for i, wanted := range a.stems {
			has[i] = has[i] || wanted == stem
		}
	}
	for i, word := range a.words {
		if has[i] {
			found = append(found, word)
		}
	}
	return found
}

// share is how many of the words n are, of 1.
func (a asked) share(n int) float64 { return float64(n) / float64(max(1, len(a.words))) }

func wordsOf(text string) iter.Seq[string] {
	runs := strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !ofWord(r) })
	return func(yield func(string) bool) {
		for run := range runs {
			if !unspaced(run) {
				if !yield(run) {
					return
				}
				continue
			}
			for _, pair := range pairs([]rune(run)) {
				if !yield(pair) {
					return
				}
			}
		}
	}
}

func ofWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// pairs are the neighbouring characters of a run; of one, that one.
func pairs(run []rune) []string {
	if len(run) == 1 {
		return []string{string(run)}
	}
	out := make([]string, len(run)-1)
	for i := range out {
		out[i] = string(run[i : i+2])
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
