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

// maxBehind is how many events behind an explanation the error may be.
const maxBehind = 60

// explained are errors that the model names when it says what caused or mended
// them. The names bind the explanation to its error, whatever failed last.
func (s *session) explained() []found {
	var out []found
	for at, e := range s.events {
		if e.Kind != transcript.Said || !s.weighed(at) || s.denied(at) || s.written(at) {
			continue
		}
		list := prose(e.Text)
		for i, one := range list {
			text := bared(one.text)
			if !saysCause.Match(text) && !saysMended.Match(text) || !s.assured(text) || adapts.Match(text) || s.judge(at) == refuted {
				continue
			}
			r := s.errorOf(at, text)
			if r == nil {
				continue
			}
			if passed := s.mendedBy(*r, at); passed >= 0 {
				f := s.explanationOf(*r, at, list, i)
				if passed > at { // what was said before it passed does not name what mended it
					f.Text = s.withCommands(f.Text, r.at, passed)
				}
				out = append(out, f)
			}
		}
	}
	return out
}

// assured reports whether a sentence of the model says what is.
func (s *session) assured(text string) bool {
	return len(text) <= maxSentence && len(strings.Fields(text)) >= 4 && !question(text) && !saysHedge.Match(withoutCode(text)) && !hedges.Match(withoutCode(text)) && !s.quoted(text)
}

// errorOf returns the failure that a sentence speaks of: that of whose message
// or names it has most.
func (s *session) errorOf(at int, text string) *run {
	var best *run
	most := 0
	for i := len(s.runs) - 1; i >= 0; i-- {
		r := &s.runs[i]
		if r.at > at || at-r.at > maxBehind || !r.failed {
			continue
		}
		if n := s.report(r).Shares(text); n > most {
			best, most = r, n
		}
	}
	return best
}

func (s *session) report(r *run) failure.Report {
	if r.report == nil {
		read := failure.Read(r.command, r.output)
		r.report = &read
	}
	return *r.report
}

// mendedBy returns the run that shows that a failure was mended: any that passed
// before it was spoken of, or the same task after that, in the same turn; -1
// when there is none.
func (s *session) mendedBy(failed run, at int) int {
	for _, r := range s.runs {
		if r.failed || r.at <= failed.at || r.at > s.nextPrompt(at) {
			continue
		}
		if r.at < at || shell.Covers(r.kinds, failed.kinds) {
			return r.at
		}
	}
	return -1
}

// withCommands adds to the text of a fix the one or two commands that were run
// between a failure and its end.
func (s *session) withCommands(text string, failed, passed int) string {
	var commands []string
	for _, a := range s.actions(failed, passed) {
		if c := oneLine(a.command); c != "" && len(c) <= 120 && single(a.command) && !slices.Contains(commands, c) {
			commands = append(commands, c)
		}
	}
	if len(commands) == 0 || len(commands) > 2 || mentions(text, commands) {
		return text
	}
	return lexis.Clip(text+" Ran "+ended(code(commands)), MaxTextBytes)
}

func (s *session) explanationOf(failed run, at int, list []sentence, i int) found {
	sig := failure.Signature(failed.command, failed.output)
	how := ended(sentenceCase(bared(list[i].text)))
	if leans(how) && i > 0 {
		how = ended(sentenceCase(list[i-1].text)) + " " + how
	}
	if i+1 < len(list) && len(how)+len(list[i+1].text) < maxJoined && (saysMended.Match(list[i+1].text) || mending.Match(list[i+1].text)) && s.assured(list[i+1].text) {
		how += " " + ended(sentenceCase(list[i+1].text))
	}
	text := fmt.Sprintf("Error: `%s` failed: %s. Fix: %s", lexis.Clip(oneLine(failed.command), 90), strings.TrimRight(strings.Join(sig.Lines, "; "), " .:;,"), how)
	if sig.Empty() {
		text = fmt.Sprintf("Error: `%s` failed. Fix: %s", lexis.Clip(oneLine(failed.command), 90), how)
	}
	f := s.candidate(lexis.Clip(text, MaxTextBytes), memory.TypeError, "an error that was explained", 0.74+max(failure.Weight(sig, failed.output), -0.1)/2, at, failed.at)
	f.Tags, f.failed = tagsOf(memory.TypeError, sig.Kind), failed.at
	return f
}

// mended puts together what two rules say of the same failures: the explanation
// is kept, unless the rule for fixes has the same explanation and the command
// as well.
func (s *session) mended(fixed, told []found) []found {
	told = slices.DeleteFunc(told, func(t found) bool {
		return slices.ContainsFunc(fixed, func(f found) bool { return f.failed == t.failed && repeats(fixIn(t.Text), f.Text) })
	})
	for i := range told {
		for _, f := range fixed {
			if ran := ranIn(f.Text); f.failed == told[i].failed && ran != "" && !strings.Contains(told[i].Text, ran) && len(told[i].Text)+len(ran) < MaxTextBytes-8 {
				told[i].Text += " Ran " + ran + "."
			}
		}
	}
	fixed = slices.DeleteFunc(fixed, func(f found) bool {
		return slices.ContainsFunc(told, func(t found) bool { return f.failed == t.failed })
	})
	return slices.Concat(fixed, told)
}

