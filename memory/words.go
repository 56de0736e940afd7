package memory

import (
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of comparing words: words beyond these lengths do not count.
const (
	mostAsked = 32  // words of a query
	mostRead  = 400 // words of a text
	leastPart = 4   // bytes that two words must share to be akin
	leastAkin = 0.5 // of a query's word that must be in the text's
)

// asked are the words of a query that carry its meaning, ready to be looked
// for in many texts.
type asked struct {
	words  []string
	weight []float64          // of each word, by how few of the candidates have it
	akin   map[string][]share // word of a text -> the words of the query that it stands for
}

// share says how far a word of a text stands for a word of the query.
type share struct {
	word int
	part float64 // 0 to 1
}

// askedIn returns the words of a query once each: runs of letters or digits
// without the function words of its language (unless there are no others), and
// pairs of neighbouring characters in scripts that write no spaces.
//
// One function word of another language than English is left in: in "net sim state",
// "sim" is a folder and not Portuguese.
func askedIn(query string) *asked {
	language := LanguageOf(query)
	var all, content, common []string
	for word := range wordsOf(query) {
		plain := plainWord(word)
		if slices.Contains(all, plain) {
			continue
		}
		all = append(all, plain)
		if CommonWord(language, word) {
			common = append(common, plain)
		} else {
			content = append(content, plain)
		}
		if len(content) == mostAsked {
			break
		}
	}
	if len(common) == 1 && language != English {
		content = all
	}
	if len(content) == 0 {
		content = all
	}
	return &asked{words: content, weight: make([]float64, len(content)), akin: make(map[string][]share)}
}

// weigh gives each word its weight: the fewer of the texts have it, the more
// it tells. The frequencies are those among the candidates, since what an
// index counts means little in a small collection. It returns how far each
// text covers the query, in the order of the texts.
func (a *asked) weigh(texts iter.Seq[string]) []cover {
	var covers []cover
	have := make([]float64, len(a.words))
	for text := range texts {
		c := a.cover(text)
		for i, part := range c {
			if part > 0 {
				have[i]++
			}
		}
		covers = append(covers, c)
	}
	n := float64(len(covers))
	for i := range a.weight {
		a.weight[i] = math.Log(1 + (n-have[i]+0.5)/(have[i]+0.5))
	}
	return covers
}

// cover is, for each word of a query, how far a text has it: 1 for the word
// itself, less for one akin to it, 0 for none.
type cover []float64

func (a *asked) cover(text string) cover {
	c := make(cover, len(a.words))
	n := 0
	for word := range wordsOf(text) {
		for _, s := range a.kin(plainWord(word)) {
			c[s.word] = max(c[s.word], s.part)
		}
		if n++; n == mostRead {
			break
		}
	}
	return c
}

// share is which part of the query's weight a cover has, 0 to 1.
func (a *asked) share(c cover) float64 {
	var has, all float64
	for i, w := range a.weight {
		has += w * c[i]
		all += w
	}
	if all == 0 {
		return 0
	}
	return has / all
}

// in returns the words of the query that a cover has.
func (a *asked) in(c cover) []string {
	var found []string
	for i, part := range c {
		if part > 0 {
			found = append(found, a.words[i])
		}
	}
	return found
}

// kin returns what a word of a text stands for in the query.
func (a *asked) kin(word string) []share {
	known, ok := a.akin[word]
	if ok {
		return known
	}
	for i, wanted := range a.words {
		if part := akin(wanted, word); part > 0 {
			known = append(known, share{i, part})
		}
	}
	a.akin[word] = known
	return known
}

// akin is how far a word of a text stands for a word that is wanted, by what
// they have in common: endings differ, and some languages write compounds as
// one word ("Datenbank" in "Testdatenbank"). No knowledge of a language is
// needed for it.
func akin(wanted, word string) float64 {
	if wanted == word {
		return 1
	}
	if len(wanted) < 3 || len(word) < 3 {
		return 0
	}
	best := 0.0
	if n := commonPrefix(wanted, word); n >= leastPart || n == 3 && len(wanted)+len(word) <= 7 {
		best = min(1, float64(n)/float64(max(len(wanted), len(word)-3)))
		if best < 0.6 {
			best = 0
		}
	}
	if n := commonPart(wanted, word); n >= leastPart {
		if part := float64(n) / float64(len(wanted)); part >= leastAkin {
			best = max(best, part)
		}
	}
	return best
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonPart is the length of the longest run of bytes that both have.
func commonPart(a, b string) int {
	a, b = a[:min(len(a), 40)], b[:min(len(b), 40)]
	best := 0
	for i := range a {
		for j := range b {
			if a[i] == b[j] {
				best = max(best, commonPrefix(a[i:], b[j:]))
			}
		}
	}
	return best
}

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

var plainLetters = strings.NewReplacer(
	"á", "a", "à", "a", "â", "a", "ã", "a", "ä", "a", "é", "e", "è", "e", "ê", "e", "ë", "e",
	"í", "i", "ì", "i", "î", "i", "ï", "i", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ö", "o",
	"ú", "u", "ù", "u", "û", "u", "ü", "u", "ç", "c", "ñ", "n", "ß", "ss")

// plainWord returns a word in lower case without the accents of western
// European languages, which people leave out.
func plainWord(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return plainLetters.Replace(word)
		}
	}
	return word
}

// plainWords returns the first words of a text as [plainWord] has them.
func plainWords(text string, most int) []string {
	var out []string
	for word := range wordsOf(text) {
		out = append(out, plainWord(word))
		if len(out) == most {
			break
		}
	}
	return out
}
