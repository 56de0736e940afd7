package mcpserver

import (
	"context"
	"fmt"

	"github.com/mneme-memory/mneme/memory"
)

// maxPlanSteps is how many steps of a plan an answer shows.
const maxPlanSteps = 12

// plannedStep is one step of a dry run.
type plannedStep struct {
	Action  string   `json:"action"`
	Project string   `json:"project"`
	IDs     []string `json:"ids"` // of a merge: the one that stays first
	Texts   []string `json:"texts"`
	Becomes string   `json:"becomes,omitempty"`
	Why     string   `json:"why,omitempty"`
}

// addPlan adds the first steps of a dry run's plan but the decay, which the counts tell of.
func (s *Server) addPlan(ctx context.Context, c Client, id string, a *organized) error {
	steps := 0
	for after := 0; ; {
		page, err := c.Plan(ctx, memory.PlanQuery{ID: id, After: after})
		if err != nil {
			return err
		}
		for _, step := range page.Steps {
			if step.Action == memory.ActionDecay {
				continue
			}
			if steps++; steps <= maxPlanSteps {
				a.Plan = append(a.Plan, newPlannedStep(step))
			}
		}
		if after = page.Next; after == 0 || steps >= maxPlanSteps {
			break
		}
	}
	for i := range a.Collections { // the plan shows them with all texts
		a.Collections[i].Groups, a.Collections[i].Nearly = nil, nil
	}
	if len(a.Plan) > 0 {
		a.Message += fmt.Sprintf("; %d steps are shown, \"mneme organize --dry-run\" shows all of them", len(a.Plan))
	}
	return nil
}

func newPlannedStep(s memory.PlannedStep) plannedStep {
	out := plannedStep{
		Action: s.Action, Project: cleanText(s.Project),
		IDs: shortIDs(s.IDs[:min(len(s.IDs), maxGroupIDs)]), Why: cleanText(s.Why), Texts: []string{},
	}
	for _, m := range s.Memories[:min(len(s.Memories), maxGroupIDs)] {
		text, _ := cut(cleanText(m.Text), maxGroupText)
		out.Texts = append(out.Texts, text)
	}
	if s.Action == memory.ActionMerge && len(s.Memories) > 0 && s.Text != s.Memories[0].Text {
		out.Becomes, _ = cut(cleanText(s.Text), 2*maxGroupText)
	}
	return out
}
