package extract

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// Shares of words by which a text repeats another.
const (
	echoShare   = 0.6  // of a text's words in a shown memory: it repeats the memory, unless it says another thing of it
	repeatShare = 0.65 // of a candidate's words in another one: it is that one again
	sameShare   = 0.8  // of the words of both in the other: the two are about the same
)

// shown is one text that memory put into the session.
type shown struct {
	text   string
	words  map[string]bool
	folded string // with a space at both ends; empty until it is needed
	parts  []statement
}

// parsed takes a shown text apart, which only the few that a candidate may
// repeat are worth.
func (m *shown) parsed() *shown {
	if m.folded == "" {
		m.folded, m.parts = " "+fold(m.text)+" ", statements(m.text)
	}
	return m
}

// has reports whether a value stands in a shown text, however it is set.
func (m *shown) has(value string) bool {
	f := fold(value)
	m.parsed()
	if f == "" || strings.Contains(m.folded, " "+f+" ") {
		return true
	}
	return slices.ContainsFunc(m.parts, func(p statement) bool {
		return slices.ContainsFunc(p.words, func(w factWord) bool { return w.text == value || w.value && sameValue(w.text, value) })
	})
}

// frames stand around the text of a memory where it is shown in a list.
var frames = lexis.Lazy(`^\s*(?:[-*•]\s+)?(?:\[[^\]\n]{1,40}\]\s+)?|\s*\((?:id )?[0-9a-fA-F-]{8,36}(?:, \d\.\d+)?\)\s*$`)

// shownTexts takes apart what memory put into a session: each line, and each
// text of a JSON answer, is one. A list of memories is many texts, and words
// gathered from all of them would match anything.
func shownTexts(known []string) []*shown {
	out := []*shown{}
	for _, text := range known {
		for line := range strings.SplitSeq(text, "\n") {
			for _, one := range jsonTexts(line, maxNested) {
				one = frames.Replace(one, "")
				if tells(one) {
					out = append(out, shownAs(one))
				}
			}
		}
	}
	return out
}

func shownAs(text string) *shown { return &shown{text: text, words: lexis.Set(text)} }

// maxNested bounds how deep JSON in the strings of JSON is looked into.
const maxNested = 3

// jsonTexts returns the lines of the strings in a JSON object or list, and
// any other line as it is.
func jsonTexts(line string, depth int) []string {
	trimmed := strings.TrimSpace(line)
	if depth == 0 || trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
		return []string{line}
	}
	var v any
	if json.Unmarshal([]byte(trimmed), &v) != nil {
		return []string{line}
	}
	var out []string
	for _, text := range stringsIn(v, nil) {
		for l := range strings.SplitSeq(text, "\n") {
			out = append(out, jsonTexts(l, depth-1)...)
		}
	}
	return out
}

// stringsIn collects the strings of a decoded JSON value.
func stringsIn(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		return append(out, v)
	case []any:
		for _, item := range v {
			out = stringsIn(item, out)
		}
	case map[string]any:
		for _, item := range v {
			out = stringsIn(item, out)
		}
	}
	return out
}

// recalled reports whether a text, or one sentence of it, repeats what memory
// put into the session. A text that says another number, version, path or name
// of the same thing, or denies it, is news. own says that they are the
// person's words: those are news, too, when one word was replaced.
func (s *session) recalled(text string, own bool) bool {
	if len(s.known) == 0 {
		return false
	}
	if s.shown == nil {
		s.shown = shownTexts(s.known)
	}
	if s.echoes(text, own) {
		return true
	}
	list := sentences(text)
	return len(list) > 1 && slices.ContainsFunc(list, func(one string) bool {
		return len(lexis.Content(one)) >= 4 && s.echoes(one, own)
	})
}

func (s *session) echoes(text string, own bool) bool {
	words := lexis.Content(text)
	return slices.ContainsFunc(s.shown, func(m *shown) bool {
		return lexis.Overlap(words, m.words) >= echoShare && !differs(text, m, s.shown, own)
	})
}

// differs reports whether a text resembles a shown memory and still says
// something different. A value in another shown text on the same subject is known.
func differs(text string, m *shown, all []*shown, own bool) bool {
	said := lexis.Set(text)
	news := func(value string) bool {
		return !m.has(value) && !slices.ContainsFunc(all, func(other *shown) bool {
			return share(other.words, said) >= sameShare && other.has(value)
		})
	}
	parts := statements(text)
	for _, p := range parts {
		for _, q := range m.parsed().parts {
			if p.replaces(q, news, own) {
				return true
			}
		}
	}
	return denies(parts, m.parts)
}

// denies reports whether one text has a statement of the other with a "not"
// more, or without its "not".
func denies(a, b []statement) bool {
	opposed := false
	for _, p := range a {
		for _, q := range b {
			if !p.about(q) {
				continue
			}
			if p.negations == q.negations || p.weighs || q.weighs {
				return false
			}
			opposed = opposed || min(p.negations, q.negations) == 0 && max(p.negations, q.negations) == 1
		}
	}
	return opposed
}

// repeats reports whether most words of a text are in another, and it says
// nothing else of the same thing.
func repeats(text, of string) bool {
	m := shownAs(of)
	return lexis.Overlap(lexis.Content(text), m.words) >= repeatShare && !differs(text, m, nil, false)
}

// share is overlap for sets.
func share(set, in map[string]bool) float64 {
	if len(set) == 0 {
		return 0
	}
	n := 0
	for w := range set {
		if in[w] {
			n++
		}
	}
	return float64(n) / float64(len(set))
}