// ranIn is the command, or the two, that the text of a fix names as run.
func ranIn(text string) string {
	for _, mark := range []string{" Ran `", " Fix: run `"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			return strings.TrimRight(text[i+len(mark)-1:], ".")
		}
	}
	return ""
}

func fixIn(text string) string {
	if _, fix, ok := strings.Cut(text, " Fix: "); ok {
		return fix
	}
	return text
}

// diagnoses are what the model found when the person told of a trouble, said
// before it changed something that then passed, in the same turn or, once the
// person agreed, in the next one.
func (s *session) diagnoses() []found {
	var out []found
	for at, e := range s.events {
		if e.Kind != transcript.Said || s.denied(at) || s.closes(at) && !s.agreed(at) {
			continue
		}
		begin := s.turnOf(at)
		if begin < 0 || !s.tellsOfTrouble(begin) || s.saidBefore(begin, at) || !s.editedAfter(at) {
			continue
		}
		proof := s.wentWell(at)
		if proof < 0 || !s.weighed(proof) {
			continue
		}
		var parts []string
		for _, one := range prose(e.Text) {
			if text := bared(one.text); s.assured(text) && firm(text) && len(parts) < 2 && (!leans(text) || len(parts) > 0) {
				parts = append(parts, ended(sentenceCase(text)))
			}
		}
		if text := strings.Join(parts, " "); specific(text) && len(lexis.Content(text)) >= 6 {
			out = append(out, s.candidate(text, memory.TypeLearning, "what a trouble came from", 0.6, proof, at))
		}
	}
	return out
}

// asksWhy matches a question after a cause.
var asksWhy = lexis.Lazy(`(?i)\b(?:why|figure out|what(?:'s| is) wrong|what happened|find out|warum|wieso|weshalb|woran|por qué)\b`)

// tellsOfTrouble reports whether a prompt says that something is wrong: by its
// words, by asking why, or by saying first how a thing behaves, where others
// would say what to do.
func (s *session) tellsOfTrouble(at int) bool {
	text := s.events[at].Text
	if pasted(text) {
		return false
	}
	if saysTrouble.Match(text) || asksWhy.Match(text) {
		return true
	}
	list := prose(text)
	return len(list) > 0 && declares.Match(list[0].text) && !asksForWork.Match(list[0].text) && !demandsWork.Match(list[0].text) && !saysMust.Match(list[0].text)
}

// agreed reports whether the person answered a statement with yes.
func (s *session) agreed(at int) bool {
	next := s.nextPrompt(at)
	return next < len(s.events) && s.events[next].State != transcript.Ahead && agreesFirst.Match(s.events[next].Text) && !objectsFirst.Match(s.events[next].Text)
}

// turnOf returns the prompt that began the turn of an event, -1 without one.
func (s *session) turnOf(at int) int {
	for at >= 0 && s.events[at].Kind != transcript.Prompt {
		at--
	}
	return at
}

// saidBefore reports whether a command failed in the turn before an event: then
// its words are about that.
func (s *session) saidBefore(begin, at int) bool {
	return slices.ContainsFunc(s.runs, func(r run) bool { return r.at > begin && r.at < at && r.failed })
}

// settledBy is where the work ends that follows a statement: with its turn, or
// with the next one if the person agreed before anything was done.
func (s *session) settledBy(at int) int {
	next := s.nextPrompt(at)
	for i := at + 1; i < next; i++ {
		if s.events[i].Kind == transcript.Called {
			return next
		}
	}
	if s.agreed(at) {
		return s.nextPrompt(next)
	}
	return next
}

// editedAfter reports whether the next thing done is an edit.
func (s *session) editedAfter(at int) bool {
	for i := at + 1; i < s.settledBy(at); i++ {
		if e := s.events[i]; e.Kind == transcript.Called {
			return !e.Tool.Failed && (e.Tool.Name == "Edit" || e.Tool.Name == "Write" || e.Tool.Name == "MultiEdit" || e.Tool.Name == "NotebookEdit")
		}
	}
	return false
}

// wentWell returns the command that shows that what was done after a statement
// went well: the last one of the work that followed, or of the next turn if
// something else was in its way. It is -1 if none passed, or the person objected.
func (s *session) wentWell(at int) int {
	next := s.settledBy(at)
	proof := s.lastRun(at, next)
	if proof < 0 {
		return -1
	}
	if next < len(s.events) && objectsFirst.Match(s.events[next].Text) {
		return -1
	}
	if s.runs[proof].failed && next < len(s.events) {
		proof = s.lastRun(next, s.nextPrompt(next))
	}
	if proof < 0 || s.runs[proof].failed {
		return -1
	}
	return s.runs[proof].at
}

// lastRun returns the place in runs of the last command between two events, -1 for none.
func (s *session) lastRun(from, to int) int {
	last := -1
	for i, r := range s.runs {
		if r.at > from && r.at < to {
			last = i
		}
	}
	return last
}
