package qdrant

import (
	"strings"
	"unicode"
	"unicode/utf8"

	pb "github.com/qdrant/go-client/qdrant"
)

// A tokenizer cuts texts into the words of a text index.
type tokenizer struct {
	lower    bool
	whole    bool // cut at white space only
	prefix   bool // every beginning of a word is stored too
	shortest int  // in letters; 0 for no bound
	longest  int
}

func newTokenizer(p *pb.TextIndexParams) (*tokenizer, error) {
	t := &tokenizer{
		lower:    p == nil || p.Lowercase == nil || p.GetLowercase(),
		shortest: int(p.GetMinTokenLen()),
		longest:  int(p.GetMaxTokenLen()),
	}
	switch p.GetTokenizer() {
	case pb.TokenizerType_Whitespace:
		t.whole = true
	case pb.TokenizerType_Prefix:
		t.prefix = true
	case pb.TokenizerType_Multilingual:
		return nil, unsupported("the multilingual tokenizer")
	}
	if p.GetStemmer() != nil || p.GetStopwords() != nil || p.GetAsciiFolding() {
		return nil, unsupported("a text index with stemmer, stop words or ASCII folding")
	}
	return t, nil
}

// words cuts a text.
func (t *tokenizer) words(text string) []string {
	if t.lower {
		text = strings.ToLower(text)
	}
	if t.whole {
		return t.fitting(strings.Fields(text))
	}
	return t.fitting(strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}))
}

func (t *tokenizer) fitting(words []string) []string {
	out := words[:0]
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		if n >= t.shortest && (t.longest == 0 || n <= t.longest || t.prefix) {
			out = append(out, word)
		}
	}
	return out
}

// stored are the keys of a text in the index.
func (t *tokenizer) stored(text string) []string {
	words := t.words(text)
	if !t.prefix {
		return words
	}
	var out []string
	for _, word := range words {
		n := 0
		for i := range word {
			if n >= max(t.shortest, 1) && (t.longest == 0 || n <= t.longest) {
				out = append(out, word[:i])
			}
			n++
		}
		if t.longest == 0 || n <= t.longest {
			out = append(out, word)
		}
	}
	return out
}

// phrase tells whether the words stand in the text one after the other.
func (t *tokenizer) phrase(text string, words []string) bool {
	have := t.words(text)
	for start := 0; start+len(words) <= len(have); start++ {
		i := 0
		for i < len(words) && have[start+i] == words[i] {
			i++
		}
		if i == len(words) {
			return true
		}
	}
	return false
}
