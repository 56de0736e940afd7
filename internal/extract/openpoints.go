package extract

import (
	"encoding/json"
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/transcript"
)

// Bounds of what a session is said to have left open.
const (
	maxPoints     = 6
	maxPointBytes = 400 // a longer one is no point
)

// openLead matches the words before what is still to be done.
var openLead = lexis.Lazy(`(?i)(?:^|[.!?;] |\b(?:and|but|und|aber|y|pero) )(?:` +
	`(?:what(?:'s| is) )?(?:still |left )?(?:open|to do|remaining|outstanding|left)(?: (?:points?|items?|tasks?|work|steps?))?|` +
	`(?:the )?(?:next|remaining|open|outstanding) (?:steps?|points?|tasks?|items?)|todos?|` +
	`(?:noch )?(?:offen|zu tun)(?: (?:ist|sind|bleibt|bleiben))?(?: noch)?|offene punkte|nächste schritte|` +
	`(?:queda|quedan|falta|faltan)(?: (?:por hacer|pendientes?))?|pendientes?|próximos pasos)` +
	`(?: (?:is|are))?: *(.*)$`)

// nextWe matches what somebody says has to be done next.
var nextWe = lexis.Lazy(`(?i)^(?:next|tomorrow|next time|then)?,? ?(?:we|you|I) (?:still )?(?:need|have) to (.+)$|` +
	`^(?:als nächstes|morgen|dann) müssen wir (.+)$|^(?:luego|mañana|después) (?:hay que|tenemos que) (.+)$`)

// saysNext are words without which such a sentence is of the work at hand.
var saysNext = lexis.Lazy(`(?i)\b(?:next|tomorrow|still|later|als nächstes|morgen|noch|luego|mañana|después)\b`)

var pointBreak = lexis.Lazy(`(?i)[;,] (?:and |und |y )?| and | und | y `)

// OpenPoints returns what new events of a session say is still to be done: what
// its list of tasks does not have as completed, else what was said last. Told
// is false if they say nothing about it; with no points it means that all is done.
func OpenPoints(events []transcript.Event) (points []string, told bool) {
	var said []string
	for _, e := range events {
		if e.State != transcript.New || e.Sidechain {
			continue
		}
		switch e.Kind {
		case transcript.Called:
			if list, ok := unfinishedTasks(e.Tool); ok {
				points, told, said = list, true, nil
			}
		case transcript.Said, transcript.Prompt:
			if pasted(e.Text) {
				continue
			}
			if stated := statedOpen(e.Text); len(stated) > 0 {
				said = stated
			}
		}
	}
	if len(points) == 0 && len(said) > 0 {
		return said, true
	}
	return points, told
}

// unfinishedTasks reads the call with which Claude Code writes its list of tasks.
func unfinishedTasks(call *transcript.ToolCall) (points []string, ok bool) {
	if call == nil || call.Name != "TodoWrite" || call.Failed {
		return nil, false
	}
	var input struct {
		Todos []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"todos"`
	}
	if json.Unmarshal(call.Input, &input) != nil {
		return nil, false
	}
	for _, one := range input.Todos {
		if one.Status == "pending" || one.Status == "in_progress" {
			points = addPoint(points, one.Content)
		}
	}
	return points, true
}

// statedOpen are the points that a text says are open, in a sentence or in the
// list below one.
func statedOpen(text string) []string {
	var out []string
	list := prose(text)
	for i, one := range list {
		m := openLead.Groups(one.text)
		if m == nil {
			if next := nextWe.Groups(one.text); next != nil && saysNext.Match(one.text) && !question(one.text) && !saysHedge.Match(one.text) {
				out = addPoint(out, strings.Join(next[1:], ""))
			}
			continue
		}
		if rest := strings.TrimSpace(m[1]); rest != "" {
			for _, point := range pointBreak.Compiled().Split(rest, -1) {
				out = addPoint(out, point)
			}
			continue
		}
		for _, item := range list[i+1:] {
			if !item.bullet && item.item == 0 {
				break
			}
			out = addPoint(out, item.text)
		}
	}
	return out
}

func addPoint(points []string, text string) []string {
	text = strings.TrimRight(strings.Join(strings.Fields(text), " "), " .!,;:")
	if len(points) >= maxPoints || len(text) < 4 || len(text) > maxPointBytes || question(text) || holdsSecret(text) {
		return points
	}
	return append(points, text)
}
