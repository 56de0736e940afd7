package keyword

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mneme-memory/mneme/memory"
)

const (
	// maxTerm bounds a term, in bytes: longer runs are data (base64, hashes), and their
	// beginning finds them as well.
	maxTerm = 64
	// maxTerms bounds a text's terms: a megabyte of text is found by its first part.
	maxTerms = 50_000
)

// Terms returns the terms of text in reading order, repeats included:
//   - words (runs of letters, runs of digits), folded and stemmed, without English
//     stop words; an identifier is split at its humps ("parseURL": pars, url);
//   - compounds kept whole beside their parts: identifiers, snake_case, dotted versions
//     and names ("parseurl", "max_retries", "1.32.1", "go.mod"), found as they were said.
//     Paths and kebab-case are not: measured, they find no more than their parts do;
//   - pairs of neighbours in scripts written without spaces, so that a part of a
//     sentence finds it.
func Terms(text string) []string { return termsOf(text).list }

func termsOf(text string) *terms {
	t := &terms{language: memory.LanguageOf(text)}
	for len(text) > 0 && len(t.list) < maxTerms {
		start := strings.IndexFunc(text, isWordRune)
		if start < 0 {
			break
		}
		end := compoundEnd(text[start:]) + start
		t.compound(text[start:end])
		text = text[end:]
	}
	return t
}

// terms collects.
type terms struct {
	language string
	list     []string
	extra    int // how many of list do not count as length: compounds, and second stems
}

// compound adds the words of a stretch such as "a_b.go", and the stretch itself when
// it is more than one word.
func (t *terms) compound(stretch string) {
	words := 0
	for rest := stretch; len(rest) > 0; {
		start := strings.IndexFunc(rest, isWordRune)
		if start < 0 {
			break
		}
		rest = rest[start:]
		run := rest[:runEnd(rest)]
		rest = rest[len(run):]
		words += t.run(run)
	}
	if words > 1 && !hasUnspaced(stretch) {
		t.add(fold(stretch))
		t.extra++
	}
}

// run adds the words of a run of letters or of digits and returns how many it had.
func (t *terms) run(run string) int {
	if hasUnspaced(run) {
		t.unspaced(fold(run))
		return 1
	}
	parts := humps(run)
	for _, part := range parts {
		t.word(strings.ToLower(part))
	}
	return len(parts)
}

// word adds one word in lower case by its English stem and, in a text of another
// language, by its stem there, unless it is one of the commonest words of the language or
// of English. Since the English stem is always there, a word of a text and the same word in
// a question share a term whatever languages the two were taken for.
func (t *terms) word(word string) {
	if memory.CommonWord(memory.English, word) || memory.CommonWord(t.language, word) {
		return
	}
	folded := fold(word)
	first := folded
	if isASCII(folded) {
		first = stem(memory.English, folded)
	}
	t.add(first)
	if t.language == memory.English {
		return
	}
	if second := fold(stem(t.language, word)); second != first {
		t.add(second)
		t.extra++
	}
}

// unspaced adds the pairs of neighbouring characters, or a lone character.
func (t *terms) unspaced(run string) {
	runes := []rune(run)
	if len(runes) == 1 {
		t.add(run)
	}
	for i := 1; i < len(runes) && len(t.list) < maxTerms; i++ {
		t.add(string(runes[i-1 : i+1]))
	}
}

func (t *terms) add(term string) {
	if term != "" && len(t.list) < maxTerms {
		t.list = append(t.list, clip(term))
	}
}

// clip cuts a term to maxTerm bytes, between characters.
func clip(term string) string {
	if len(term) <= maxTerm {
		return term
	}
	end := maxTerm
	for end > 0 && !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isJoint reports whether r joins words to a compound when a word follows.
func isJoint(r rune) bool { return r == '_' || r == '.' }

// compoundEnd returns the end of the compound that text begins with: words with single
// joints between them.
func compoundEnd(text string) int {
	end, joint := 0, false
	for i, r := range text {
		switch {
		case isWordRune(r) || unicode.Is(unicode.Mn, r):
			end, joint = i+utf8.RuneLen(r), false
		case isJoint(r) && !joint:
			joint = true
		default:
			return end
		}
	}
	return end
}

// runEnd returns the end of the run of letters, or of digits, that text begins with.
func runEnd(text string) int {
	first, _ := utf8.DecodeRuneInString(text)
	digits := unicode.IsDigit(first)
	for i, r := range text {
		same := unicode.IsDigit(r) == digits && (isWordRune(r) || unicode.Is(unicode.Mn, r))
		if !same {
			return i
		}
	}
	return len(text)
}

// humps splits an identifier where its case says so: before an upper-case letter after a
// lower-case one, and before the last of several that a lower-case one follows.
func humps(run string) []string {
	var parts []string
	start := 0
	for i := 1; i < len(run); i++ {
		before, here := run[i-1], run[i]
		afterLower := isLower(before) && isUpper(here)
		lastOfMany := isUpper(before) && isUpper(here) && i+1 < len(run) && isLower(run[i+1])
		if afterLower || lastOfMany {
			parts = append(parts, run[start:i])
			start = i
		}
	}
	return append(parts, run[start:])
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }

// hasUnspaced reports whether s has characters of a script that writes no spaces.
func hasUnspaced(s string) bool {
	if isASCII(s) {
		return false
	}
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

// fold makes spellings equal: lower case, compatibility forms, no accents.
func fold(s string) string {
	s = strings.ToLower(s)
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKD.String(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
