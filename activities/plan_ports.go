package activities

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// Planner keeps the plans of dry runs, and who organizes.
type Planner interface {
	// KeepPlan keeps the steps of a plan, fills in what its head says of them, and drops old plans.
	// A plan with the same id is replaced.
	KeepPlan(ctx context.Context, head memory.PlanHead, steps []memory.PlanStep) error
	// PlanHead returns the head of a plan ([memory.NotFound] if none is kept).
	PlanHead(ctx context.Context, id string) (memory.PlanHead, error)
	// PlanSteps returns steps of a plan after a number, from 1 on, at most limit.
	PlanSteps(ctx context.Context, id string, after, limit int) ([]memory.PlanStep, error)
	// PlanMoved returns the memories that are not what they were when the plan was made, at most limit,
	// and how many there are.
	PlanMoved(ctx context.Context, id string, limit int) ([]memory.Moved, int, error)
	// TakeTurn notes that a workflow organizes, if none does or the one named over, and returns who does then.
	TakeTurn(ctx context.Context, workflowID, over string) (holder string, err error)
}
