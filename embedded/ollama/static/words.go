package static

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// words yields the words of text: maximal runs of letters, split at the humps of an
// identifier, and maximal runs of digits; folded by fold. Everything else separates,
// an underscore and a byte that is no UTF-8 too.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			run, class := nextRun(text)
			text = text[len(run):]
			switch class {
			case letters:
				if !yieldHumps(run, yield) {
					return
				}
			case digits:
				if !yield(fold(run)) {
					return
				}
			}
		}
	}
}

type class int

const (
	neither class = iota
	letters
	digits
)

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
		return letters
	case '0' <= r && r <= '9':
		return digits
	case r < utf8.RuneSelf:
		return neither
	case unicode.IsLetter(r):
		return letters
	case unicode.IsDigit(r):
		return digits
	}
	return neither
}

// nextRun returns the longest prefix of text whose characters are all of one class.
func nextRun(text string) (run string, c class) {
	for i, r := range text {
		switch at := classOf(r); {
		case i == 0:
			c = at
		case at != c:
			return text[:i], c
		}
	}
	return text, c
}

// yieldHumps splits a run of letters as an identifier is written: "parseURLPath" is
// parse, URL, Path. It looks at ASCII only, where "upper case" begins a word.
func yieldHumps(run string, yield func(string) bool) bool {
	start := 0
	for i := 1; i < len(run); i++ {
		before, here := run[i-1], run[i]
		afterLower := isLower(before) && isUpper(here)
		lastOfMany := isUpper(before) && isUpper(here) && i+1 < len(run) && isLower(run[i+1])
		if !afterLower && !lastOfMany {
			continue
		}
		if !yield(fold(run[start:i])) {
			return false
		}
		start = i
	}
	return yield(fold(run[start:]))
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }

// fold lowers the case and takes accents off: lower case, then canonical decomposition
// without its combining marks. A word in lower case without accents costs no
// allocation.
func fold(word string) string {
	word = strings.ToLower(word)
	if isASCII(word) {
		return word
	}
	unmarked := func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}
	return strings.Map(unmarked, norm.NFD.String(word))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
