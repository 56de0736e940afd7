package workflows

import (
	"context"
	"errors"
	"fmt"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/mneme-memory/mneme/memory"
)

// runKinds are the workflows that take long enough to be looked at, with what they are called.
var runKinds = map[string]string{
	"OrganizeMemory": memory.ActionOrganize, "RebuildIndex": memory.ActionRebuild, "UndoChange": memory.ActionUndo,
	"ImportMemories": memory.ActionImport, "PurgeMemories": "purge",
}

// maxRuns bounds a list of runs.
const maxRuns = 200

// Runs returns the last long runs, newest first: those at work and those that Temporal still keeps.
func (c *Client) Runs(ctx context.Context, limit int) ([]memory.Run, error) {
	var types []string
	for t := range runKinds {
		types = append(types, t)
	}
	page, err := c.temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		PageSize: int32(max(1, min(limit, maxRuns))), //nolint:gosec // G115: bounded
		Query:    fmt.Sprintf("TaskQueue = '%s' AND WorkflowType IN ('%s')", TaskQueue(c.ledger), strings.Join(types, "','")),
	})
	if err != nil {
		return nil, fromTemporal(err)
	}
	out := []memory.Run{}
	for _, w := range page.GetExecutions() {
		out = append(out, runOf(w))
	}
	return out, nil
}

// Run returns one long run, with the report of an organize run as far as it has come.
func (c *Client) Run(ctx context.Context, id string) (memory.RunState, error) {
	d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	var unknown *serviceerror.NotFound
	if errors.As(err, &unknown) {
		return memory.RunState{}, memory.Errorf(memory.NotFound, "see the list of runs; old ones are kept for some days", "there is no run %q", id)
	}
	if err != nil {
		return memory.RunState{}, fromTemporal(err)
	}
	info := d.GetWorkflowExecutionInfo()
	if runKinds[info.GetType().GetName()] == "" {
		return memory.RunState{}, memory.Errorf(memory.NotFound, "see the list of runs", "%q is no long run", id)
	}
	state := memory.RunState{Run: runOf(info)}
	if state.Kind != memory.ActionOrganize {
		return state, nil
	}
	if state.Status == "completed" {
		var report memory.OrganizeReport
		if err := c.temporal.GetWorkflow(ctx, id, "").Get(ctx, &report); err == nil {
			state.Organize = &report
			return state, nil
		}
	}
	report, ok := queried[memory.OrganizeReport](c)(ctx, id)
	if !ok || report.WorkflowID == "" { // a dry run says it with its heartbeats
		report, ok = lastWord[memory.OrganizeReport](c)(ctx, id)
	}
	if ok {
		state.Organize = &report
	}
	return state, nil
}

func runOf(w *workflowpb.WorkflowExecutionInfo) memory.Run {
	r := memory.Run{
		ID: w.GetExecution().GetWorkflowId(), RunID: w.GetExecution().GetRunId(), Kind: runKinds[w.GetType().GetName()],
		Status: statusWords[w.GetStatus()], StartedAt: w.GetStartTime().AsTime(),
	}
	if r.Status == "" {
		r.Status = "unknown"
	}
	if w.GetCloseTime() != nil {
		at := w.GetCloseTime().AsTime()
		r.EndedAt = &at
	}
	return r
}

var statusWords = map[enumspb.WorkflowExecutionStatus]string{
	enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING:          "running",
	enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:        "completed",
	enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:           "failed",
	enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:         "cancelled",
	enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:       "ended by force",
	enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW: "went on",
	enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:        "timed out",
}
