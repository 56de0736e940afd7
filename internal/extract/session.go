package extract

import (
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/failure"
	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/shell"
	"github.com/mneme-memory/mneme/internal/transcript"
)

// session is what the rules look at: the events of the main conversation, and
// what has to be known of them more than once.
type session struct {
	events  []transcript.Event
	runs    []run
	known   []string         // what was recalled or injected
	shown   []*shown         // the texts in it; nil until they are needed
	printed map[int]string   // results of tools, folded, by event
	pass    transcript.State // of the events that complete candidates now
}

// run is one shell command and how it ended.
type run struct {
	at      int // in events
	command string
	kinds   []string
	kind    string // the last of kinds
	failed  bool
	output  string
	report  *failure.Report // nil until it is needed
}

func newSession(events []transcript.Event, known []string) *session {
	s := &session{printed: make(map[int]string)}
	for _, e := range events {
		switch {
		case e.Kind == transcript.Called && e.Tool == nil:
			continue
		case e.Kind == transcript.Recalled, e.Kind == transcript.Called && asksMemory(e.Tool):
			known = append(known, e.Text, resultOf(e.Tool)) // a subagent's, too: it may report them
		}
		if !e.Sidechain {
			s.events = append(s.events, e)
		}
	}
	for i, e := range s.events {
		if e.Kind == transcript.Called {
			s.printed[i] = fold(e.Tool.Result)
			s.addRun(i, e.Tool)
		}
	}
	s.known = known
	return s
}

// asksMemory reports whether a shell command is our own: what it prints comes
// from memory like the answer of a memory tool.
func asksMemory(call *transcript.ToolCall) bool {
	return slices.ContainsFunc(shell.Kinds(call.Field("command")), func(kind string) bool {
		program, _, _ := strings.Cut(kind, " ")
		return program == "mneme"
	})
}

func resultOf(call *transcript.ToolCall) string {
	if call == nil {
		return ""
	}
	return call.Result
}

// unrun begins the client's own words for a command that it did not run.
var unrun = lexis.Lazy(`^(?:Claude requested permissions? to|This (?:Bash )?command (?:requires approval|contains )|Permission for this |\[Request interrupted|Command was blocked|<tool_use_error>)`)

func (s *session) addRun(at int, call *transcript.ToolCall) {
	command := call.Field("command")
	if call.Name != "Bash" || command == "" || call.Rejected || call.Failed && unrun.Match(call.Result) {
		return
	}
	r := run{at: at, command: command, kinds: shell.Kinds(command), output: call.Result}
	r.kind = shell.Last(r.kinds)
	r.failed = call.Failed || failure.Hides(command, call.Result)
	s.runs = append(s.runs, r)
}

// isNew reports whether an event is this step's: only such complete a candidate.
func (s *session) isNew(at int) bool { return s.events[at].State == transcript.New }

// weighed reports whether the rules may complete a candidate with an event.
func (s *session) weighed(at int) bool { return s.events[at].State == s.pass }

// nextPrompt returns the place of the first prompt after an event, or the end.
func (s *session) nextPrompt(at int) int {
	for i := at + 1; i < len(s.events); i++ {
		if s.events[i].Kind == transcript.Prompt {
			return i
		}
	}
	return len(s.events)
}

var denial = lexis.Lazy(`(?i)^\W*(?:no\b(?: |,|\.|!|$)|nope|wrong|incorrect|not (?:it|quite|right|true|correct|really)|that'?s (?:not|wrong|incorrect)|that (?:is|was) (?:not|wrong)|(?:it|that|this) (?:still|didn'?t|did not|doesn'?t|does not)|still (?:fail|broken|not|the same|get|see)|doesn'?t (?:work|help)|didn'?t (?:work|help)|undo|revert|i disagree|hmm,? no|actually,? no|are you sure)`)

// denied reports whether the person answered a statement with no.
func (s *session) denied(at int) bool {
	next := s.nextPrompt(at)
	if next >= len(s.events) {
		return false
	}
	text := s.events[next].Text
	lead := denial.Find(text)
	// "No unwrap outside of tests" forbids, and denies nothing.
	return lead != nil && (leadEnds(text, lead[1]) || !saysNever.Match(text) && !saysPrefers.Match(text))
}

// verdict says what the commands after a statement made of it.
type verdict int

const (
	unproven verdict = iota // nothing was tried
	proven                  // what failed before succeeds
	refuted                 // it fails again
)

// judge looks at the last command that failed before a statement: the next
// one of its kind tells whether the statement was right.
func (s *session) judge(at int) verdict {
	var failed *run
	for i := range s.runs {
		r := &s.runs[i]
		if r.at < at {
			switch {
			case r.failed && !shell.ReadsOnly(r.kind):
				failed = r
			case failed != nil && shell.Covers(r.kinds, failed.kinds):
				failed = nil
			}
			continue
		}
		if failed != nil && shell.Covers(r.kinds, failed.kinds) {
			if !r.failed {
				return proven
			}
			if len(s.actions(at, r.at)) > 0 {
				return refuted
			}
		}
	}
	if failed == nil && s.settledBefore(at) {
		return proven
	}
	return unproven
}

// settledBefore reports whether, in the same turn, a command failed and then
// one of its kind passed before the statement, as in a summary at the end.
func (s *session) settledBefore(at int) bool {
	begin := at
	for begin > 0 && s.events[begin].Kind != transcript.Prompt {
		begin--
	}
	for i, r := range s.runs {
		if r.at < begin || r.at > at || !r.failed || shell.ReadsOnly(r.kind) {
			continue
		}
		for _, later := range s.runs[i+1:] {
			if later.at < at && !later.failed && shell.Covers(later.kinds, r.kinds) {
				return true
			}
		}
	}
	return false
}

// quoted reports whether a sentence stands in what a tool printed: then it is
// a file's or a program's sentence and not a finding.
func (s *session) quoted(text string) bool {
	needle := fold(text)
	if len(needle) < minSentence {
		return false
	}
	for _, printed := range s.printed {
		if strings.Contains(printed, needle) {
			return true
		}
	}
	return false
}

// fold reduces a text to its words, to compare texts that were set differently.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r < 0x80 && !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	}), " ")
}

// uuids names the lines of some events, each once, in order.
func (s *session) uuids(at ...int) []string {
	slices.Sort(at)
	var out []string
	for _, i := range at {
		if u := s.events[i].UUID; u != "" && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}
