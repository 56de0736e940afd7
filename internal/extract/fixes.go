package extract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/failure"
	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/shell"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// action is something done that can have mended an error.
type action struct {
	at      int
	command string // of a shell command; empty for an edit
	call    *transcript.ToolCall
}

// actions lists what was done between two events and changed something.
func (s *session) actions(from, to int) []action {
	var out []action
	for i := from + 1; i < to; i++ {
		e := s.events[i]
		if e.Kind != transcript.Called || e.Tool.Failed {
			continue
		}
		switch e.Tool.Name {
		case "Edit", "Write", "MultiEdit", "NotebookEdit":
			out = append(out, action{at: i, call: e.Tool})
		case "Bash":
			if c := e.Tool.Field("command"); shell.Changes(c) && !failure.Hides(c, e.Tool.Result) {
				out = append(out, action{at: i, command: c, call: e.Tool})
			}
		}
	}
	return out
}

// fixes are commands that failed and later passed, with what lay between.
func (s *session) fixes() []found {
	var out []found
	for j, passed := range s.runs {
		if passed.failed || shell.ReadsOnly(passed.kind) || !s.weighed(passed.at) {
			continue
		}
		failed, ok := s.failedBefore(j)
		if !ok {
			continue
		}
		if f, ok := s.fixOf(failed, passed); ok {
			out = append(out, f)
		}
	}
	return out
}

// failedBefore returns the last failure that a passing run ends: of the same
// kind, with no pass of that kind between.
func (s *session) failedBefore(j int) (run, bool) {
	passed := s.runs[j]
	for i := j - 1; i >= 0; i-- {
		r := s.runs[i]
		if shell.ReadsOnly(r.kind) || !shell.Covers(passed.kinds, r.kinds) {
			continue
		}
		return r, r.failed
	}
	// The same under another name: python, then python3.
	if j > 0 && s.runs[j-1].failed && retried(s.runs[j-1], passed) {
		return s.runs[j-1], true
	}
	return run{}, false
}

// retried reports whether a command is another with few words changed, as
// after "command not found".
func retried(failed, passed run) bool {
	a, b := strings.Fields(failed.command), strings.Fields(passed.command)
	if shell.ReadsOnly(failed.kind) || len(a) < 2 || len(b) < 2 {
		return false
	}
	same := 0
	for _, w := range b {
		if slices.Contains(a, w) {
			same++
		}
	}
	return same > 0 && same*2 >= max(len(a), len(b))
}

// fixOf describes an error and what mended it.
func (s *session) fixOf(failed, passed run) (found, bool) {
	sig := failure.Signature(failed.command, failed.output)
	if sig.Empty() {
		return found{}, false
	}
	done := s.actions(failed.at, passed.at)
	why, whyAt, rank := s.explanation(failed.at, passed.at, sig)
	weight := failure.Weight(sig, failed.output)
	if weight < 0 && rank < rankTells {
		why = "" // a test of what was being written: only a cause that was named counts
	}
	how, score := remedy(failed, passed, done, why)
	if how == "" {
		return found{}, false
	}
	score += weight
	text := fmt.Sprintf("Error: `%s` failed: %s. Fix: %s", lexis.Clip(oneLine(failed.command), 90), strings.TrimRight(strings.Join(sig.Lines, "; "), " .:;,"), ended(how))
	sources := []int{failed.at, passed.at}
	if whyAt >= 0 {
		sources = append(sources, whyAt)
	}
	f := s.candidate(lexis.Clip(text, MaxTextBytes), memory.TypeError, "failed, then passed", score, passed.at, sources...)
	f.Tags, f.failed = tagsOf(memory.TypeError, sig.Kind), failed.at
	return f, true
}

// remedy says what mended it: the explanation that was given, else the one
// or two commands that were run, else what was different about the command.
func remedy(failed, passed run, done []action, why string) (how string, score float64) {
	var commands []string
	edits := 0
	for _, a := range done {
		if a.command == "" {
			edits++
			continue
		}
		if c := oneLine(a.command); len(c) <= 120 && single(a.command) && !slices.Contains(commands, c) {
			commands = append(commands, c)
		}
	}
	variant := oneLine(failed.command) != oneLine(passed.command)
	switch {
	case len(done) == 0 && !variant && saysCause.Match(why):
		return why, 0.6 // it was mended outside of the session
	case len(done) == 0 && !variant:
		return "", 0 // it passed by itself
	case why != "" && len(commands) > 0 && len(commands) <= 2 && !mentions(why, commands):
		return ended(why) + " Ran " + code(commands), 0.68
	case why != "" && len(done) == 0 && len(passed.command) <= 120 && single(passed.command) && !namesChange(why, failed.command, passed.command):
		return ended(why) + " It passes as " + code([]string{oneLine(passed.command)}), 0.66
	case why != "":
		return why, 0.64
	case len(commands) > 0 && len(commands) <= 2 && edits == 0:
		return "run " + code(commands), 0.6
	case len(done) == 0 && strings.Contains(failed.command, strings.TrimSpace(passed.command)):
		return "", 0 // a part of it passed: something else has changed
	case len(done) == 0 && len(passed.command) <= 160 && single(passed.command):
		return "run it as " + code([]string{oneLine(passed.command)}), 0.58
	}
	return "", 0
}

