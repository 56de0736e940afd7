package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wording is what a text says, in a form in which two wordings of one fact are
// alike: its words in order, without those that carry no fact, each in one form
// and with what decides its part in the sentence.
type wording struct {
	language    string
	words       []wordSaid
	raw         [][]string // of each clause, all words in lower case, without accents
	subordinate bool       // a word such as "because" begins one of its clauses
}

// wordSaid is one word of a text that can make it another fact.
type wordSaid struct {
	key    string // what the word means: one form for all its endings and synonyms
	plain  string // the word in lower case, without accents
	role   string // the class of the preposition before it, "" for none; see prepositionLists
	not    bool   // it is denied: "not", "never", "without", "no longer" reach it
	value  bool   // a number, path, version or identifier, never a plain word
	name   bool   // a plain word that is written like a name
	caps   bool   // a plain word in capitals, such as "HOME"
	number bool   // a number, with its unit if it has one
	opens  bool   // it is the first of its clause
	done   bool   // a verb in the passive, such as "kept" in "are kept"
	clause int    // which clause it stands in
}

// mostWorded bounds the words of a text that are compared.
const mostWorded = 400

// wordingOf reads a text in a language.
func wordingOf(language, text string) wording {
	r := reader{language: language, lists: wordListsOf(language), out: wording{language: language}}
	for _, t := range tokensOf(text) {
		if len(r.out.words) == mostWorded {
			break
		}
		r.read(t)
	}
	r.endNumber()
	r.dropClassNouns()
	return r.out
}

// token is a field of a text as [trimWord] leaves it.
type token struct {
	word  string
	code  bool // it stands in a span of code
	ends  bool // a mark after it ends a clause
	owner bool // it had a possessive 's
}

func tokensOf(text string) []token {
	var out []token
	code := false
	for field := range strings.FieldsSeq(text) {
		ticks := strings.Count(field, "`")
		inside := code || ticks > 0
		code = code != (ticks%2 == 1)
		if !inside {
			field = strings.ReplaceAll(field, "’", "'")
		}
		ends := endsClause(field)
		parts := []string{field}
		if !inside {
			parts = hyphened(field)
		}
		for i, part := range parts {
			word := trimWord(part)
			owner := false
			if !inside && len(word) > 2 && strings.HasSuffix(word, "'s") {
				word, owner = word[:len(word)-2], true
			}
			last := i == len(parts)-1
			if word == "" {
				if last && ends && len(out) > 0 {
					out[len(out)-1].ends = true
				}
				continue
			}
			out = append(out, token{word: word, code: inside, ends: ends && last, owner: owner})
		}
	}
	return out
}

// endsClause reports whether a field ends with a mark that ends a clause.
func endsClause(field string) bool {
	field = strings.TrimRight(field, "\"'`”’)»]")
	if field == "" {
		return false
	}
	return strings.ContainsAny(field[len(field)-1:], ".,;:!?") || strings.HasSuffix(field, "—") || strings.HasSuffix(field, "–") || field == "-"
}

// hyphened takes a plain word with a hyphen apart: "read-only" is "read only".
// What has digits, capitals within or a leading dash is a name or a flag.
func hyphened(field string) []string {
	word := trimWord(field)
	i := strings.IndexByte(word, '-')
	if i < 1 || i == len(word)-1 || strings.ContainsFunc(word[1:], func(r rune) bool { return !unicode.IsLower(r) && r != '-' }) {
		return []string{field}
	}
	return strings.Split(field, "-")
}

// reader turns tokens into a wording.
type reader struct {
	language string
	lists    *wordLists
	out      wording

	clause  int
	role    string // of the words to come
	not     bool   // the words to come are denied
	pending string // a number that waits for its unit
	passive bool   // the word before was "is" or one like it
	toDo    bool   // the word before was "has", and "to" makes it "must"
	named   []bool // for each word of out: it is a class noun such as "branch"
}

func (r *reader) read(t token) {
	word := strings.ToLower(t.word)
	r.keepRaw(word)
	if !isPlainWord(t.word) {
		r.readValue(t)
	} else {
		r.readPlain(word, t)
	}
	if t.ends {
		r.endNumber()
		r.endClause()
	}
}

// keepRaw notes a word as it is written, for what is told by several words.
func (r *reader) keepRaw(word string) {
	r.keepRawClause()
	if whole, negated := strings.CutSuffix(word, "n't"); negated {
		r.out.raw[r.clause] = append(r.out.raw[r.clause], plainWord(whole), "not")
		return
	}
	r.out.raw[r.clause] = append(r.out.raw[r.clause], plainWord(word))
}

// readValue reads what is no plain word: numbers get one form, everything else stays as it is written.
func (r *reader) readValue(t token) {
	if unit, ok := units()[strings.ToLower(t.word)]; ok && r.pending != "" {
		r.addNumber(unit)
		return
	}
	number, unit, ok := numberIn(t.word)
	if !ok {
		r.endNumber()
		if whole, negated := strings.CutSuffix(strings.ToLower(t.word), "n't"); negated {
			r.not = true
			r.readPlain(whole, t)
			return
		}
		r.add(wordSaid{key: t.word, plain: strings.ToLower(t.word), value: true})
		return
	}
	r.endNumber()
	r.pending = number
	if unit != "" {
		r.addNumber(unit)
	}
}

