package memory

// mostSentences bounds how many pairs of sentences are compared for other
// words, because texts may be long.
const mostSentences = 4_000

// said are the sentences of a text, to tell whether another one adds anything.
type said struct {
	keys     map[string]bool // as they are written
	language string
	worded   []wording // in their meaning; none where there are too many
}

// saidIn returns what text says, to be compared with the sentences of other.
func saidIn(text, other string) *said {
	s := &said{keys: make(map[string]bool), language: LanguageOf(text + "\n" + other)}
	sentences := sentencesOf(text)
	for _, one := range sentences {
		s.keys[sentenceKey(one)] = true
	}
	if len(sentences)*len(sentencesOf(other)) <= mostSentences {
		for _, one := range sentences {
			s.worded = append(s.worded, wordingOf(s.language, one))
		}
	}
	return s
}

// has reports whether a sentence is said already. Code is compared as it is written.
func (s *said) has(key, sentence string) bool {
	if s.keys[key] {
		return true
	}
	if len(s.worded) == 0 || len(blocksOf(sentence)) > 0 && blocksOf(sentence)[0].fenced {
		return false
	}
	w := wordingOf(s.language, sentence)
	for _, one := range s.worded {
		if sameWording(one, w) {
			return true
		}
	}
	return false
}
