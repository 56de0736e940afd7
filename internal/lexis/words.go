package lexis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// StopWords of English, which say nothing of what a text is about, and the
// labels that candidates begin with.
var StopWords = map[string]bool{
	"a": true, "an": true, "the": true, "and": true, "or": true, "but": true, "of": true, "to": true, "in": true, "on": true, "at": true,
	"for": true, "with": true, "by": true, "from": true, "as": true, "is": true, "are": true, "was": true, "were": true, "be": true, "been": true,
	"it": true, "its": true, "this": true, "that": true, "these": true, "those": true, "we": true, "i": true, "you": true, "they": true, "he": true, "she": true,
	"our": true, "your": true, "my": true, "not": true, "no": true, "so": true, "then": true, "than": true, "if": true, "do": true, "does": true, "did": true,
	"has": true, "have": true, "had": true, "will": true, "would": true, "can": true, "could": true, "should": true, "there": true, "here": true, "when": true,
	"which": true, "who": true, "what": true, "how": true, "because": true, "also": true, "just": true, "now": true, "all": true, "any": true, "into": true,
	"user": true, "error": true, "fix": true, "failed": true, "decision": true, "preference": true, "correction": true,
}

// Content returns the words of a text that carry meaning, in lower case,
// in order, with repeats.
func Content(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.DeleteFunc(words, func(w string) bool { return len(w) < 2 || StopWords[w] })
}

// Overlap is the share of a text's content words that another text has.
func Overlap(words []string, in map[string]bool) float64 {
	if len(words) == 0 {
		return 0
	}
	n := 0
	for _, w := range words {
		if in[w] {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// Set returns the content words of a text as a set.
func Set(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range Content(text) {
		set[w] = true
	}
	return set
}

// Clip shortens a text to at most limit bytes, at a space if there is one near.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	if i := strings.LastIndexByte(s[:end], ' '); i > end*2/3 {
		end = i
	}
	return strings.TrimSpace(s[:end])
}

// Stop reports whether a word, in lower case, is one that says nothing of what
// a text is about, in English, German or Spanish.
func Stop(word string) bool { return StopWords[word] || otherStops[word] }

// otherStops are those of German and Spanish.
var otherStops = stops(`
	der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen ist sind war waren wird werden wurde hat haben hatte
	ich du er sie es wir ihr mich mir dich uns euch sich mein dein sein unser im am um zu zum zur von vom vor nach mit bei aus auf für an in als wie wenn
	dass ob so auch nur noch schon dann denn weil da hier dort man mal bitte was wer wo wann ja nein doch sehr mehr über unter durch gegen ohne bis
	el la los las un una unos unas y o u e pero no ni es son era eran fue ser está están ha han hay he hemos lo le les se me te nos mi tu su sus
	de del al a en con por para sin sobre entre hasta desde como cuando que qué quien donde si sí ya más muy también solo este esta esto ese esa eso
	porque pues así aquí allí todo toda todos todas cada`)

func stops(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}
