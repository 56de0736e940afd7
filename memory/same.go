package memory

import (
	"slices"
	"strings"
	"unicode"
)

// SameFact reports whether two texts say the same in nearly the same words.
// It is the gate beside the cosine before memories merge: no cosine can tell
// "port 5432" from "port 5433", or "may" from "may not".
//
// Precision comes first, because a merge drops a text while a near-duplicate
// only takes room. So the words of both, in their order, must be the same but
// for what carries no fact: case, punctuation at a word's end, quotes, plural
// endings, articles and their like, and a few words for the same thing.
// Numbers, paths, versions, flags, identifiers, negations and units are never
// among those. On the development pairs no two sentences about different
// values pass, nor do most rewordings; see the test for the figures.
func SameFact(a, b string) bool {
	if NormalizeText(a) == NormalizeText(b) {
		return true
	}
	if hasBareMarker(a) || hasBareMarker(b) {
		return false // nobody knows whether the same stood there
	}
	wordsA, wordsB := FactWords(a), FactWords(b)
	return len(wordsA) > 0 && slices.Equal(wordsA, wordsB) || reworded(a, b)
}

// IsValue reports whether one of [FactWords] is a value: a number, version,
// path, flag or identifier, and no plain word.
func IsValue(word string) bool { return !isPlainWord(word) }

// FactWords returns what of a text can make it another fact, in order: values
// as they are written, plain words in one form, contractions taken apart.
func FactWords(text string) []string {
	fields := strings.Fields(text)
	words := make([]string, 0, len(fields))
	for i, field := range fields {
		if field == "." && i == len(fields)-1 {
			break // a full stop on its own, not a path
		}
		words = appendFactWord(words, field)
	}
	return words
}

func appendFactWord(words []string, field string) []string {
	word := trimWord(field)
	switch {
	case word == "":
		return words
	case !isPlainWord(word):
		return append(words, word) // a value: as it is written
	}
	word = strings.ToLower(strings.ReplaceAll(word, "’", "'"))
	if whole, negated := strings.CutSuffix(word, "n't"); negated {
		if whole == "ca" {
			whole = "can"
		}
		return append(appendFactWord(words, whole), "not")
	}
	if word == "cannot" {
		return append(words, "can", "not")
	}
	word = singular(strings.TrimSuffix(word, "'s"))
	if slices.Contains(carriers(), word) {
		return words
	}
	return append(words, sameThing(word))
}

// trimWord takes quotes, brackets and the punctuation of sentences off. Signs
// that may belong to a value stay: "-v", ".env", "/", "~", "*.go", "C++", "<".
func trimWord(field string) string {
	const around = "\"'`“”‘’«»()[]{}"
	for {
		before := field
		field = strings.Trim(field, around)
		field = strings.TrimRight(field, ",;:!?…")
		if trimmed := strings.TrimRight(field, "."); trimmed != "" && !strings.HasSuffix(trimmed, "/") {
			field = trimmed // but "." and "./.." are paths
		}
		if field == before {
			break
		}
	}
	if strings.Trim(field, "-–—.•") == "" && field != "." && field != ".." && field != "-" && field != "--" {
		return ""
	}
	return field
}

// isPlainWord reports whether a word is letters only, with apostrophes
// inside, and not written like an identifier (camelCase).
func isPlainWord(word string) bool {
	upper, lower := 0, 0
	for i, r := range word {
		switch {
		case unicode.IsUpper(r):
			if i > 0 && lower > 0 {
				return false
			}
			upper++
		case unicode.IsLetter(r) || unicode.IsMark(r):
			lower++
		case (r == '\'' || r == '’') && i > 0:
		default:
			return false
		}
	}
	return upper+lower > 0
}

func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") &&
		!strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is") {
		return word[:len(word)-1]
	}
	return word
}

// carriers are words that say nothing by themselves. Prepositions, "not",
// "no", "only", "was", "can" and "must" are facts.
func carriers() []string {
	return []string{
		"a", "an", "the", "is", "are", "be", "been", "being", "do", "doe", "does", "that", "which", "please", "also",
		"this", "these", "it", "our", "we", "always", "currently", "just", "simply",
	}
}

// sameThing gives words for the same thing one form. The list is short on
// purpose: a wrong entry merges facts that are two.
func sameThing(word string) string {
	switch word {
	case "folder":
		return "directory"
	case "symlink":
		return "symbolic-link"
	case "remove":
		return "delete"
	case "display", "show":
		return "print"
	case "whether":
		return "if"
	case "bigger", "greater":
		return "larger"
	case "under", "inside":
		return "in"
	case "postgresql":
		return "postgres"
	default:
		return word
	}
}
