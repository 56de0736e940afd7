package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// sentence is one statement of a text.
type sentence struct {
	text   string
	para   int // sentences of one paragraph share it
	item   int // number in a numbered list, 0 outside
	bullet bool
}

var (
	listItem   = lexis.Lazy(`^\s{0,6}(\d{1,2})[.)]\s+(\S.*)$`)
	bulletItem = lexis.Lazy(`^\s{0,6}[-*+•]\s+(\S.*)$`)
	emphasis   = lexis.Lazy(`\*\*|__`)
	linkTarget = lexis.Lazy(`\[([^\]\n]{1,80})\]\([^)\s]{1,200}\)`)
)

// prose returns the statements of a text, without what is no prose: code,
// quotations, tables, headings, output that was pasted.
func prose(text string) []sentence {
	text = withoutLogs(withoutFences(text))
	var out []sentence
	var open strings.Builder
	para := 0
	flush := func() {
		for _, s := range sentences(open.String()) {
			out = append(out, sentence{text: s, para: para})
		}
		open.Reset()
	}
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimRight(l, " \t\r")
		if s, ok := itemOf(l); ok {
			flush()
			s.para = para
			out = append(out, s)
			continue
		}
		if !isProse(l) {
			flush()
			para++
			continue
		}
		open.WriteString(plain(l) + " ")
	}
	flush()
	return out
}

// logLine begins lines that a program printed.
var logLine = lexis.Lazy(`(?m)^\s*at \S+ \(|^\w*(?:Error|Exception): |^Traceback |^\s*File "|^\[?\d{4}-\d\d-\d\d[T ]|^\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b[: \]]|^(?:npm ERR!|error\[E|panic: |fatal: |goroutine \d)|^[$❯➜] `)

// withoutLogs takes out the paragraphs that hold a line of a log.
func withoutLogs(text string) string {
	if !logLine.Match(text) {
		return text
	}
	var out []string
	for block := range strings.SplitSeq(text, "\n\n") {
		if !logLine.Match(block) {
			out = append(out, block)
		}
	}
	return strings.Join(out, "\n\n")
}

// itemOf reads one item of a list.
func itemOf(l string) (sentence, bool) {
	if m := listItem.Groups(l); m != nil {
		n := int(m[1][0] - '0')
		if len(m[1]) == 2 {
			n = n*10 + int(m[1][1]-'0')
		}
		return sentence{text: plain(m[2]), item: n}, true
	}
	if m := bulletItem.Groups(l); m != nil {
		return sentence{text: plain(m[1]), bullet: true}, true
	}
	return sentence{}, false
}

func plain(l string) string {
	l = linkTarget.Replace(l, "$1")
	return strings.TrimSpace(emphasis.Replace(l, ""))
}

// isProse reports whether a line can be part of a sentence.
func isProse(l string) bool {
	t := strings.TrimSpace(l)
	if t == "" || strings.HasPrefix(l, "    ") || strings.HasPrefix(l, "\t") {
		return false
	}
	if strings.ContainsAny(t[:1], ">|#<$%+{}[]@") || strings.HasPrefix(t, "---") || strings.HasPrefix(t, "===") {
		return false
	}
	return letters(t)*10 >= utf8.RuneCountInString(t)*5
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || r == ' ' {
			n++
		}
	}
	return n
}

// sentences splits a paragraph. A full stop ends a sentence only before a
// space and what can begin one; code in backticks is not looked into.
func sentences(para string) []string {
	var out []string
	start, code := 0, false
	for i := 0; i < len(para); i++ {
		switch c := para[i]; {
		case c == '`':
			code = !code
		case code || (c != '.' && c != '!' && c != '?'):
		case endsSentence(para, start, i):
			if s := strings.TrimSpace(para[start : i+1]); s != "" {
				out = append(out, s)
			}
			start = i + 1
		}
	}
	if s := strings.TrimSpace(para[start:]); s != "" {
		out = append(out, s)
	}
	return out
}

var ordinal = lexis.Lazy(`^\d{1,2}$`)

var wholeWord = lexis.Lazy(`^[(]?(?:\pL{3,}|\pL+\d+|\d+\pL+)[)]?$`)

var abbreviations = []string{"e.g", "i.e", "etc", "vs", "cf", "approx", "no", "incl", "resp", "bzw", "ggf", "usw", "inkl", "evtl", "vgl", "aprox", "dept", "est", "min", "max"}

func endsSentence(para string, start, i int) bool {
	rest := strings.TrimLeft(para[i+1:], `"')*_`)
	if rest == "" {
		return true
	}
	if rest[0] != ' ' {
		return false
	}
	if para[i] != '.' {
		return true
	}
	words := strings.Fields(para[start:i])
	if len(words) > 0 && slices.Contains(abbreviations, strings.ToLower(strings.TrimLeft(words[len(words)-1], "("))) {
		return len(words) == 1
	}
	if len(words) > 0 && ordinal.Match(words[len(words)-1]) {
		return false // am 31. März
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimSpace(rest))
	if !unicode.IsLower(next) {
		return true
	}
	// Many write without capitals: a stop after a whole word ends a sentence of some length all the same.
	return len(words) >= 4 && wholeWord.Match(words[len(words)-1])
}

