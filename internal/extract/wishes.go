package extract

import (
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// wish is a way in which people say how they want things, for good.
type wish struct {
	rule  string
	words lexis.Pattern
	score float64
}

// ruleWords begin a rule of a place.
const ruleWords = `(?:we|all|every|each|no|only|always|never|use|prefer|put|keep|do not|don'?t|name|write|run|sign)`

var wishWords = []wish{
	{"from now on", lexis.OneOf(`(?i)\b(?:`, lexis.Table{
		{`from now on`, "from now on"},
		{`going forward`, "going forward"},
		{`in (?:the )?future\b`, "in future"},
		{`for future reference`, "for future reference"},
		{`as a (?:general )?rule\b`, "as a rule"},
		{`for next time\b`, "for next time"},
		{`every time you [^,]{3,80}, (?:please |also |always |first )*(?:run|use|update|add|check|write|regenerate|commit|ask|tell|format|bump|read|start|stop|restart|make|build|sync)\b`, "every time you merge, run"},
	}, `)`), 0.78},
	{"always, never", lexis.Lazy(`(?i)^(?:please,? |and |also,? |btw,? |by the way,? |oh,? |remember:? |note:? |but )*(?:always|never|(?:do not|don'?t) ever|make sure (?:you |to |that you )?(?:always|never))\b`), 0.76},
	{"I prefer", lexis.Lazy(`(?i)\bI (?:really |strongly |always |usually |generally )?(?:prefer|hate (?:it )?when|like it when|don'?t like it when|want you to (?:always|never))\b`), 0.74},
	{"our convention", lexis.OneOf(`(?i)\b(?:`, lexis.Table{
		{`(?:in this (?:repo(?:sitory)?|project|code ?base|team|company)|around here),? ` + ruleWords, "around here we"},
		{ruleWords + ` .{2,80} in this (?:repo(?:sitory)?|project|code ?base|team|company)`, "use tabs in this repo"},
		{`our (?:convention|style|policy|rule|standard)s? (?:is|are|says?)`, "our policy is"},
		{`we (?:always|never|only ever)`, "we never"},
		{`we (?:don'?t|do not) (?:do|use|allow|commit|write|put|push|merge|mock)`, "we don't mock"},
		{`we use .{2,60}(?:, not\b| instead of\b| here\b| everywhere\b| rather than\b)`, "we use tabs instead of"},
	}, `)`), 0.68},
	{"ever", lexis.Lazy(`(?i)^(?:no|don'?t|do not|never|only)\b.*,? (?:ever|at any time|under any circumstances)[.!]*$`), 0.68},
	{"keep it so", lexis.Lazy(`(?i)^keep (?:your |the |all |my )?(?:answers|replies|responses|explanations|commits|commit messages|functions|prs|pull requests|diffs|summaries|comments)\b`), 0.68},
	{"for such things", lexis.Lazy(`(?i)^(?:also,? |and )?for (?:[\w-]+ ){1,3}(?:I|we) (?:always |only )?(?:like|want|use|prefer)\b`), 0.66},
	{"stop doing", lexis.Lazy(`(?i)^(?:please,? |and |also,? )*(?:stop|quit|avoid) \w+ing\b`), 0.62},
}

var (
	noWish = lexis.OneOf(`(?i)(?:`, lexis.Table{
		{`^(?:also,? |and )?for (?:the|this|that|these|those|now|my)\b`, "for the"},
		{`^in (?:the )?future,? (?:we|i|it|they|this) (?:may|might|could|will|want|would)\b`, "in future we may"},
		{`\bwe (?:always|never|only ever) (?:get|got|had|have|see|saw|fail|forget|end up|ran|run into|hit|knew|found|heard)\b`, "we always get"},
		{`\b(?:is|are) being\b`, "is being"},
		{`\b(?:coming|going)[!.]*$`, "coming"},
		{`\bin [\w.]+\(\)`, "in run()"},
		{`^(?:please,? |and |also,? )*(?:always (?:\w+[^sei\W]s|fails|passes|returns|gives|breaks|crashes|works|happens|the|a|been|was|is)\b|never (?:mind|seen|heard|had|worked|been|fails|returns|happens|did|saw))`, "always restarts"},
		{`\bas always\b`, "as always"},
		{`^(?:but |so |and )?(?:we|i|they|it|there|you) (?:\w+ )?(?:gets?|got|sees?|saw|ha(?:ve|s|d)|is|are|was|were|finds?|found|receives?) no\b`, "we get no heartbeat"},
		{`\b(?:is|are|was|were)(?:n'?t| not) the (?:problem|issue|point|question|cause|reason)\b`, "the server is not the problem"},
		{`\b(?:it|this|that|which|test|build|ci) (?:always|never)\b`, "it always"},
	}, `)`)
	// chat are sentences about the work of this hour: complaints about it, and references that nobody
	// understands later.
	chat  = lexis.Lazy(`(?i)\b(?:do|doing|did) (?:that|this|it|so)\b|\b(?:bug|broken|crash(?:es|ed)?|fails?|failing|since yesterday)\b.{0,40}$`)
	tasks = lexis.Lazy(`(?i)\b(?:can you|could you|would you|will you|please (?:add|fix|write|look|check|run|make|implement|create|update|refactor|explain|show|remove|rename)\b)`)
)

// passing are reports of how things stand, or went, and not of how they are.
var passing = lexis.Lazy(`(?i)\b(?:yesterday|last (?:night|week|month|time)|this (?:morning|afternoon|evening|week)|at the moment|just now|earlier today)\b|\b(?:is|are) (?:red|green|down|broken|failing|flaky|slow|back|up)(?: again| now)?[.! ]*$`)

// maxPrompt is the length beyond which a prompt counts as a pasted document.
const maxPrompt = 4000

func pasted(text string) bool { return len(text) > maxPrompt || strings.Count(text, "\n") > 60 }

// wishes are what the person prefers, corrects and wants remembered.
func (s *session) wishes() []found {
	var out []found
	for at, e := range s.events {
		if e.Kind != transcript.Prompt || !s.weighed(at) || pasted(e.Text) {
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
	hums     = lexis.Lazy(`(?i)^(?:hm+|uh|oh|well)[,.! ]+`)
	leading  = lexis.Lazy(`(?i)^(?:(?:and|but|also|oh|btw|by the way|please)[, ]+)+`)
	trailing = lexis.Lazy(`(?i)[,;] (?:so |and )?(?:please|can you|could you) \w+.*$|,? please[.!]*$`)
	reminds  = lexis.Lazy(`(?i)(?:^|, |; |\band |^btw,? )(?:please )?(?:(?:remember|keep in mind|don'?t forget|bear in mind) that|(?:for the record|fyi|for your information)[,:]|remember:) +(.+)$`)
	agrees   = lexis.Lazy(`(?i)^\W*(?:no|nope|wrong|actually|incorrect)\b`)
)

// unsettled reports whether a text asks, guesses, or speaks of this moment only.
func unsettled(text string) bool {
	return question(text) || hedges.Match(text) || nowOnly.Match(text)
}

// tells reports whether a text has enough words to say something: two will do
// when one of them is a name or a figure.
func tells(text string) bool {
	words := len(lexis.Content(text))
	return words >= 3 || words == 2 && named.Match(text)
}

// reminder is a fact that the person asked to remember.
func (s *session) reminder(at int, text string) (found, bool) {
	if unsettled(text) || passing.Match(text) || leans(text) || aboutHere.Match(text) || !tells(text) || len(text) > maxSentence {
		return found{}, false
	}
	return s.candidate(ended(sentenceCase(text)), memory.TypeFact, "remember that", 0.76, at), true
}

func (s *session) preference(at int, one sentence) (found, bool) {
	text := trailing.Replace(leading.Replace(openers.Replace(one.text, ""), ""), "")
	if m := reminds.Groups(text); m != nil {
		return s.reminder(at, m[1])
	}
	text = hums.Replace(text, "")
	if lead := objects.Find(text); lead != nil && agrees.Match(text[:lead[1]]) && strings.ContainsAny(text[lead[1]-1:lead[1]], ",.!:;-") {
		text = strings.TrimSpace(text[lead[1]:])
	}
	if unsettled(text) || noWish.Match(text) || pointing.Match(text) || chat.Match(text) || tasks.Match(text) || len(text) > maxSentence || s.quoted(text) {
		return found{}, false
	}
	if aboutHere.Match(text) || !tells(text) || pointsAt.Match(text) {
		return found{}, false
	}
	for _, w := range wishWords {
		if !w.words.Match(text) {
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
