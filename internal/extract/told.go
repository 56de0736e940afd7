package extract

import (
	"strings"
	"unicode"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// Bounds of the statements taken from one prompt.
const (
	maxTold    = 3   // statements of one prompt
	maxJoined  = 330 // bytes of sentences that are kept together
	toldBar    = 0.55
	maxReason  = 150 // bytes of a sentence that says why, after the one it is about
	shortestOf = 12  // bytes of a statement
)

// told are the facts, rules, choices and ways of doing things that the person
// states, in whatever words: a statement counts by what in it speaks of more
// than this hour.
func (s *session) told() []found {
	var out []found
	for at, e := range s.events {
		if e.Kind != transcript.Prompt || !s.weighed(at) || pasted(e.Text) || writing.Match(e.Text) {
			continue
		}
		out = append(out, s.toldIn(at)...)
	}
	return out
}

// telling is one statement of a prompt and its weight.
type telling struct {
	text  string
	typ   string
	score float64
	para  int
	turns bool // it answers what was objected to or taken back
	short bool // it answers a question, and is not complete without it
}

func (s *session) toldIn(at int) []found {
	list := s.meant(at)
	taken := s.takenBack(at)
	var out []found
	for i := 0; i < len(list) && len(out) < maxTold; i++ {
		if steps, ok := stepsOf(list[i].text); ok {
			out = append(out, s.candidate(steps, memory.TypeProcedure, "steps that the person told", 0.72, at))
			continue
		}
		one := s.weigh(at, list, i)
		if i > 0 && pointsAt.Match(one.text) && list[i-1].para == one.para && len(list[i-1].text)+len(one.text) < maxJoined {
			one.text = ended(list[i-1].text) + " " + sentenceCase(one.text)
		}
		if one.score < toldBar || taken && one.typ != memory.TypePreference {
			continue
		}
		for i+1 < len(list) && s.continues(at, one, list, i+1) {
			i++
			one.text = ended(one.text) + " " + ended(sentenceCase(list[i].text))
		}
		out = append(out, s.candidate(s.complete(at, one), one.typ, "told by the person", min(0.86, 0.3+0.6*one.score), at))
	}
	return out
}

// meant are the sentences of a prompt that its writer stands by: without
// questions, secrets, talk, and what the same prompt takes back.
func (s *session) meant(at int) []telling {
	var out []telling
	turns := false
	for i, one := range prose(s.events[at].Text) {
		text := one.text
		if i == 0 && objectsFirst.Match(text) {
			turns = true
		}
		for back := retracts.Find(text); back != nil; back = retracts.Find(text) {
			rest := strings.TrimLeft(text[back[1]:], " ,.;:!–—-")
			before := strings.TrimSpace(text[:back[0]])
			out, turns = nil, true
			text = rest
			if before != "" && len(lexis.Content(before)) > 3 && len(rest) < shortestOf {
				text = ""
			}
		}
		text = withoutRequests(bareOf(text))
		if question(text) || len(text) < shortestOf || len(text) > maxSentence || holdsSecret(text) || s.quoted(text) {
			continue
		}
		out = append(out, telling{text: text, para: one.para, turns: turns})
	}
	return out
}

// bareOf takes off the front of a sentence what only answers, greets or agrees.
func bareOf(text string) string {
	for range 4 {
		lead := agreesFirst.Find(text)
		if lead == nil {
			lead = objectsFirst.Find(text)
		}
		if lead == nil || lead[1] >= len(text) || !leadEnds(text, lead[1]) {
			break
		}
		text = strings.TrimLeft(text[lead[1]:], " ,.;:!–—-")
	}
	return strings.TrimSpace(text)
}

// leadEnds reports whether a word that may lead a sentence does no more than
// that: "no, use tabs" and "please use tabs", but not "no LINQ in loops".
func leadEnds(text string, at int) bool {
	lead := strings.ToLower(strings.Trim(text[:at], " \t"))
	return strings.ContainsAny(lead[len(lead)-1:], ",.!:;") || strings.TrimLeft(text[at:], " ") != text[at:] && strings.ContainsAny(text[at:at+1], ",.!:;") ||
		!strings.HasPrefix(lead, "no")
}

// withoutRequests takes off the end of a statement the work that it asks for,
// and what it says by the way.
func withoutRequests(text string) string {
	text = trailing.Replace(text, "")
	return asideEnds.Replace(text, "")
}

var asideEnds = lexis.Lazy(`(?i)(?:,? (?:by the way|btw|übrigens|por cierto))?, you (?:wrote|did|used|forgot|skipped) [^,;]*$`)

var (
	credential = lexis.Lazy(`://[^\s/:@]+:[^\s/@]+@|\S+@\S+ */ *\S{6,}|(?:^|\s)[A-Za-z_]{2,8}[-_][A-Za-z0-9_-]{14,}|\b[0-9a-f]{16,}\b`)
	wordlike   = lexis.Lazy("^[\\pL]+[.,;:!?]?$|^`[^`]*`[.,;]?$")
)

// holdsSecret reports whether a sentence tells a password or a key. What is not
// kept cannot leak; the redactor looks at the rest again.
func holdsSecret(text string) bool {
	if credential.Match(text) {
		return true
	}
	at := namesSecret.Find(text)
	if at == nil {
		return false
	}
	for _, w := range strings.Fields(text[at[1]:]) {
		if len(w) >= 6 && !wordlike.Match(w) && (strings.ContainsFunc(w, unicode.IsDigit) || strings.ContainsAny(w, "!$%*+_&-")) {
			return true
		}
	}
	return false
}

// pointsAt matches a wish about what was said just before: "I don't want it in the API".
var pointsAt = lexis.Lazy(`(?i)^I (?:don'?t|do not|never|only) (?:\w+ )?(?:want|like|need) (?:it|that|this|them)\b`)

// sign is one trait of a statement and its weight for or against keeping the
// statement.
type sign struct {
	says  lexis.Pattern
	worth float64
}

// lasting are the traits of what holds for longer than this hour.
var lasting = []sign{
	{saysAlways, 0.5},
	{saysNever, 0.5},
	{saysPrefers, 0.6},
	{saysReminder, 0.5},
	{saysDecides, 0.4},
	{saysMust, 0.3},
	{saysContrast, 0.3},
	{saysReason, 0.25},
	{saysStanding, 0.25},
	{saysTime, 0.25},
	{saysDemand, 0.3},
	{saysHabit, 0.3},
	{saysScope, 0.15},
	{measured, 0.15},
}

// measured are figures with their units.
var measured = lexis.Lazy(`(?i)\b\d+(?:[.,]\d+)? ?(?:ms|s|sec|min|h|hz|khz|mhz|ghz|[kmg]i?b|[km]?bit/s|[km]?bps|baud|m?v|m?a|m?w|mm|cm|m|km|m/s|kg|g|dpi|px|rpm|fps|%|percent|°c?|grad|grados|euros?|€|dollars?|\$|kilos?|litros?|liter)(?:\W|$)`)

// weigh says how much a statement speaks of more than this hour, and of what type it is.
func (s *session) weigh(at int, list []telling, i int) telling {
	one := list[i]
	text := one.text
	if saysHedge.Match(text) || saysWish.Match(text) || chats.Match(text) && len(lexis.Content(text)) < 8 || tasks.Match(text) || noWish.Match(text) {
		return telling{}
	}
	whole := text // with what leans on it: "That's a requirement"
	if i+1 < len(list) && list[i+1].para == one.para && leans(list[i+1].text) {
		whole += " " + list[i+1].text
	}
	for _, trait := range lasting {
		if trait.says.Match(whole) {
			one.score += trait.worth
		}
	}
	one.score += s.plainly(at, text, i)
	firm := saysAlways.Match(text) || saysNever.Match(text) || saysPrefers.Match(text) || saysReminder.Match(text) || saysDecides.Match(text)
	if specific(text) {
		one.score += 0.1
	}
	if one.turns {
		one.score += 0.2
		if saysChooses.Match(text) || saysChosen.Match(text) {
			one.score += 0.3
		}
	}
	answers := i == 0 && leans(text) && s.askedBefore(at) != ""
	switch {
	case answers:
		one.score += 0.25
	case (i == 0 || s.opens(at)) && !firm && !one.turns && s.worked(at) && !s.takenUpFirst(at) && (saysTrouble.Match(text) || !saysReason.Match(text)):
		one.score -= 0.3 // the trouble, or the work, that the rest of the turn is about
	case one.turns && !s.worked(at) && s.takenUpFirst(at) && (leans(text) || declares.Match(text)):
		one.score += 0.25
	}
	if s.answersChoice(at) && i == 0 && (saysReason.Match(text) || saysDecides.Match(text)) {
		one.score += 0.35
		one.short = true
	}
	one.score -= s.ofTheHour(text, firm)
	one.typ = typeOf(text, one)
	return one
}

var (
	pointsBack = lexis.Lazy(`(?i)\b(?:option|approach|alternative|variant|choice) (?:\d|[a-d]\b|one|two|three)|\bthe (?:first|second|third|last|latter|former|other)(?: (?:one|option|approach|way|idea)\b|[.!]?$)|\byour (?:\w+ )?(?:suggestion|proposal|idea|version|approach|solution)\b|\b(?:that|this) (?:one|way|approach|plan)\b`)
	stillSo    = lexis.Lazy(`(?i)\b(?:is|are) still\b`)
)

// ofTheHour is what speaks against keeping a statement.
func (s *session) ofTheHour(text string, firm bool) float64 {
	against := 0.0
	if saysNow.Match(text) {
		against += 0.5
	}
	if tellsStory.Match(text) && !saysPrefers.Match(text) {
		against += 0.4
	}
	if asksForWork.Match(text) && !firm {
		against += 0.35
	}
	if saysTrouble.Match(text) && !firm && !saysReason.Match(text) && !saysContrast.Match(text) {
		against += 0.4
	}
	if pointsBack.Match(text) || aboutHere.Match(text) || vague.Match(text) || chat.Match(text) {
		against += 0.4
	}
	if leans(text) || len(lexis.Content(text)) < 3 {
		against += 0.2
	}
	if passing.Match(text) || stillSo.Match(text) {
		against += 0.5
	}
	if letUs.Match(text) && unnamed.Match(text) && !specific(text) || fewWords(text) {
		against += 0.4 // what to do next
	}
	return against
}

// fewWords reports whether a statement has too little in it to be understood later.
func fewWords(text string) bool {
	n := len(lexis.Content(text))
	return n < 4 && !saysReason.Match(text) && !saysNever.Match(text) && (n < 2 || !named.Match(text) && !declares.Match(text))
}

func typeOf(text string, one telling) string {
	switch {
	case saysPrefers.Match(text):
		return memory.TypePreference
	case one.short || saysDecides.Match(text) || one.turns && saysChosen.Match(text):
		return memory.TypeDecision
	case saysNever.Match(text) && !saysReason.Match(text), saysAlways.Match(text) && !saysStanding.Match(text):
		return memory.TypePreference
	default:
		return memory.TypeFact
	}
}

// continues reports whether the next sentence belongs to what was just told: it
// leans on it, says why, or goes on with a statement of its own.
func (s *session) continues(at int, one telling, list []telling, i int) bool {
	next := list[i]
	if next.para != one.para || len(one.text)+len(next.text) > maxJoined || saysHedge.Match(next.text) || saysWish.Match(next.text) || chats.Match(next.text) {
		return false
	}
	if _, steps := stepsOf(next.text); steps || asksForWork.Match(next.text) && !saysChooses.Match(next.text) {
		return false
	}
	if saysNow.Match(next.text) || tellsStory.Match(next.text) {
		return false
	}
	weighed := s.weigh(at, list, i)
	return leans(next.text) || weighed.score >= toldBar && weighed.typ == one.typ || len(next.text) <= maxReason && !saysTrouble.Match(next.text) ||
		len(next.text) <= maxReason && one.typ == memory.TypePreference
}

// answersChoice reports whether the person chooses between what a question of
// theirs, or of the model, offered.
func (s *session) answersChoice(at int) bool {
	for i := at - 1; i >= 0; i-- {
		e := s.events[i]
		if e.Kind != transcript.Prompt && e.Kind != transcript.Said {
			continue
		}
		for _, one := range sentences(e.Text) {
			if question(one) && alternatives.Match(one) {
				return true
			}
		}
		if e.Kind == transcript.Prompt {
			return false
		}
	}
	return false
}

var alternatives = lexis.Lazy(`(?i)\s(?:or|oder|o)\s`)

// complete makes a statement one that is understood without the session: a
// short answer gets the words in which the model took it up.
func (s *session) complete(at int, one telling) string {
	text := ended(sentenceCase(one.text))
	if one.short || leans(one.text) {
		if echo := s.takenUp(at, one.text); echo != "" {
			text += " (" + strings.TrimRight(echo, ".! ") + ".)"
		}
	}
	if asked := s.askedBefore(at); leans(one.text) && asked != "" {
		text += " (Answers: \"" + asked + "\")"
	}
	switch one.typ {
	case memory.TypePreference:
		return "User preference: " + text
	case memory.TypeDecision:
		return "Decision: " + text
	default:
		return text
	}
}

// askedBefore is the question of the prompt before, when the model answered it
// without any work, so that the next words of the person are about the answer.
func (s *session) askedBefore(at int) string {
	before := -1
	for i := at - 1; i >= 0 && before < 0; i-- {
		if s.events[i].Kind == transcript.Prompt {
			before = i
		}
	}
	if before < 0 || s.worked(before) || pasted(s.events[before].Text) {
		return ""
	}
	asked := ""
	for _, one := range prose(s.events[before].Text) {
		if question(one.text) && len(one.text) < maxReason {
			asked = bareOf(one.text)
		}
	}
	return asked
}

// takenUp is the sentence with which the model acknowledges the prompt.
func (s *session) takenUp(at int, text string) string {
	words := lexis.Set(text)
	for i := at + 1; i < s.nextPrompt(at); i++ {
		if s.events[i].Kind != transcript.Said {
			continue
		}
		for _, one := range prose(s.events[i].Text) {
			if !question(one.text) && len(one.text) < 200 && lexis.Overlap(lexis.Content(one.text), words) > 0.2 && !s.denied(i) {
				return one.text
			}
		}
		return ""
	}
	return ""
}

// takenBack reports whether the next prompt takes back what this one decided.
func (s *session) takenBack(at int) bool {
	next := s.nextPrompt(at)
	if next >= len(s.events) {
		return false
	}
	text := s.events[next].Text
	back := retracts.Find(text)
	return back != nil && len(strings.Fields(text[:back[0]])) <= maxBefore
}

// maxBefore is how many words may stand before what takes back the last thing
// said; in a longer sentence the same words have a meaning of their own.
const maxBefore = 2
