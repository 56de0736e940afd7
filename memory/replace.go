package memory

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds of telling that a text replaces an older one: the share of the
// older text, by weight, that the newer one must cover.
const (
	coveredOfRetired = 0.6  // when it says that something of it is over
	coveredOfDenied  = 0.7  // when it only denies something of it
	coveredOfNow     = 0.75 // when it says what holds now
)

// The weights of what a text says when coverage is counted.
const (
	weightOfValue   = 1.5 // numbers, paths and names
	weightOfWord    = 1.0
	weightOfGeneric = 0.3 // "use", "run", "version": said of anything
)

// saying is a wording with what is needed to tell whether it replaces another.
type saying struct {
	wording
	weights []float64 // of each word
	all     float64   // their sum
	retired []bool    // for each word: the text says that this is over
	cues    cueKind   // of the whole text

	question bool // it ends with a question mark
}

// longestStated is how many words a text may have to be taken for a statement
// about one thing: a long one speaks of everything.
const longestStated = 40

func (s saying) long() bool { return len(s.words) > longestStated }

// cueKind says how a text tells of a change.
type cueKind int

const (
	cueOver   cueKind = 1 << iota // "no longer", "was removed": what its clause names is over
	cueChange                     // "moved", "switched": what stands after "from" is over
	cueNow                        // "now", "since", "from now on"
)

// sayingOf reads a text.
func sayingOf(text string) saying {
	s := saying{wording: wordingOf(LanguageOf(text), text), question: strings.HasSuffix(strings.TrimRight(text, "\"' \n"), "?")}
	lists := wordListsOf(s.language)
	s.weights, s.retired = make([]float64, len(s.words)), make([]bool, len(s.words))
	over := make([]bool, len(s.raw))
	for i, clause := range s.raw {
		kind := cuesIn(s.language, clause)
		over[i] = kind&cueOver != 0
		s.cues |= kind
	}
	for i, w := range s.words {
		s.weights[i] = weightOfWord
		switch {
		case w.value, w.name:
			s.weights[i] = weightOfValue
		case lists.generic[w.key]:
			s.weights[i] = weightOfGeneric
		}
		s.all += s.weights[i]
		s.retired[i] = over[w.clause] || w.role == roleThan || w.role == roleFrom && s.cues&cueChange != 0 || w.not
	}
	return s
}

// replaces reports whether a text says that an older one is no longer so: it
// speaks of the same thing, and says of something in the older one that it is
// over, or what holds instead.
func replaces(newer, older saying) bool {
	if newer.cues == 0 || older.all == 0 || newer.long() || older.question || newer.question {
		return false
	}
	if otherScope(newer, older) {
		return false
	}
	var covered float64
	over := false
	for i, w := range older.words {
		at := newer.find(w)
		if at < 0 {
			continue
		}
		covered += older.weights[i]
		over = over || newer.retired[at] && !older.retired[i] && !w.not && w.role != roleFrom && older.weights[i] > weightOfGeneric
	}
	share := covered / older.all
	switch {
	case over && newer.cues&(cueOver|cueChange) != 0:
		return share >= coveredOfRetired
	case over && newer.cues != 0:
		return share >= coveredOfDenied
	case newer.cues&cueNow != 0:
		return share >= coveredOfNow && older.lacksOnlyValues(newer)
	}
	return false
}

// find returns the place of a word in a text, -1 if it is not there: the word
// itself before one akin to it, and of two one that is retired.
func (s saying) find(w wordSaid) int {
	best, rank := -1, 0
	for i, x := range s.words {
		if !w.sameWord(x) {
			continue
		}
		r := 1
		if w.key == x.key {
			r = 3
		}
		if s.retired[i] {
			r++
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}

// sameWord reports whether two words mean one thing: values exactly, but for a
// unit that one leaves out; plain words also with other endings and as a part
// of a compound.
func (w wordSaid) sameWord(x wordSaid) bool {
	if w.key == x.key {
		return true
	}
	if w.number && x.number {
		one, unit, _ := strings.Cut(w.key, " ")
		other, unit2, _ := strings.Cut(x.key, " ")
		return one == other && (unit == "" || unit2 == "")
	}
	if w.value || x.value {
		return false
	}
	const leastAkin = 0.7
	return utf8.RuneCountInString(w.plain) > 3 && max(akin(w.plain, x.plain), akin(x.plain, w.plain)) >= leastAkin
}

// lacksOnlyValues reports whether all that another text does not have of this
// one are values and names, and it has one of its own in their place.
func (s saying) lacksOnlyValues(other saying) bool {
	for i, w := range s.words {
		if other.find(w) < 0 && !w.value && !w.name && s.weights[i] > weightOfGeneric {
			return false
		}
	}
	return slices.ContainsFunc(other.words, func(w wordSaid) bool { return (w.value || w.name) && s.find(w) < 0 })
}

// otherScope reports whether two texts are about different environments,
// regions or platforms: each names another one.
func otherScope(a, b saying) bool {
	return onlyIn(a, b) && onlyIn(b, a)
}

func onlyIn(a, b saying) bool {
	lists := wordListsOf(a.language)
	return slices.ContainsFunc(a.words, func(w wordSaid) bool { return lists.scopes[w.key] && b.find(w) < 0 })
}

// otherValue reports whether two texts say the same of one thing but for one
// number, or but for "not": then one of them no longer holds. A change of a
// mere numbering, such as "board 3", makes another thing, and not another
// value.
func otherValue(a, b saying) bool {
	if a.language != b.language || len(a.words) != len(b.words) || len(a.words) < 3 {
		return false
	}
	differ := -1
	for i, w := range a.words {
		x := b.words[i]
		if w.key == x.key && w.not == x.not && w.role == x.role {
			continue
		}
		number := w.number && x.number && w.key != x.key && unitOf(w.key) == unitOf(x.key) && i >= 2 && !wordListsOf(a.language).numbered[a.words[i-1].key]
		flipped := w.key == x.key && w.role == x.role && w.not != x.not
		if differ >= 0 && !(flipped && differ == i-1 && a.words[differ].key == b.words[differ].key) || !number && !flipped {
			return false
		}
		differ = i
	}
	return differ >= 0
}

func unitOf(key string) string {
	if rest, clock := strings.CutPrefix(key, "clock "); clock && rest != "" {
		return "clock"
	}
	_, unit, _ := strings.Cut(key, " ")
	return unit
}
