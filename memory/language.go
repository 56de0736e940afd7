package memory

import (
	"strings"
	"sync"
	"unicode"
)

// The languages that [LanguageOf] tells apart, by ISO 639-1.
const (
	English    = "en"
	German     = "de"
	Spanish    = "es"
	French     = "fr"
	Italian    = "it"
	Portuguese = "pt"
	Dutch      = "nl"
)

// languages lists them; of two with the same evidence the earlier one is told.
func languages() []string {
	return []string{English, German, Spanish, French, Portuguese, Italian, Dutch}
}

// functionWords returns the words of a language that carry grammar and no
// subject: they tell which language a text is in, and are no use in a search.
var functionWords = sync.OnceValue(func() map[string]map[string]bool {
	all := make(map[string]map[string]bool, len(functionWordLists))
	for language, list := range functionWordLists {
		all[language] = make(map[string]bool)
		for word := range strings.FieldsSeq(list) {
			all[language][word] = true
		}
	}
	return all
})

// CommonWord reports whether a word in lower case is one of the commonest
// words of a language, which say nothing of what a text is about.
func CommonWord(language, word string) bool { return functionWords()[language][word] }

// languageWords is how many words of a text tell its language.
const languageWords = 200

// LanguageOf returns the language of a text: the one most of whose function
// words it has, where a letter that only some languages write counts as a
// word. A text without such evidence, as a name or a message of a program is,
// counts as English.
func LanguageOf(text string) string {
	counts := make(map[string]int)
	lists := functionWords()
	n := 0
	for word := range wordsOf(text) {
		for language, list := range lists {
			if list[word] {
				counts[language]++
			}
		}
		if n++; n == languageWords {
			break
		}
	}
	for _, r := range text[:min(len(text), 2000)] {
		if r >= unicode.MaxASCII {
			for _, language := range lettersOf(r) {
				counts[language]++
			}
		}
	}
	best := English
	for _, language := range languages() {
		if counts[language] > counts[best] {
			best = language
		}
	}
	return best
}

// lettersOf returns the languages for which a letter or a sign speaks.
func lettersOf(r rune) []string {
	switch unicode.ToLower(r) {
	case 'ä', 'ö', 'ü', 'ß':
		return []string{German}
	case 'ñ', '¿', '¡':
		return []string{Spanish}
	case 'ã', 'õ':
		return []string{Portuguese}
	case 'á', 'í', 'ú':
		return []string{Spanish, Portuguese}
	case 'ó':
		return []string{Spanish, Portuguese}
	case 'ç':
		return []string{French, Portuguese}
	case 'œ', 'û', 'ë', 'î':
		return []string{French}
	case 'ê', 'â', 'ô':
		return []string{French, Portuguese}
	case 'è', 'ù':
		return []string{French, Italian}
	case 'à':
		return []string{French, Italian, Portuguese}
	case 'ì', 'ò':
		return []string{Italian}
	case 'é':
		return []string{French, Spanish, Portuguese}
	}
	return nil
}
