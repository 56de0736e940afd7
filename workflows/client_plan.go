package workflows

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// Plan returns some steps of what a dry run would have done, with the texts of today.
func (c *Client) Plan(ctx context.Context, q memory.PlanQuery) (memory.PlanPage, error) {
	out, err := c.read(ctx, "plan", activities.ReadInput{Plan: &q})
	if err != nil || out.Plan == nil {
		return memory.PlanPage{}, err
	}
	return *out.Plan, nil
}

// CancelOrganize asks the organize run of an id, or with "" each that is at
// work, to end, and returns their ids. It ends at once or after the page that it is at.
func (c *Client) CancelOrganize(ctx context.Context, id string) ([]string, error) {
	ids := []string{}
	if id != "" {
		d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
		if err != nil {
			return nil, fromTemporal(err)
		}
		info := d.GetWorkflowExecutionInfo()
		if info.GetType().GetName() != "OrganizeMemory" {
			return nil, memory.Errorf(memory.Invalid, "see the id that \"mneme organize\" printed", "%s is no organize run", id)
		}
		if info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
			ids = append(ids, id)
		}
	} else {
		open, err := c.openChanges(ctx)
		if err != nil {
			return nil, fromTemporal(err)
		}
		for _, w := range open {
			if w.GetType().GetName() == "OrganizeMemory" && w.GetTaskQueue() == TaskQueue(c.ledger) {
				ids = append(ids, w.GetExecution().GetWorkflowId())
			}
		}
	}
	for _, id := range ids {
		err := c.temporal.CancelWorkflow(ctx, id, "")
		if _, gone := errors.AsType[*serviceerror.NotFound](err); err != nil && !gone {
			return nil, fromTemporal(err)
		}
	}
	return ids, nil
}
