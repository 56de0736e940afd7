package extract

import (
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// wish is a way in which people say how they want things, for good.
type wish struct {
	rule  string
	words pattern
	score float64
}

var wishWords = []wish{
	{"from now on", lazy(`(?i)\b(?:from now on|going forward|in (?:the )?future\b|for future reference|as a (?:general )?rule\b|for next time|every time you)`), 0.78},
	{"always, never", lazy(`(?i)^(?:please,? |and |also,? |btw,? |by the way,? |oh,? |remember:? |note:? |but )*(?:always|never|(?:do not|don'?t) ever|make sure (?:you |to |that you )?(?:always|never))\b`), 0.76},
	{"I prefer", lazy(`(?i)\bI (?:really |strongly |always |usually |generally )?(?:prefer|hate (?:it )?when|like it when|don'?t like it when|want you to (?:always|never))\b`), 0.74},
	{"our convention", lazy(`(?i)\b(?:in this (?:repo(?:sitory)?|project|code ?base|team|company)|around here|our (?:convention|style|policy|rule|standard)s? (?:is|are|says?)|we (?:always|never|only ever)|we (?:don'?t|do not) (?:do|use|allow|commit|write|put|push|merge|mock)|we use .{2,60}(?:, not\b| instead of\b| here\b| everywhere\b| rather than\b))`), 0.68},
	{"ever", lazy(`(?i)^(?:no|don'?t|do not|never|only)\b.*,? (?:ever|at any time|under any circumstances)[.!]*$`), 0.68},
	{"keep it so", lazy(`(?i)^keep (?:your |the |all |my )?(?:answers?|replies|responses?|explanations?|commits?|commit messages|functions|prs?|pull requests|diffs?|summaries|comments)\b`), 0.68},
	{"for such things", lazy(`(?i)^(?:also,? |and )?for (?:[\w-]+ ){1,3}(?:I|we) (?:always |only )?(?:like|want|use|prefer)\b`), 0.66},
	{"stop doing", lazy(`(?i)^(?:please,? |and |also,? )*(?:stop|quit|avoid) \w+ing\b`), 0.62},
}

var (
	noWish = lazy(`(?i)^(?:please,? |and |also,? )*(?:always (?:\w+[^sei\W]s|fails|passes|returns|gives|breaks|crashes|works|happens|the|a|been|was|is)\b|never (?:mind|seen|heard|had|worked|been|fails|returns|happens|did|saw))|\bas always\b|\b(?:it|this|that|which|test|build|ci) (?:always|never)\b`)
	tasks  = lazy(`(?i)\b(?:can you|could you|would you|will you|please (?:add|fix|write|look|check|run|make|implement|create|update|refactor|explain|show|remove|rename)\b)`)
)

// maxPrompt is the length beyond which a prompt is a document that somebody
// pasted, and not what somebody said.
const maxPrompt = 4000

func pasted(text string) bool { return len(text) > maxPrompt || strings.Count(text, "\n") > 60 }

// wishes are what the person prefers, corrects and wants remembered.
func (s *session) wishes() []found {
	var out []found
	for at, e := range s.events {
		if e.Kind != transcript.Prompt || !s.isNew(at) || pasted(e.Text) {
			continue
		}
		list := prose(e.Text)
		correction, ok := s.correction(at, list)
		if ok {
			out = append(out, correction)
		}
		for _, one := range list {
			if f, ok := s.preference(at, one); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

var (
	hums     = lazy(`(?i)^(?:hm+|uh|oh|well)[,.! ]+`)
	leading  = lazy(`(?i)^(?:(?:and|but|also|oh|btw|by the way|please)[, ]+)+`)
	trailing = lazy(`(?i)[,;] (?:so |and )?(?:please|can you|could you) \w+.*$|,? please[.!]*$`)
	reminds  = lazy(`(?i)(?:^|, |; |\band |^btw,? )(?:please )?(?:(?:remember|keep in mind|don'?t forget|bear in mind) that|(?:for the record|fyi|for your information)[,:]|remember:) +(.+)$`)
	agrees   = lazy(`(?i)^\W*(?:no|nope|wrong|actually|incorrect)\b`)
)

// reminder is a fact that the person asked to remember.
func (s *session) reminder(at int, text string) (found, bool) {
	if question(text) || hedges.match(text) || nowOnly.match(text) || leans(text) || aboutHere.match(text) || len(contentWords(text)) < 3 || len(text) > maxSentence {
		return found{}, false
	}
	return s.candidate(ended(sentenceCase(text)), memory.TypeFact, "remember that", 0.76, at), true
}

func (s *session) preference(at int, one sentence) (found, bool) {
	text := trailing.replace(leading.replace(openers.replace(one.text, ""), ""), "")
	if m := reminds.groups(text); m != nil {
		return s.reminder(at, m[1])
	}
	text = hums.replace(text, "")
	if lead := objects.find(text); lead != nil && agrees.match(text[:lead[1]]) && strings.ContainsAny(text[lead[1]-1:lead[1]], ",.!:;-") {
		text = strings.TrimSpace(text[lead[1]:])
	}
	if question(text) || hedges.match(text) || nowOnly.match(text) || noWish.match(text) || tasks.match(text) || len(text) > maxSentence || s.quoted(text) {
		return found{}, false
	}
	if words := len(contentWords(text)); aboutHere.match(text) || words < 2 || words < 3 && !named.match(text) {
		return found{}, false
	}
	for _, w := range wishWords {
		if !w.words.match(text) {
			continue
		}
		score := w.score
		if specific(text) {
			score += 0.06
		}
		return s.candidate("User preference: "+ended(sentenceCase(text)), memory.TypePreference, w.rule, score, at), true
	}
	return found{}, false
}

var (
	objects   = lazy(`(?i)^(?:(?:hm+|uh|oh|wait|stop|hey|sorry)[,.! ]+)*(?:no|nope|wrong|incorrect|not (?:quite|right)|actually|wrong\b[^,.:]{0,20}|incorrect|not (?:quite|right)|that'?s (?:wrong|not right|incorrect|not correct|not how)|don'?t|do not|please don'?t|stop)\b[,.!:;—–-]*`)
	imperious = lazy(`(?i)^(?:(?:please|just|we|you (?:should|must|have to)|always) )*(?:use|run|prefer|write|put|call|name|import|install|deploy|commit|target|keep|go through|do)\b`)
	states    = lazy(`(?i)\b(?:is|are|was|were|lives?|runs?|uses?|needs?|requires?|has|have|goes|go|belongs?|listens?|expects?|means?|comes?|must)\b`)
	contrast  = lazy(`(?i)\b(?:instead of|rather than|not|never|no longer|over)\b`)
	aboutHere = lazy(`(?i)\b(?:the other (?:one|file|way|function|test)|(?:that|this|wrong) (?:one|file|line|function|way|part|bit)|not that|i (?:meant|mean|said|asked|want(?:ed)?)|undo|revert (?:that|it|this)|try again|look again|you (?:forgot|missed|broke|removed|deleted|already)|continue|go on|as i said|above|below|here'?s|like this|see (?:the )?(?:screenshot|log|output))\b`)
	notThat   = lazy(`(?i), (?:and )?not \w`)
	useThat   = lazy(`(?i)^(?:please |just |we )?use [\w.@/-]+$`)
	vague     = lazy(`(?i)^(?:do|use|keep|put|call|run) (?:it|that|this|them)\b[^,;]{0,15}$`)
)

// correction is what follows a no: what to use instead, or how it really is.
func (s *session) correction(at int, list []sentence) (found, bool) {
	if at == 0 || len(list) == 0 || !s.spokenBefore(at) {
		return found{}, false
	}
	lead := objects.find(list[0].text)
	if lead == nil {
		return found{}, false
	}
	payload := strings.TrimSpace(list[0].text[lead[1]:])
	word := strings.ToLower(list[0].text[:lead[1]])
	if strings.Contains(word, "don") || strings.Contains(word, "do not") || strings.HasPrefix(word, "stop") {
		payload = list[0].text
	}
	if len(contentWords(payload)) == 0 && len(list) > 1 {
		payload = list[1].text
	}
	if before, after, ok := strings.Cut(payload, ": "); ok && len(before) < 40 && imperious.match(after) {
		payload = after
	}
	return s.corrected(at, strings.TrimRight(payload, ".! "))
}

func (s *session) corrected(at int, payload string) (found, bool) {
	bare := plans.replace(payload, "")
	if question(payload) || hedges.match(payload) || nowOnly.match(payload) || aboutHere.match(payload) || vague.match(payload) || len(payload) > maxSentence || !firm(bare) {
		return found{}, false
	}
	words := len(contentWords(payload))
	score, rule := 0.0, ""
	switch {
	case contrast.match(payload) && (imperious.match(payload) || states.match(payload)) && words >= 2:
		score, rule = 0.74, "correction with its alternative"
	case contrast.match(payload) && strings.Contains(strings.ToLower(payload), "use ") && words >= 2:
		score, rule = 0.7, "correction with its alternative"
	case notThat.match(payload) && words >= 3 && specific(payload):
		score, rule = 0.66, "correction with its alternative"
	case imperious.match(payload) && words >= 2 && (specificEnough(payload) || useThat.match(payload) && s.triedBefore(at) != ""):
		score, rule = 0.64, "correction"
	case states.match(payload) && words >= 3 && specific(payload) && !leans(payload):
		score, rule = 0.62, "correction of a fact"
	default:
		return found{}, false
	}
	text := "User correction: " + strings.TrimRight(sentenceCase(payload), ". ")
	if tried := s.triedBefore(at); tried != "" && !contrast.match(payload) && rule == "correction" {
		text += fmt.Sprintf(" (said after `%s` was tried)", clip(oneLine(tried), 80))
	}
	return s.candidate(ended(text), memory.TypePreference, rule, score, at), true
}

// specificEnough is specific for commands of few words: "use pnpm here".
func specificEnough(text string) bool { return named.match(text) || len(contentWords(text)) >= 3 }

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
