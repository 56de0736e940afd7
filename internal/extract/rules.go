package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// found is a candidate and the event that completes it.
type found struct {
	Candidate
	at     int
	failed int // the event of the failure that it is about; 0 for none
}

// Rules finds candidates without a model, the best first, at most opts.Limit.
// Only what is completed by a New event is a candidate; Earlier and Ahead
// events are evidence, so that successive steps through a transcript never
// give the same one twice. The same events always give the same answer.
func Rules(events []transcript.Event, opts Options) []Candidate {
	opts = opts.withDefaults()
	return fromClean(events, opts.Redactor, func(events []transcript.Event) []Candidate { return rules(events, opts) })
}

func rules(events []transcript.Event, opts Options) []Candidate {
	s := newSession(events, slices.Clone(opts.Known))
	fresh := s.candidates(transcript.New, opts.MinScore)
	if len(fresh) == 0 {
		return nil
	}
	// What earlier steps found is not taken again when it is said again, as in
	// the summary of a long turn.
	before := s.candidates(transcript.Earlier, opts.MinScore)
	fresh = slices.DeleteFunc(fresh, func(f found) bool {
		return slices.ContainsFunc(before, func(b found) bool { return repeats(f.Text, b.Text) })
	})
	return best(fresh, opts.Limit)
}

// candidates are what all rules find that events of one state complete.
func (s *session) candidates(pass transcript.State, least float64) []found {
	s.pass = pass
	fits := func(list []found) []found {
		return slices.DeleteFunc(list, func(f found) bool { return f.Score < least || s.unfit(f) })
	}
	errors := s.mended(fits(s.fixes()), fits(s.explained()))
	wished := fits(slices.Concat(s.wishes(), s.decisions()))
	wished = together(wished, fits(s.told()))
	return slices.Concat(errors, fits(slices.Concat(s.learnings(), s.diagnoses())), wished, fits(slices.Concat(s.procedures(), s.episodes())))
}

// together joins what the rules for a form of sentence found with what was
// found by weighing: of the same words the former's, with what goes on after
// them.
func together(wished, told []found) []found {
	for _, t := range told {
		same := func(w found) bool { return w.at == t.at && alikeTexts(w.Text, t.Text) }
		i := slices.IndexFunc(wished, same)
		if i < 0 {
			wished = append(wished, t)
			continue
		}
		whole, ok := goesOn(wished[i].Text, t.Text)
		if !ok {
			continue
		}
		first := wished[i]
		first.Text = whole
		wished = append(slices.DeleteFunc(wished, same), first)
	}
	return wished
}

// goesOn appends to a text the rest of a longer text with the same beginning.
func goesOn(text, other string) (string, bool) {
	label, own := labelOf(text)
	_, theirs := labelOf(other)
	own = strings.TrimRight(own, ".! ")
	if len(theirs) < len(own)+10 || len(label)+len(theirs) > MaxTextBytes || !strings.EqualFold(theirs[:len(own)], own) {
		return text, false
	}
	return label + theirs, true
}

// labelOf splits the word off that says what kind of text it is.
func labelOf(text string) (label, rest string) {
	for _, label := range []string{"User preference: ", "User correction: ", "Decision: "} {
		if rest, ok := strings.CutPrefix(text, label); ok {
			return label, rest
		}
	}
	return "", text
}

var envDump = lexis.Lazy(`\b[A-Z][A-Z0-9_]{2,}=`)

// dumpsEnvironment reports whether a text sets three variables or more.
func dumpsEnvironment(text string) bool {
	names := map[string]bool{}
	for _, name := range envDump.Compiled().FindAllString(text, -1) {
		names[name] = true
	}
	return len(names) >= 3
}

// unfit says no to what must not become a memory, whatever rule found it.
func (s *session) unfit(f found) bool {
	return len(f.Text) > MaxTextBytes || strings.ContainsFunc(f.Text, unicode.IsControl) || !utf8.ValidString(f.Text) || dumpsEnvironment(f.Text) || strings.Contains(f.Text, "```") ||
		s.recalled(f.Text, s.events[f.at].Kind == transcript.Prompt)
}

// best orders candidates and takes out those that repeat a better one.
func best(all []found, limit int) []Candidate {
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.at, b.at))
	})
	all = slices.DeleteFunc(all, func(f found) bool {
		// An error with its fix is found by the error: worth more than the fix alone.
		return f.Type == memory.TypeLearning && slices.ContainsFunc(all, func(e found) bool {
			return e.Type == memory.TypeError && repeats(f.Text, e.Text)
		})
	})
	var out []Candidate
	for _, f := range all {
		if len(out) >= limit {
			break
		}
		if !slices.ContainsFunc(out, func(c Candidate) bool { return alikeTexts(c.Text, f.Text) }) {
			out = append(out, f.Candidate)
		}
	}
	return out
}

// alikeTexts reports whether the shorter of two texts repeats the other.
func alikeTexts(a, b string) bool {
	if len(lexis.Content(a)) > len(lexis.Content(b)) {
		a, b = b, a
	}
	return repeats(a, b)
}

// candidate fills in what all candidates have alike.
func (s *session) candidate(text, typ, rule string, score float64, at int, sources ...int) found {
	score = min(max(score, 0), 1)
	return found{at: at, Candidate: Candidate{
		Text: text, Type: typ, Tags: tagsOf(typ, ""), Collection: memory.ShortTerm, Importance: importance(typ, score), Score: score,
		Rule: rule, UUIDs: s.uuids(append(sources, at)...), At: s.events[at].Time,
	}}
}

// tagsOf gives the tags by which hooks and people search.
func tagsOf(typ, kind string) []string {
	tags := []string{typ}
	if kind != "" && len(kind) <= memory.MaxTagBytes {
		tags = append(tags, strings.ToLower(kind))
	}
	return tags
}

// importance ranks statements of the person first, then findings, then finished
// work.
func importance(typ string, score float64) float64 {
	switch typ {
	case memory.TypePreference, memory.TypeDecision:
		return min(0.9, 0.3+0.6*score)
	case memory.TypeEpisode:
		return 0.3
	default:
		return min(0.8, 0.2+0.6*score)
	}
}

// sentenceCase begins a text with a capital, unless it begins with code or a
// name that is written small.
func sentenceCase(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	word, _, _ := strings.Cut(s, " ")
	if strings.ContainsAny(word, "._/-:0123456789") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// ended closes a text with a full stop.
func ended(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), " ,;:")
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}