// namesChange reports whether a text has one of the words that a command got
// the second time.
func namesChange(text, failed, passed string) bool {
	before := strings.Fields(failed)
	return slices.ContainsFunc(strings.Fields(passed), func(w string) bool {
		return !slices.Contains(before, w) && strings.Contains(text, w)
	})
}

func code(commands []string) string {
	return "`" + strings.Join(commands, "`, then `") + "`"
}

func mentions(text string, commands []string) bool {
	return slices.ContainsFunc(commands, func(c string) bool {
		words := strings.Fields(c)
		return strings.Contains(text, strings.Join(words[:min(2, len(words))], " "))
	})
}

// single reports whether a command is one line: of several the first alone
// would mend nothing.
func single(command string) bool {
	lines := 0
	for l := range strings.SplitSeq(command, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			lines++
		}
	}
	return lines == 1 && !strings.Contains(command, "<<")
}

func oneLine(command string) string {
	command = strings.TrimSpace(command)
	for l := range strings.SplitSeq(command, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			return l
		}
	}
	return command
}

var (
	mending = lexis.OneOf(`(?i)^(?:`, lexis.Table{
		{`fixed`, "fixed"},
		{`fix:`, "fix:"},
		{`i(?:'ve| have)? (?:added|changed|replaced|set|removed|renamed|pinned|updated|upgraded|downgraded|installed|moved|switched|increased|raised|bumped|started|created|exported|regenerated|rebuilt|deleted|cleared|restarted|reverted|enabled|disabled)`, "I added"},
		{`(?:added|changed|replaced|set|removed|renamed|pinned|updated|upgraded|downgraded|installed|moved|switched|increased|raised|bumped|started|created|exported|regenerated|rebuilt|deleted|cleared|restarted|enabled|disabled|adding|changing|replacing|setting|removing|pinning|installing|increasing|raising|starting|exporting|regenerating|clearing)\b`, "added"},
	}, `)`)
	because = lexis.OneOf(`(?i)\b(?:`, lexis.Table{
		{`because`, "because"},
		{`since`, "since"},
		{`needs`, "needs"},
		{`needed`, "needed"},
		{`requires?`, "requires"},
		{`required`, "required"},
		{`must`, "must"},
		{`only works`, "only works"},
		{`expects?`, "expects"},
		{`refuses`, "refuses"},
		{`defaults? to`, "defaults to"},
		{`(?:(?:is|was|were|are)(?: not|n't)|(?:had|has|have)(?: not|n't) been) (?:installed|set|running|allowed|exported|created|started|mounted|enabled|generated|applied|registered|there)`, "is not installed"},
		{`(?:does not|doesn't|do not|don't|not|only) (?:support(?:s|ed)?|work with|accept)`, "does not support"},
		{`missing`, "missing"},
		{`out of date`, "out of date"},
		{`stale`, "stale"},
		{`conflicts?`, "conflicts"},
		{`incompatible`, "incompatible"},
		{`mismatch`, "mismatch"},
		{`already (?:uses|used|in use|running|taken)`, "already in use"},
	}, `)\b`)
)

// explanation looks for the sentence that gives the cause or the remedy:
// between failure and pass, or in the words right after the pass.
func (s *session) explanation(failed, passed int, sig failure.Sig) (text string, at, rank int) {
	best, bestAt, bestRank := "", -1, 0
	about := s.topic(failed, passed, sig)
	for i := failed + 1; i < len(s.events); i++ {
		e := s.events[i]
		if e.Kind == transcript.Prompt && i > passed || e.State == transcript.Ahead {
			break
		}
		if e.Kind == transcript.Called && i > passed+3 {
			break
		}
		if e.Kind != transcript.Said || s.denied(i) && i > passed {
			continue
		}
		topic := about
		if i < passed {
			topic = nil // before it passes, such a sentence only repeats the error
		}
		text, rank := s.explaining(prose(e.Text), topic)
		if i > passed && rank > 0 && lexis.Overlap(lexis.Content(text), about) == 0 && s.speaksOfElse(text, failed) {
			continue
		}
		if i > passed && rank > 0 {
			rank++ // afterwards one knows
		}
		if rank > bestRank {
			best, bestAt, bestRank = text, i, rank
		}
	}
	return best, bestAt, bestRank
}

