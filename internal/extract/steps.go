package extract

import (
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// maxLead bounds the words that name a procedure, in bytes.
const maxLead = 90

var (
	stepBreak = lexis.Lazy(`(?i)[,;] (?:and (?:only )?then |und |y |and )?| and then | und dann | y luego | y después `)
	stepJoin  = lexis.Lazy(`(?i)[^,;] (?:and|und|y) \pL`)
	heading   = lexis.Lazy(`^[\pL\pN` + "`" + `][^:.!?]{2,90}?: \S`)
	nounLead  = lexis.Lazy(`^(?:[\pL-]+ ){0,4}[\pL-]+$`)
)

// stepsOf returns a sentence as a procedure if it tells one: the purpose, and
// the steps in their order.
func stepsOf(text string) (string, bool) {
	if saysHedge.Match(text) || saysWish.Match(text) || tellsStory.Match(text) || question(text) {
		return "", false
	}
	lead, steps := "", text
	if head := heading.Find(text); head != nil {
		at := strings.Index(text, ": ")
		lead, steps = text[:at], text[at+2:]
	}
	if strings.Count(text, " ") < 5 || len(lead) > maxLead {
		return "", false
	}
	parts := len(stepBreak.Compiled().Split(steps, -1))
	orders := saysOrder.Count(steps)
	commands := inCode.Count(steps)
	named := leadsToSteps.Match(text)
	told := false
	switch {
	case lead == "":
		told = orders >= 2 && parts >= 3
	case named:
		parts += stepJoin.Count(steps)
		told = parts >= 2 && (parts >= 3 || orders+commands >= 1 || lead != "")
	case nounLead.Match(lead):
		told = parts >= 3 && (orders >= 1 || commands >= 1) || orders >= 2
	}
	if !told {
		return "", false
	}
	return ended(sentenceCase(text)), true
}