func (r *reader) readPlain(word string, t token) {
	if whole, negated := strings.CutSuffix(word, "n't"); negated {
		r.endNumber()
		r.not = true
		word = whole
		if word == "" || r.lists.carriers[word] || word == "ca" || word == "wo" {
			return
		}
	}
	if t.code {
		r.endNumber()
		r.add(wordSaid{key: r.lists.form(word), plain: plainWord(word)})
		return
	}
	word = plainWord(word)
	if n, ok := r.lists.numbers[word]; ok {
		r.endNumber()
		r.pending = n
		return
	}
	if unit, ok := units()[word]; ok && r.pending != "" {
		r.addNumber(unit)
		return
	}
	if r.pending != "" && r.lists.carriers[word] {
		return // "10 of the" keeps its number
	}
	r.endNumber()
	if must := r.toDo && word == "to"; must {
		r.toDo = false
		r.add(wordSaid{key: r.lists.form("must"), plain: "must"})
		return
	}
	r.toDo = r.language == English && (word == "has" || word == "have" || word == "had")
	switch role, preposition := r.lists.prepositions[word]; {
	case r.lists.negators[word]:
		r.deny(word)
	case r.lists.splitters[word]:
		r.endClause()
		r.out.subordinate = true
		if r.lists.conditions[word] != "" {
			r.add(wordSaid{key: r.lists.conditions[word], plain: word})
		}
	case preposition:
		r.role = r.roleFor(role)
	case r.lists.passives[word]:
		r.passive = true
	case r.lists.carriers[word]:
	default:
		if t.owner && r.role == "" {
			r.role = roleOf
			defer func() { r.role = "" }()
		}
		r.named = append(r.named, make([]bool, len(r.out.words)-len(r.named))...)
		r.add(wordSaid{key: r.lists.form(word), plain: word, name: r.writtenAsName(t.word), caps: inCapitals(t.word)})
		r.named = append(r.named, r.lists.classes[word])
	}
}

// writtenAsName reports whether a plain word is written like a name: with a
// capital where none has to be. In German every noun has one.
func (r *reader) writtenAsName(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return r.language != German && unicode.IsUpper(first) && len(r.out.words) > 0
}

func inCapitals(word string) bool {
	return len(word) > 1 && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsUpper(r) })
}

// roleFor is the class of a preposition here. After "prefer", "over" and "to"
// say what is not preferred, as "instead of" does, whose "of" adds nothing.
func (r *reader) roleFor(role string) string {
	if r.role == roleThan {
		return roleThan
	}
	if role == roleTo || role == roleOver {
		for _, w := range r.out.words {
			if w.clause == r.clause && w.key == "prefer" {
				return roleThan
			}
		}
	}
	return role
}

// deny notes a negation. "No" and its like deny the verb before them too: "needs
// no server" is "does not need a server".
func (r *reader) deny(word string) {
	r.not = true
	n := len(r.out.words)
	if n > 0 && r.out.words[n-1].plain == "must" && r.language == English {
		r.out.words[n-1].key = "may" // "must not" is "may not", and not "need not"
	}
	if r.lists.nones[word] && n > 0 && r.out.words[n-1].clause == r.clause && !r.out.words[n-1].value {
		r.out.words[n-1].not = true
	}
}

func (r *reader) endClause() {
	r.clause++
	r.keepRawClause()
	r.role, r.not = "", false
}

// keepRawClause makes room for the words of the present clause.
func (r *reader) keepRawClause() {
	for len(r.out.raw) <= r.clause {
		r.out.raw = append(r.out.raw, nil)
	}
}

func (r *reader) endNumber() { r.addNumber("") }

// addNumber adds the number that waits, with its unit.
func (r *reader) addNumber(unit string) {
	if r.pending == "" {
		return
	}
	key := numberKey(r.pending, unit)
	r.pending = ""
	r.add(wordSaid{key: key, plain: key, value: true, number: true})
}

func (r *reader) add(w wordSaid) {
	w.role, w.not, w.clause, w.done = r.role, r.not, r.clause, r.passive
	w.opens = len(r.out.words) == 0 || r.out.words[len(r.out.words)-1].clause != r.clause
	if w.role == "" && r.lists.times[w.key] {
		w.role = roleAt
	}
	r.role, r.passive = "", false
	r.out.words = append(r.out.words, w)
}

// dropClassNouns leaves out what only tells of which kind a named thing is:
// "branch" in "the branch release/4.2", "port" in "port 8080".
func (r *reader) dropClassNouns() {
	words := r.out.words
	r.named = append(r.named, make([]bool, len(words)-len(r.named))...)
	kept := make([]wordSaid, 0, len(words))
	for i, w := range words {
		beside := func(j int) bool { return j >= 0 && j < len(words) && words[j].value && words[j].clause == w.clause }
		if r.named[i] && (beside(i+1) || beside(i-1) && !words[i-1].number) {
			// The role goes on to the name: "from the branch x" is "from x".
			if beside(i+1) && words[i+1].role == "" {
				words[i+1].role = w.role
			}
			continue
		}
		kept = append(kept, words[i])
	}
	r.out.words = kept
}