var (
	causal  = lexis.Lazy(`(?i)[,;] (?:so|hence|therefore)\b|\bwhich (?:meant|made|left|caused|broke|kept)\b`)
	nowDoes = lexis.Lazy("(?i)^(?:`[^`]+`|the \\w+|it) now (?:always |never |only )?\\w+s\\b")
)

// speaksOfElse reports whether a text names what the person, or another
// failure, had named before the turn in which something failed: then it explains
// that.
func (s *session) speaksOfElse(text string, failed int) bool {
	for _, name := range named.Compiled().FindAllString(text, -1) {
		if name = strings.Trim(name, "` "); len(name) < 4 {
			continue
		}
		for i, e := range s.events[:max(0, s.turnOf(failed))] {
			if e.Kind == transcript.Prompt && strings.Contains(e.Text, name) {
				return true
			}
			if e.Kind == transcript.Called && e.Tool.Failed && strings.Contains(s.printed[i], fold(name)) {
				return true
			}
		}
	}
	return false
}

// rankTells is the rank of a sentence that says it names the cause.
const rankTells = 7

// adapts begins sentences about tests that were brought in line with the code.
var adapts = lexis.Lazy("(?i)^(?:i(?:'ve| have)? )?(?:updated|changed|adjusted|adapted|fixed|rewrote|corrected) (?:the |its |both |all )?(?:\\w+ )?(?:tests?\\b|`Test|expectations?|assertions?|snapshots?|golden)")

// related reports whether a sentence shares words with a topic.
func related(text string, about map[string]bool) bool {
	words := lexis.Content(text)
	share := lexis.Overlap(words, about)
	return share >= 0.15 && share*float64(len(words)) >= 2
}

// explaining returns the most telling sentence of a text, with the one that
// says what was done when it follows.
func (s *session) explaining(list []sentence, about map[string]bool) (string, int) {
	best, bestRank := "", 0
	for i, one := range list {
		text := bared(one.text)
		if !s.sound(text) || leans(text) || len(text) > 300 || adapts.Match(text) || s.recalled(text, false) {
			continue
		}
		rank := rankOf(one, text, about)
		if rank <= bestRank {
			continue
		}
		best, bestRank = ended(sentenceCase(text)), rank
		if i+1 < len(list) && !mending.Match(text) {
			best += s.deed(list[i+1], 360-len(best))
		}
	}
	return best, bestRank
}

// rankOf says how much a sentence, whose text is bared, tells of a cause; 0 is nothing.
func rankOf(one sentence, text string, about map[string]bool) int {
	_, tells := tellOf(one.text)
	mends, causes := mending.Match(text) || saysMended.Match(text), because.Match(text) || saysCause.Match(text)
	switch {
	case tells:
		return rankTells
	case mends && causes:
		return 5
	case causes:
		return 3
	case about != nil && !allWell.Match(text) && specific(text) && (related(text, about) || causal.Match(text)):
		return 2
	case mends && specific(text):
		return 1
	default:
		return 0
	}
}

// deed returns a sentence, after a space, if it says what was done and has
// fewer bytes than room; else nothing.
func (s *session) deed(one sentence, room int) string {
	text := openers.Replace(one.text, "")
	_, tells := tellOf(text)
	if !tells && !mending.Match(text) && !nowDoes.Match(text) || !s.sound(text) || len(text) >= room {
		return ""
	}
	return " " + ended(sentenceCase(text))
}

// allWell begins the sentences that only say that it passes now.
var allWell = lexis.Lazy(`(?i)^(?:all|both|every|the (?:tests?|build|suite|api|app|server|migration|deploy(?:ment)?|pods?)|tests?|now|it|everything|they|\d+)\b.{0,40}\b(?:pass(?:es|ed)?|green|works?|runs?|builds?|applied|done|up|fine|succeed(?:s|ed)?|ok|found)\b`)

// topic gathers the words of an error and of what was done about it: a sentence
// with some of these words belongs to the error.
func (s *session) topic(failed, passed int, sig failure.Sig) map[string]bool {
	about := make(map[string]bool)
	add := func(text string) {
		for _, w := range lexis.Content(text) {
			about[w] = true
		}
	}
	add(strings.Join(sig.Lines, " "))
	for _, a := range s.actions(failed, passed) {
		add(a.command)
	}
	return about
}