var (
	hedges = lexis.OneOf(`(?i)\b(?:`, lexis.Table{
		{`maybe`, "maybe"},
		{`perhaps`, "perhaps"},
		{`possibly`, "possibly"},
		{`probably`, "probably"},
		{`presumably`, "presumably"},
		{`apparently`, "apparently"},
		{`might`, "might"},
		{`may (?:be|have|need|well)`, "may be"},
		{`could (?:be|have been|also|well)`, "could be"},
		{`likely`, "likely"},
		{`i (?:think|suspect|believe|guess|assume|wonder)`, "I think"},
		{`my (?:guess|hunch|hypothesis|suspicion|theory)`, "my guess"},
		{`(?:it|this|that) (?:seems|looks|appears|sounds)`, "it seems"},
		{`seems to`, "seems to"},
		{`appears to`, "appears to"},
		{`not sure`, "not sure"},
		{`unclear`, "unclear"},
		{`unsure`, "unsure"},
		{`hypothes[ie]s`, "hypotheses"},
		{`hypothetical(?:ly)?`, "hypothetical"},
		{`would (?:be|have|need|mean|make)`, "would be"},
		{`should (?:be|have|now|fix|work|probably|help)`, "should be"},
		{`suppose`, "suppose"},
		{`what if`, "what if"},
		{`in theory`, "in theory"},
		{`one (?:option|possibility|idea)`, "one option"},
		{`if (?:so|that'?s|this is|it is|it's) `, "if so it"},
		{`assuming`, "assuming"},
		{`potentially`, "potentially"},
		{`let'?s say`, "let's say"},
		{`for example`, "for example"},
		{`imagine`, "imagine"},
	}, `)\b`)
	plans = lexis.OneOf(`(?i)\b(?:`, lexis.Table{
		{`i'?ll`, "I'll"},
		{`i will`, "I will"},
		{`we'?ll`, "we'll"},
		{`we will`, "we will"},
		{`let me`, "let me"},
		{`let's`, "let's"},
		{`i'?m going to`, "I'm going to"},
		{`(?:i am|we are|we'?re|is|are) going to`, "I am going to"},
		{`next(?: steps?| up|,)`, "next step"},
		{`(?:we|i) (?:can|could|should|need to|want to)`, "we can"},
		{`you (?:can|could|should|may want)`, "you can"},
		{`i'd like`, "I'd like"},
		{`to (?:check|confirm|verify|be sure)`, "to check"},
		{`to-?do`, "todo"},
		{`plan(?:ned|ning)?(?: is|:)`, "plan is"},
		{`proposal`, "proposal"},
		{`propose`, "propose"},
		{`here'?s (?:the|my|a) plan`, "here's the plan"},
		{`first,? i`, "first I"},
		{`now i`, "now I"},
		{`^checking`, "checking"},
		{`^looking (?:at|into)`, "looking at"},
		{`^investigat(?:e|ing)`, "investigate"},
		{`shall we`, "shall we"},
		{`want me to`, "want me to"},
		{`would you`, "would you"},
	}, `)\b`)
	asides = lexis.OneOf(`(?i)\b(?:`, lexis.Table{
		{`according to`, "according to"},
		{`as (?:noted|recorded|remembered|stored|mentioned)`, "as noted"},
		{`from (?:my |our |the )?(?:memory|notes)`, "from memory"},
		{`i (?:recall|remember)`, "I recall"},
		{`(?:my |the |our )?(?:memory|memories|notes?) (?:says?|tells?|mentions?|recalls?|has|have|from|shows?)`, "memory says"},
		{`(?:last|previous|earlier|prior) (?:session|time|conversation)`, "last session"},
		{`remembered`, "remembered"},
		{`the (?:readme|docs?|documentation|changelog|comment|file) (?:says?|states?|mentions?|reads?|shows?)`, "the README says"},
		{`(?:mneme|claude\.md|memory\.md)`, "mneme"},
	}, `)\b`)
)

func question(s string) bool { return strings.HasSuffix(strings.TrimRight(s, `"')*_ `), "?") }

// firm reports whether a sentence states what is, and is its speaker's own: no
// question, no guess, no plan, no report of what a note or a file says.
func firm(s string) bool {
	bare := withoutCode(s)
	if spoken.Match(bare) {
		return false
	}
	return !question(bare) && !hedges.Match(bare) && !plans.Match(bare) && !asides.Match(bare)
}

// spoken begins or ends sentences that somebody else said.
var spoken = lexis.Lazy(`^["'“”„«‘]|["”“»]\W*$`)

var inlineCode = lexis.Lazy("`[^`\n]*`")

func withoutCode(s string) string { return inlineCode.Replace(s, "x") }

// Bounds of one sentence, in bytes and words.
const (
	minSentence = 24
	maxSentence = 420
	minWords    = 5
)

// sized reports whether a sentence is long enough to say something and short
// enough to say one thing.
func sized(s string) bool {
	return len(s) >= minSentence && len(s) <= maxSentence && len(strings.Fields(s)) >= minWords
}

var pronounStart = lexis.Lazy(`(?i)^(?:(?:so|and|but|also|then|thus|because|since),? )?(?:it|this|that|they|these|those|he|she|both|which|there|here|same)\b`)

// leans reports whether a sentence needs the one before it to be understood.
func leans(s string) bool { return pronounStart.Match(s) }
