package extract

import (
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// telltale is a way in which people say that they found something out.
type telltale struct {
	rule  string
	words lexis.Pattern
	score float64
	needs bool // only if a command proved it
}

var telltales = []telltale{
	{"root cause", lexis.Lazy(`(?i)\b(?:root cause|culprit|(?:underlying|actual|real|true) (?:cause|reason|problem|issue|bug))\b[^.;]{0,60}?(?: is\b| was\b| were\b| turned out to be|:)`), 0.70, false},
	{"the fix was", lexis.Lazy(`(?i)\bthe (?:actual |right |real |working |correct )?(?:fix|solution|workaround|remedy)\b[^.;]{0,50}? (?:was|turned out to be)\b`), 0.68, false},
	{"the fix is", lexis.Lazy(`(?i)\bthe (?:actual |right |real |working |correct )?(?:fix|solution|workaround|remedy)\b[^.;]{0,50}?(?: is\b|:)`), 0.55, true},
	{"what worked", lexis.Lazy(`(?i)\bwhat (?:finally |actually |really )?(?:worked|fixed it|did the trick|helped) (?:was|is)\b`), 0.70, false},
	{"turns out", lexis.Lazy(`(?i)\b(?:it )?turn(?:s|ed) out\b`), 0.62, false},
	{"fixed by", lexis.Lazy(`(?i)\b(?:fixed|solved|resolved|worked around)(?: (?:it|this|that|the [\w-]+(?: [\w-]+){0,4}))? by \w+ing\b`), 0.56, true},
	{"caused by", lexis.Lazy(`(?i)\b(?:was|were|is|are) (?:being )?caused by\b`), 0.60, false},
	{"the problem was", lexis.Lazy(`(?i)\bthe (?:problem|issue|bug|failure|error|crash|hang|deadlock|leak|flake|flakiness|timeout|slowness|reason)\b[^.;]{0,50}? (?:was|came from|is that|was that|happen(?:ed|s) because)\b`), 0.60, false},
	{"done for a reason", lexis.Lazy(`(?i)\bnow,? (?:because|since)\b`), 0.55, true},
	{"lesson", lexis.Lazy(`(?i)^(?:one |a |another |small |the )*(?:gotcha|lesson(?: learned)?|note to self|worth (?:remembering|knowing|noting)|key (?:finding|insight|learning)|good to know)\b[^:]{0,30}: `), 0.66, false},
}

var (
	negated = lexis.Lazy(`(?i)\b(?:(?:was|is|were|are)(?:n'?t| not)|not) (?:the|a|caused|our)\b|\bno longer (?:think|believe|the (?:case|cause|problem|issue))\b|\bruled out\b|^if\b`)
	hollowY = lexis.OneOf(`(?i)(?:`, lexis.Table{
		{`\broot cause analysis\b`, "root cause analysis"},
		{`\bthe reason (?:i|we|for (?:this|that|the change))\b`, "the reason I"},
		{`\balready (?:has|have|exists?|does)\b`, "already has"},
		{`\b(?:that|how|because|when|where) i\b`, "that I"},
		{`\b(?:was|is|were|by|in) my\b`, "was my"},
		{`\bi just\b`, "I just"},
		{`\byou (?:were|are) right\b`, "you were right"},
		{`\bthe user (?:wants|wanted|asked|said)\b`, "the user wants"},
		{`: i (?:did|didn't|have|haven't|ran|left|kept|skipped|only|was|am|also|used|added)\b`, ": I did"},
		{`\b(?:turn(?:s|ed) out) (?:(?:to be )?(?:fine|ok|okay|well|good|nicely|great|right)|(?:it|that)(?:'s| is| was) (?:fine|ok|already))\b`, "turns out fine"},
		{`\b(?:is|was) (?:simple|easy|trivial|straightforward|small|one line|a one-liner|done|in place|ready|merged)\b[.!]?$`, "is simple"},
	}, `)`)
)

// learnings are findings in the model's own words.
func (s *session) learnings() []found {
	var out []found
	for at, e := range s.events {
		if e.Kind != transcript.Said || !s.weighed(at) || s.written(at) {
			continue
		}
		out = append(out, s.learningsIn(at, prose(e.Text))...)
	}
	return out
}

var writing = lexis.Lazy(`(?i)\b(?:translat(?:e|ion)|proof-?read|rephrase|paraphrase|(?:write|draft|compose|polish) (?:me )?(?:an?|the|this|my) (?:\w+ )?(?:e-?mail|letter|blog|post|article|tweet|story|announcement|message|essay|talk|slides?|release notes|paragraph|text)|summari[sz]e (?:this|the (?:article|text|incident|report|e-?mail|thread|discussion)))\b`)

var musing = lexis.Lazy(`(?i)^\W*(?:what|how|which|where) (?:could|would|might|should|can) (?:we|i|you|be|it|make|help)\b|\b(?:brainstorm|ideas? (?:for|to|on|how)|suggestions?\b|what if)\b`)

// written reports whether a text is a piece that the person asked for, or an
// answer to what-if: its statements are no findings.
func (s *session) written(at int) bool {
	for i := at - 1; i >= 0; i-- {
		if s.events[i].Kind == transcript.Prompt {
			return writing.Match(s.events[i].Text) || musing.Match(s.events[i].Text)
		}
	}
	return false
}

func (s *session) learningsIn(at int, list []sentence) []found {
	var out []found
	for i := 0; i < len(list); i++ {
		tell, ok := tellOf(list[i].text)
		if !ok || !s.sound(list[i].text) {
			continue
		}
		text, rule, score, last := s.extend(list, i, tell)
		i = last
		verdict := s.judge(at)
		needs := tell.needs || list[last].item > 0 || list[last].bullet // lists are of ideas as often as of findings
		if text == "" || verdict == refuted || needs && verdict != proven || s.denied(at) {
			continue
		}
		if verdict == proven {
			score += 0.12
		}
		switch {
		case specific(text):
			score += 0.05
		case verdict != proven:
			continue // it names nothing, and nothing shows that it is right
		default:
			score -= 0.15
		}
		out = append(out, s.candidate(text, memory.TypeLearning, rule, score, at))
	}
	return out
}

// tellWords stand in every sentence that a telltale matches: looking for them
// first keeps long sessions cheap.
var tellWords = []string{
	"turn", "cause", "culprit", "fix", "solution", "workaround", "remedy", "what ", "solved", "resolved", "worked", "problem", "issue", "bug", "failure",
	"ursache", "grund", "lag ", "problem", "fehler", "fallo", "causa", "razón", "motivo", "found it", " now",
	"error", "crash", "hang", "deadlock", "leak", "flak", "timeout", "slowness", "reason", "gotcha", "lesson", "note to self", "worth", "key ", "good to know",
}

func containsAny(text string, words []string) bool {
	low := strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
}

// reported matches the words after the "was" of a sentence about the fate of a
// problem (it was closed), which names no cause.
var reported = lexis.Lazy(`(?i)^ (?:now |already |also |first |then )*(?:raised|closed|reported|merged|committed|introduced|measured|expected|set|solved|fixed|resolved|described|documented|logged|thrown|found|reproduced|created|opened|filed|discussed|mentioned|seen|known|easy|hard|misleading|gone|back|tracked|implemented|unknown|unclear|unchanged|the same)\b`)

// tellOf returns the way in which a sentence says that something was found out.
func tellOf(text string) (telltale, bool) {
	if !containsAny(text, tellWords) {
		return telltale{}, false
	}
	if said := saysFoundOut.Find(text); said != nil && !reported.Match(text[said[1]-1:]) && !negated.Match(text) && !hollowY.Match(text) {
		return telltale{"found out", saysFoundOut, 0.62, false}, true
	}
	for _, t := range telltales {
		if said := t.words.Find(text); said != nil && !reported.Match(text[said[1]:]) && !negated.Match(text) && !hollowY.Match(text) {
			return t, true
		}
	}
	return telltale{}, false
}

// sound reports whether a sentence could stand in a memory.
func (s *session) sound(text string) bool {
	return sized(text) && firm(text) && !s.quoted(text)
}

var openers = lexis.Lazy(`(?i)^(?:(?:and|so|ok(?:ay)?|ah|aha|great|good|nice|right|yes|well|now|found (?:it|the (?:problem|issue|cause))|got it|there it is|interesting|alright|hm+)[,.!:—–-]+ *)+`)

var turnsOut = lexis.Lazy(`(?i)^(?:(?:so|and|but) )?(?:it )?turn(?:s|ed) out,? (?:that )?`)

// bared takes off the front of a sentence what only leads to its point.
func bared(text string) string {
	return namesIt.Replace(turnsOut.Replace(openers.Replace(text, ""), ""), "$1")
}

// namesIt finds the opening of a sentence that names a cause before explaining the cause: "It's the autosave: …".
var namesIt = lexis.Lazy(`(?i)^(?:it'?s|it is|that'?s|that is) ((?:the|an?|our) [^:.]{3,50}: )`)

// extend makes a complete statement of a sentence: with the sentence before if
// it refers back, and the sentences after that continue the finding.
func (s *session) extend(list []sentence, i int, tell telltale) (text, rule string, score float64, last int) {
	parts := []string{bared(list[i].text)}
	if leans(parts[0]) {
		if i == 0 || list[i-1].para != list[i].para || !s.sound(list[i-1].text) || leans(list[i-1].text) {
			return "", "", 0, i
		}
		parts = []string{list[i-1].text, parts[0]}
	}
	rule, score, last = tell.rule, tell.score, i
	for last+1 < len(list) && len(parts) < 3 {
		next := list[last+1].text
		more, ok := tellOf(next)
		if !ok || !s.sound(next) {
			break
		}
		parts = append(parts, next)
		score = max(score, more.score) + 0.03
		last++
	}
	for k, p := range parts {
		parts[k] = ended(sentenceCase(p))
	}
	return strings.Join(parts, " "), rule, score, last
}

var named = lexis.Lazy("`[^`]+`|\\b\\w+[._/-]\\w+|\\b[a-z]+[A-Z]\\w*|\\b[A-Z]{2,}[A-Z0-9_]*\\b|\\b[A-Z]{2,}[a-z]{2,}\\b|\\d|\\b[A-Z][a-z]+[A-Z]\\w*|[a-z] [A-Z][a-z]{2,}")

// specific reports whether a text names something one could look up: code, a
// file, a name, a figure. A finding without any such name is useless later.
func specific(text string) bool { return named.Match(text) && len(lexis.Content(text)) >= 4 }
