package activities

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// The bounds of one page of a plan: it is kept in a workflow's history, whose
// payloads Temporal limits to 2 MB.
const (
	planPageSteps = 100
	planPageBytes = 512 << 10 // of texts; one step may be more
)

// readPlan returns some steps of a plan with the texts of today.
func (a *Activities) readPlan(ctx context.Context, q memory.PlanQuery) (memory.PlanPage, error) {
	head, err := a.Ledger.PlanHead(ctx, q.ID)
	if err != nil {
		return memory.PlanPage{}, err
	}
	page := memory.PlanPage{Head: head, Steps: []memory.PlannedStep{}}
	steps, err := a.Ledger.PlanSteps(ctx, q.ID, q.After, planPageSteps)
	if err != nil {
		return page, err
	}
	var ids []string
	for _, s := range steps {
		if s.Action != memory.ActionDecay {
			ids = append(ids, s.IDs...)
		}
	}
	members, err := a.Ledger.Members(ctx, ids)
	if err != nil {
		return page, err
	}
	size := 0
	for i, s := range steps {
		shown := showStep(q.After+i+1, s, members)
		size += sizeOf(shown)
		if i > 0 && size > planPageBytes {
			page.Next = q.After + i
			return page, nil
		}
		page.Steps = append(page.Steps, shown)
	}
	if last := q.After + len(steps); last < head.Steps {
		page.Next = last
	}
	return page, nil
}

// showStep adds the texts to a step. A memory that is gone meanwhile has none.
func showStep(number int, s memory.PlanStep, members map[string]memory.Record) memory.PlannedStep {
	out := memory.PlannedStep{Number: number, PlanStep: s}
	if s.Action == memory.ActionDecay {
		return out
	}
	var group []memory.Record
	for _, id := range s.IDs {
		m, there := members[id]
		out.Memories = append(out.Memories, memory.PlannedMemory{ID: id, Collection: m.Collection, Text: m.Text, CreatedAt: m.CreatedAt})
		if there {
			group = append(group, m)
		}
	}
	if s.Action == memory.ActionMerge {
		_, after, _ := memory.MergeInto(s.IDs[0])(group)
		out.Text = after.Text
	}
	return out
}

func sizeOf(s memory.PlannedStep) int {
	size := len(s.Text) + 60*len(s.IDs)
	for _, m := range s.Memories {
		size += len(m.Text) + 100
	}
	return size
}

// CheckPlan returns the head of a plan that may be applied. It refuses a plan whose
// digest differs from that of the reviewed plan, and a plan of which a memory has
// changed since ([memory.Conflict]).
func (a *Activities) CheckPlan(ctx context.Context, ref memory.PlanRef) (memory.PlanHead, error) {
	head, err := a.Ledger.PlanHead(ctx, ref.ID)
	if err != nil {
		return head, err
	}
	if head.Digest != ref.Digest {
		return head, memory.Errorf(memory.Conflict, `make a new one with "mneme organize --dry-run --plan FILE"`,
			"the plan is not the one that %s made", ref.ID)
	}
	moved, count, err := a.Ledger.PlanMoved(ctx, ref.ID, memory.MovedMost)
	if err != nil {
		return head, err
	}
	if count > 0 {
		return head, memory.Errorf(memory.Conflict, `nothing was changed; make a new one with "mneme organize --dry-run --plan FILE"`,
			"%s", memory.MovedText(moved, count))
	}
	return head, nil
}

// FindPlannedInput asks for the merges of a plan.
type FindPlannedInput struct {
	Scope memory.Scope `json:"scope"` // of which Plan is set
	User  string       `json:"user,omitempty"`
	Step  string       `json:"step"`
}

// FindPlanned keeps the groups that a plan merges in a collection, or across
// collections, as [Activities.FindGroups] keeps those that it finds.
func (a *Activities) FindPlanned(ctx context.Context, in FindPlannedInput) (memory.FoundGroups, error) {
	var found memory.Groups
	for after := 0; ; after += planPageSteps {
		steps, err := a.Ledger.PlanSteps(ctx, in.Scope.Plan, after, planPageSteps)
		if err != nil {
			return memory.FoundGroups{}, err
		}
		if len(steps) == 0 {
			break
		}
		for _, s := range steps {
			if s.Collection == in.Scope.Collection || s.Across && in.Scope.Across {
				found.Scanned += len(s.IDs)
			}
			if s.Action == memory.ActionMerge && s.Across == in.Scope.Across && (s.Across || s.Collection == in.Scope.Collection) {
				found.IDs = append(found.IDs, s.IDs)
			}
		}
	}
	return a.Ledger.KeepGroups(ctx, chained(ctx, in.User, memory.ActionTidy, in.Step), in.Scope, found)
}
