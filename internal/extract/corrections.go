package extract

import (
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

var (
	objects   = lexis.Lazy(`(?i)^(?:(?:hm+|uh|oh|wait|stop|hey|sorry)[,.! ]+)*(?:no|nope|wrong|incorrect|not (?:quite|right)|actually|wrong\b[^,.:]{0,20}|incorrect|not (?:quite|right)|that'?s (?:wrong|not right|incorrect|not correct|not how)|don'?t|do not|please don'?t|stop)\b[,.!:;—–-]*`)
	imperious = lexis.Lazy(`(?i)^(?:(?:please|just|we|you (?:should|must|have to)|always) )*(?:use|run|prefer|write|put|call|name|import|install|deploy|commit|target|keep|go through|do)\b`)
	states    = lexis.Lazy(`(?i)\b(?:is|are|was|were|lives?|runs?|uses?|needs?|requires?|has|have|goes|go|belongs?|listens?|expects?|means?|comes?|must)\b`)
	contrast  = lexis.Lazy(`(?i)\b(?:instead of|rather than|not|never|no longer|over)\b`)
	aboutHere = lexis.Lazy(`(?i)\b(?:the other (?:one|file|way|function|test)|(?:that|this|wrong) (?:one|file|line|function|way|part|bit)|not that|i (?:meant|mean|said|asked|want(?:ed)?)|undo|revert (?:that|it|this)|try again|look again|you (?:forgot|missed|broke|removed|deleted|already)|continue|go on|as i said|above|below|here'?s|like this|see (?:the )?(?:screenshot|log|output))\b`)
	notThat   = lexis.Lazy(`(?i), (?:and )?not \w`)
	useThat   = lexis.Lazy(`(?i)^(?:please |just |we )?use [\w.@/-]+$`)
	vague     = lexis.Lazy(`(?i)^(?:do|use|keep|put|call|run) (?:it|that|this|them)\b[^,;]{0,15}$|^(?:please |just )?(?:put|keep|call|name|make|move|do) (?:it|that|this|them|these|those)\b`)
)

// correction is what follows a no: what to use instead, or how it really is.
func (s *session) correction(at int, list []sentence) (found, bool) {
	if at == 0 || len(list) == 0 || !s.spokenBefore(at) {
		return found{}, false
	}
	lead := objects.Find(list[0].text)
	if lead == nil {
		return found{}, false
	}
	if !leadEnds(list[0].text, lead[1]) {
		return found{}, false // "No LINQ in loops" forbids, and objects to nothing
	}
	payload := strings.TrimSpace(list[0].text[lead[1]:])
	word := strings.ToLower(list[0].text[:lead[1]])
	if strings.Contains(word, "don") || strings.Contains(word, "do not") || word == "stop" {
		payload = list[0].text
	}
	if len(lexis.Content(payload)) == 0 && len(list) > 1 {
		payload = list[1].text
	}
	if before, after, ok := strings.Cut(payload, ": "); ok && len(before) < 40 && imperious.Match(after) {
		payload = after
	}
	return s.corrected(at, strings.TrimRight(payload, ".! "))
}

// correction is what a person said is right.
type correction struct {
	text  string
	words int    // of content
	tried string // the command that it may be about
}

// correctionKind is a way in which a correction says what is right.
type correctionKind struct {
	rule  string
	score float64
	fits  func(correction) bool
}

// correctionKinds are tried in this order, the surest first.
var correctionKinds = []correctionKind{
	{withAlternative, 0.74, func(c correction) bool {
		return c.words >= 2 && contrast.Match(c.text) && (imperious.Match(c.text) || states.Match(c.text))
	}},
	{withAlternative, 0.7, func(c correction) bool {
		return c.words >= 2 && contrast.Match(c.text) && strings.Contains(strings.ToLower(c.text), "use ")
	}},
	{withAlternative, 0.66, func(c correction) bool {
		return c.words >= 3 && notThat.Match(c.text) && specific(c.text)
	}},
	{bareCorrection, 0.64, func(c correction) bool {
		return c.words >= 2 && imperious.Match(c.text) && (specificEnough(c.text) || useThat.Match(c.text) && c.tried != "")
	}},
	{"correction of a fact", 0.62, func(c correction) bool {
		return c.words >= 3 && states.Match(c.text) && specific(c.text) && !leans(c.text) && !strings.Contains(c.text, " still ")
	}},
}

const (
	withAlternative = "correction with its alternative"
	bareCorrection  = "correction"
)

// corrected makes a candidate of what the person said is right.
func (s *session) corrected(at int, payload string) (found, bool) {
	if unsettled(payload) || noWish.Match(payload) || aboutHere.Match(payload) || vague.Match(payload) || len(payload) > maxSentence || !firm(plans.Replace(payload, "")) {
		return found{}, false
	}
	c := correction{text: payload, words: len(lexis.Content(payload)), tried: s.triedBefore(at)}
	for _, kind := range correctionKinds {
		if kind.fits(c) {
			return s.candidate(ended(c.told(kind.rule)), memory.TypePreference, kind.rule, kind.score, at), true
		}
	}
	return found{}, false
}

// told is the text of a correction. A bare correction gets the corrected words
// in front.
func (c correction) told(rule string) string {
	text := "User correction: " + strings.TrimRight(sentenceCase(c.text), ". ")
	if rule == bareCorrection && c.tried != "" && !contrast.Match(c.text) {
		text += fmt.Sprintf(" (said after `%s` was tried)", lexis.Clip(oneLine(c.tried), 80))
	}
	return text
}

// specificEnough is specific for commands of few words: "use pnpm here".
func specificEnough(text string) bool { return named.Match(text) || len(lexis.Content(text)) >= 3 }

// spokenBefore reports whether there was something to object to.
func (s *session) spokenBefore(at int) bool {
	for i := at - 1; i >= 0; i-- {
		switch s.events[i].Kind {
		case transcript.Said, transcript.Called:
			return true
		case transcript.Prompt:
			return false
		}
	}
	return false
}

// triedBefore returns the last shell command before a prompt, of its turn.
func (s *session) triedBefore(at int) string {
	for i := at - 1; i >= 0 && s.events[i].Kind != transcript.Prompt; i-- {
		if e := s.events[i]; e.Kind == transcript.Called && e.Tool.Name == "Bash" {
			return e.Tool.Field("command")
		}
	}
	return ""
}
