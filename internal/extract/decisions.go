package extract

import (
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

var (
	modelDecides = lexis.Lazy(`(?i)(?:^decision: |\b(?:we|i)(?:'ve| have)? (?:decided|chose|opted|settled|picked|agreed)\b(?: on| to| for| against)?|^(?:so )?going with )`)
	userDecides  = lexis.Lazy(`(?i)(?:^decision: |\b(?:we|i)(?:'ve| have)? (?:decided|agreed|chose|settled)\b|^(?:ok(?:ay)?|yes|yeah|right|good|fine|great|perfect|alright)?[,.! ]*(?:let'?s|we'?ll|we will) (?:go with|use|stick (?:with|to)|keep|standardi[sz]e on)\b)`)
	reasons      = lexis.Lazy(`(?i)\b(?:because|since|so that|due to|as (?:it|they|we|this) |in order to|to (?:avoid|keep|stay|prevent|reduce|make sure)|rather than|instead of|over|otherwise)\b`)
	pointing     = lexis.Lazy(`(?i)\b(?:option|approach|alternative|variant|plan|choice) (?:\d|[a-d]\b|one|two|three)|\b(?:the (?:first|second|third|last|latter|former|other)(?: (?:one|option|approach|way|idea))?|(?:use|with|keep) (?:that|this|it|these|those|them|your)\b|your (?:\w+ )?(?:suggestion|proposal|idea|version|approach|solution)|(?:that|this) (?:one|way|approach|plan))\b`)
	ofOne        = lexis.Lazy(`(?i)^i(?:'ve| have)? (?:decided|chose|opted|settled|picked)\b`)
	chores       = lexis.Lazy(`(?i)\b(?:decided|agreed) to (?:rename|move|split|extract|remove|delete|refactor|fix|add|merge|rewrite|look|start|try|have|meet|talk)\b`)
	letUs        = lexis.Lazy(`(?i)^(?:ok(?:ay)?|yes|yeah|right|good|fine|great|perfect|alright)?[,.! ]*(?:let'?s|we'?ll|we will)\b`)
	unnamed      = lexis.Lazy(`(?i)\b(?:go with|use|stick (?:with|to)|keep|standardi[sz]e on) (?:an?|the|this|that|these|those|it|them|one|two|my|your|our|what|how|some|another|more|less|only|on|going|working)\b`)
	consent      = lexis.Lazy(`(?i)^\W*(?:yes|yep|yeah|ok(?:ay)?|good|great|perfect|agreed|sounds good|fine|sure|go ahead|do it|makes sense|exactly|right|nice|thanks?)\b`)
	nowOnly      = lexis.Lazy(`(?i)\b(?:for now|for the moment|this time|just (?:this )?once|today|tonight|tomorrow|right now|temporarily|for (?:this|the) (?:one|commit|pr|task|change|test|run|demo|moment|rest of)\b|in this (?:function|file|test|branch|pr|commit|case)\b|until\b|first,|before you continue)`)
)

// decideWords stand in every sentence that decides.
var decideWords = []string{"decision", "decided", "chose", "opted", "settled", "picked", "agreed", "going with", "let's", "lets ", "we'll", "well ", "we will"}

// decisions are choices with their reasons.
func (s *session) decisions() []found {
	var out []found
	for at, e := range s.events {
		if !s.weighed(at) {
			continue
		}
		if !containsAny(e.Text, decideWords) {
			continue
		}
		for _, one := range prose(e.Text) {
			switch {
			case e.Kind == transcript.Said:
				out = append(out, s.modelDecision(at, one)...)
			case e.Kind == transcript.Prompt && !pasted(e.Text) && !s.takenBack(at):
				out = append(out, s.userDecision(at, one)...)
			}
		}
	}
	return out
}

// modelDecision needs a reason, and that the person did not say no.
func (s *session) modelDecision(at int, one sentence) []found {
	text := openers.Replace(one.text, "")
	if !modelDecides.Match(text) || !reasons.Match(text) || !s.sound(text) || pointing.Match(text) || nowOnly.Match(text) || s.denied(at) || !specific(text) {
		return nil
	}
	score := 0.56
	next := s.nextPrompt(at)
	agreed := next < len(s.events) && consent.Match(s.events[next].Text)
	switch {
	case agreed:
		score += 0.12
	case ofOne.Match(text):
		return nil // how it went about its work, which nobody has agreed to
	}
	return []found{s.candidate(decision(text), memory.TypeDecision, "decision of the model, with its reason", score, at)}
}

// userDecision may go without a reason, but not without its object.
func (s *session) userDecision(at int, one sentence) []found {
	text := openers.Replace(one.text, "")
	// "let's" and "we'll" are plans in the model's mouth; from the person they decide.
	bare := plans.Replace(text, "")
	if !userDecides.Match(text) || len(strings.Fields(text)) < 5 || !sized(text) || !firm(bare) || question(text) || pointing.Match(text) || nowOnly.Match(text) || s.quoted(text) {
		return nil
	}
	why, what := reasons.Match(text), specific(text)
	if chores.Match(text) && !why || letUs.Match(text) && !what && unnamed.Match(text) {
		return nil // what to do next
	}
	score := 0.6
	if why {
		score += 0.18
	}
	if !what {
		score -= 0.12
	}
	return []found{s.candidate(decision(text), memory.TypeDecision, "decision of the person", score, at)}
}

var saysDecision = lexis.Lazy(`(?i)^decision: *`)

func decision(text string) string {
	return "Decision: " + ended(sentenceCase(saysDecision.Replace(text, "")))
}
