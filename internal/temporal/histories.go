package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/proto"

	"github.com/mneme-memory/mneme/internal/purge"
	"github.com/mneme-memory/mneme/memory"
)

// Histories are the histories of the workflows on some task queues of a namespace.
type Histories struct {
	Client    client.Client
	Namespace string
	Queues    []string
}

// runsPerPage is how many runs are listed at once.
const runsPerPage = 500

// Runs implements [purge.Histories].
func (h Histories) Runs(ctx context.Context, each func(purge.Run) error) error {
	quoted := make([]string, len(h.Queues))
	for i, q := range h.Queues {
		quoted[i] = "'" + strings.ReplaceAll(q, "'", "''") + "'"
	}
	// All are listed before the first is read: what is deleted meanwhile would shift the pages.
	var runs []purge.Run
	for next := []byte(nil); ; {
		page, err := h.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: h.Namespace, PageSize: runsPerPage, NextPageToken: next,
			Query: "TaskQueue IN (" + strings.Join(quoted, ", ") + ")",
		})
		if err != nil {
			return fmt.Errorf("list what Temporal keeps: %w", err)
		}
		for _, e := range page.GetExecutions() {
			runs = append(runs, purge.Run{
				WorkflowID: e.GetExecution().GetWorkflowId(), RunID: e.GetExecution().GetRunId(),
				Open: e.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING,
			})
		}
		if next = page.GetNextPageToken(); len(next) == 0 {
			break
		}
	}
	for _, run := range runs {
		if err := each(run); err != nil {
			return err
		}
	}
	return nil
}

// Read implements [purge.Histories]. The connection decrypts.
func (h Histories) Read(ctx context.Context, run purge.Run, look func(event []byte)) error {
	events := h.Client.GetWorkflowHistory(ctx, run.WorkflowID,
		run.RunID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if gone(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the history of %s: %w", run.WorkflowID, err)
		}
		data, err := proto.Marshal(event)
		if err != nil {
			return fmt.Errorf("read the history of %s: %w", run.WorkflowID, err)
		}
		look(data)
	}
	return nil
}

// Texts implements [purge.Histories].
func (h Histories) Texts(ctx context.Context, run purge.Run, look func(text string)) error {
	events := h.Client.GetWorkflowHistory(ctx, run.WorkflowID,
		run.RunID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if gone(err) {
			return nil
		}
		if err == nil {
			err = proxy.VisitPayloads(ctx, &historypb.History{Events: []*historypb.HistoryEvent{event}}, proxy.VisitPayloadsOptions{
				Visitor: func(_ *proxy.VisitPayloadsContext, payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
					for _, p := range payloads {
						var value any
						if json.Unmarshal(p.GetData(), &value) == nil {
							eachString(value, look)
						}
					}
					return payloads, nil
				},
			})
		}
		if err != nil {
			return fmt.Errorf("read the history of %s: %w", run.WorkflowID, err)
		}
	}
	return nil
}

// eachString hands every string of a JSON value to look.
func eachString(value any, look func(string)) {
	switch v := value.(type) {
	case string:
		look(v)
	case []any:
		for _, one := range v {
			eachString(one, look)
		}
	case map[string]any:
		for _, one := range v {
			eachString(one, look)
		}
	}
}

func gone(err error) bool {
	var none *serviceerror.NotFound
	return errors.As(err, &none)
}

// The times of a deletion, which Temporal does in the background.
const (
	deleteWithin = 2 * time.Minute // with its defaults up to half a minute
	deletePoll   = 50 * time.Millisecond
)

// Delete implements [purge.Histories].
func (h Histories) Delete(ctx context.Context, run purge.Run) error {
	_, err := h.Client.WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{
		Namespace:         h.Namespace,
		WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: run.WorkflowID, RunId: run.RunID},
	})
	if gone(err) {
		return nil
	}
	var unknown *serviceerror.Unimplemented
	if denied(err) || errors.As(err, &unknown) {
		return memory.Refusal("Temporal",
			"give mneme the right to delete histories, or wait until their retention is over", err)
	}
	if err != nil {
		return fmt.Errorf("delete the history of %s: %w", run.WorkflowID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, deleteWithin)
	defer cancel()
	tick := time.NewTicker(deletePoll)
	defer tick.Stop()
	for {
		_, err := h.Client.DescribeWorkflowExecution(ctx, run.WorkflowID, run.RunID)
		if gone(err) {
			return nil
		}
		select {
		case <-ctx.Done():
			return memory.Down("Temporal",
				"it deletes histories in the background; the purge goes on when it has done so",
				fmt.Errorf("the history of %s is still there", run.WorkflowID))
		case <-tick.C:
		}
	}
}
