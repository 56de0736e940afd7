package extract

import (
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/shell"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

var (
	leadWorked = lexis.Lazy(`(?i)\b(?:steps? that worked|what worked|worked[^.]*:$|the (?:working|final|complete|full) (?:procedure|steps|sequence|recipe|process)|(?:procedure|steps|recipe|sequence|process|runbook) (?:to|for|that)\b|how to \w+|^to [a-z]+ .*:$)`)
	leadPlan   = lexis.Lazy(`(?i)\b(?:plan|propos\w*|next|todo|to-do|i'?ll|i will|we'?ll|will be|going to|could|should|would|option|suggest\w*|recommend\w*|remaining|before i|want me|shall|here'?s what i (?:did|changed)|changes|summary|what changed|files?)\b`)
	inCode     = lexis.Lazy("`([^`\n]{2,160})`")
)

// procedures are numbered steps of which the commands have run and passed.
func (s *session) procedures() []found {
	var out []found
	for at, e := range s.events {
		if e.Kind != transcript.Said || !s.weighed(at) {
			continue
		}
		list := prose(e.Text)
		for i := 0; i < len(list); i++ {
			if list[i].item != 1 {
				continue
			}
			end := i
			for end+1 < len(list) && list[end+1].item == list[end].item+1 {
				end++
			}
			out = append(out, s.procedure(at, list, i, end)...)
			i = end
		}
	}
	return out
}

// Bounds of a procedure.
const (
	minSteps = 3
	maxSteps = 9
)

func (s *session) procedure(at int, list []sentence, from, to int) []found {
	if n := to - from + 1; n < minSteps || n > maxSteps || from == 0 {
		return nil
	}
	lead := openers.Replace(list[from-1].text, "")
	if !leadWorked.Match(lead) || leadPlan.Match(lead) || question(lead) || hedges.Match(lead) || leans(lead) && len(lexis.Content(lead)) < 4 || s.denied(at) {
		return nil
	}
	var steps []string
	for _, one := range list[from : to+1] {
		if question(one.text) || hedges.Match(withoutCode(one.text)) || s.quoted(one.text) {
			return nil
		}
		steps = append(steps, fmt.Sprintf("(%d) %s", one.item, strings.TrimRight(one.text, ".;")))
	}
	ran, named := s.ranOf(at, list[from:to+1])
	if named < 2 || ran*3 < named*2 {
		return nil
	}
	text := strings.TrimRight(sentenceCase(lead), ":. ") + ": " + strings.Join(steps, "; ") + "."
	return []found{s.candidate(text, memory.TypeProcedure, "numbered steps whose commands passed", 0.62+0.15*float64(ran)/float64(named), at)}
}

// ranOf counts the commands that steps name, and those of them that passed
// when they were last run, before the steps were written down or right after.
func (s *session) ranOf(at int, steps []sentence) (ran, named int) {
	for _, one := range steps {
		for _, m := range inCode.Compiled().FindAllStringSubmatch(one.text, -1) {
			if len(strings.Fields(m[1])) < 2 {
				continue
			}
			named++
			if s.passedLast(at, m[1]) {
				ran++
			}
		}
	}
	return ran, named
}

func (s *session) passedLast(at int, named string) bool {
	passed := false
	for _, r := range s.runs {
		if (r.at < at || r.at < s.nextPrompt(at)) && sameTask(r.command, named) {
			passed = !r.failed
		}
	}
	return passed
}

// sameTask reports whether a command that ran is the one a step names, which
// may have placeholders where the other had values.
func sameTask(ran, named string) bool {
	if strings.Contains(ran, named) {
		return true
	}
	kind := shell.MainKind(named)
	if shell.ReadsOnly(kind) || !shell.SameKind(named, ran) {
		return false
	}
	words := strings.Fields(named)
	return strings.Contains(kind, " ") || strings.Contains(ran, strings.Join(words[:min(3, len(words))], " "))
}
