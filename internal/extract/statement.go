package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/memory"
)

// statement is a sentence as the words that make it this fact and no other.
type statement struct {
	words     []factWord
	negations int
	weighs    bool // sets one thing against another, so that "not" may be said without a "not"
}

// factWord is one word of a statement.
type factWord struct {
	text  string
	value bool // a number, version, path, flag, identifier or name
}

// fillers say when or how sure, and nothing of the thing itself.
var fillers = []string{"now", "still", "actually", "really", "already", "instead", "longer", "anymore", "again", "done", "indeed", "exactly", "ever"}

var negators = []string{"not", "no", "never", "none", "nothing", "nobody", "without", "neither", "nor", "avoid", "forbidden", "forbid", "disallowed"}

// weighing are the words of a comparison.
var weighing = []string{"instead", "rather", "over", "unless", "only", "except", "but", "than"}

// units are the names of one measure.
var units = map[string]string{
	"millisecond": "ms", "msec": "ms", "second": "s", "sec": "s", "minute": "m", "min": "m", "hour": "h", "hr": "h",
	"kilobyte": "kb", "megabyte": "mb", "gigabyte": "gb", "kib": "kb", "mib": "mb", "gib": "gb", "byte": "b", "percent": "%",
	"ms": "ms", "s": "s", "m": "m", "h": "h", "kb": "kb", "mb": "mb", "gb": "gb", "day": "day", "week": "week",
}

// statements takes a text apart into its sentences.
func statements(text string) []statement {
	var out []statement
	for _, one := range sentences(text) {
		if s := statementOf(one); len(s.words) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func statementOf(sentence string) statement {
	var s statement
	fields := strings.Fields(sentence)
	begins := true
	for i, field := range fields {
		next := ""
		if i+1 < len(fields) {
			next = fields[i+1]
		}
		named := isName(field, next, begins)
		begins = strings.HasSuffix(field, ":") // what follows a label begins a sentence
		for _, w := range memory.FactWords(field) {
			s.add(w, named)
		}
	}
	return s
}

func (s *statement) add(word string, named bool) {
	low := strings.ToLower(word)
	s.weighs = s.weighs || slices.Contains(weighing, low)
	if slices.Contains(negators, low) {
		s.negations++
		return
	}
	if n := len(s.words); n > 0 && units[low] != "" && isNumber(s.words[n-1].text) {
		s.words[n-1].text += units[low] // "30 seconds" is "30s"
		return
	}
	value := memory.IsValue(word)
	if !value && (lexis.StopWords[low] || slices.Contains(fillers, low)) {
		return
	}
	if !value {
		low = stem(low)
	}
	s.words = append(s.words, factWord{text: low, value: value || named})
}

// stem makes one of "retry" and "retries", "pass" and "passes", of which only
// the plural was taken off.
func stem(word string) string {
	word = strings.TrimSuffix(word, "e")
	if end := len(word) - 1; end > 2 && word[end] == 'y' {
		return word[:end] + "i"
	}
	return word
}

func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789.,") == "" && word[len(word)-1] >= '0' && word[len(word)-1] <= '9'
}

// isName reports whether a word is written as a name: in backticks, in
// capitals, or with one where no sentence begins. At the beginning, a capital
// alone proves nothing, unless a verb in the third person follows: "Alice
// reviews".
func isName(field, next string, begins bool) bool {
	if strings.HasPrefix(field, "`") {
		return true
	}
	bare := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) })
	first, size := utf8.DecodeRuneInString(bare)
	if !unicode.IsUpper(first) || lexis.StopWords[strings.ToLower(bare)] {
		return false
	}
	if !begins || len(bare) > size && strings.ToUpper(bare) == bare {
		return true
	}
	next = strings.ToLower(next)
	return len(bare) > 2 && strings.HasSuffix(next, "s") && !strings.HasSuffix(next, "ss") && !strings.HasSuffix(bare, "s") && next != "this"
}

// replaces reports whether a statement has a value where the other one has
// another: at the same place, or as the only one that each has of its own. news
// says which values count.
func (s statement) replaces(other statement, news func(string) bool, own bool) bool {
	var fresh, lost []int
	for i, w := range s.words {
		if w.value && news(w.text) {
			fresh = append(fresh, i)
		}
	}
	for i, w := range other.words {
		if w.value && !slices.ContainsFunc(s.words, func(x factWord) bool { return sameValue(x.text, w.text) }) {
			lost = append(lost, i)
		}
	}
	for _, i := range fresh {
		for j, w := range other.words {
			if w.value && !sameValue(s.words[i].text, w.text) && (s.placed(i, other, j) || len(fresh) == 1 && len(lost) == 1 && lost[0] == j && alike(s.words[i].text, w.text)) {
				return true
			}
		}
	}
	i := s.onlyChange(other)
	return i >= 0 && (own || s.words[i].value) && news(s.words[i].text) && !sameValue(s.words[i].text, other.words[i].text)
}

// placed reports whether two words stand next to the same word.
func (s statement) placed(i int, other statement, j int) bool {
	before := i > 0 && j > 0 && s.words[i-1].text == other.words[j-1].text
	after := i+1 < len(s.words) && j+1 < len(other.words) && s.words[i+1].text == other.words[j+1].text
	return before || after
}

// onlyChange returns the place of the one word in which two statements of
// three words or more differ, -1 when they differ in more or in none.
func (s statement) onlyChange(other statement) int {
	at := -1
	if len(s.words) != len(other.words) || len(s.words) < 3 || s.negations != other.negations {
		return -1
	}
	for i := range s.words {
		if s.words[i].text == other.words[i].text {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

// about reports whether two statements have nearly the same words.
func (s statement) about(other statement) bool {
	a, b := s.set(), other.set()
	return share(a, b) >= sameShare && share(b, a) >= sameShare
}

func (s statement) set() map[string]bool {
	out := make(map[string]bool, len(s.words))
	for _, w := range s.words {
		out[w.text] = true
	}
	return out
}

// sameValue reports whether two values are one: written differently, a path
// and its end, an address and its port, a name and the short form of it.
func sameValue(a, b string) bool {
	x, y := fold(a), fold(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if x == y || strings.HasSuffix(y, " "+x) {
		return true
	}
	return len(x) >= 4 && strings.HasPrefix(y, x) && !strings.ContainsAny(y, "0123456789 ")
}

// alike reports whether two values are of one kind: numbers, paths or names.
func alike(a, b string) bool { return kindOfValue(a) == kindOfValue(b) }

func kindOfValue(v string) string {
	switch trimmed := strings.TrimLeft(v, "v+-:="); {
	case trimmed != "" && trimmed[0] >= '0' && trimmed[0] <= '9':
		return "number"
	case strings.ContainsAny(v, `/\~`):
		return "path"
	default:
		return "name"
	}
}
