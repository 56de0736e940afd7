package workflows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// The bounds of one look at what waits.
const (
	waitingTime  = 800 * time.Millisecond // for everything
	waitingPage  = 1000                   // workflows of one list
	waitingPages = 10                     // lists
	waitingLook  = 200                    // workflows that are looked at each
	waitingAtOne = 8                      // of them at a time
	// idle is how long a task may lie there before nobody is at work.
	idle = 10 * time.Second
)

// changes are the workflows that change something. What only answers is
// waited for by nobody.
func changes() []string {
	return []string{
		"StoreMemory", "ForgetMemory", "UpdateMemory", "MergeMemories", "LinkMemories", "CreditMemories",
		"ImportMemories", "OrganizeMemory", "RebuildIndex", "RecordEvents", "SnapshotAudit", "PinQuestion",
		"UndoChange", "RestoreMemory", "PurgeMemories", "BackupLedger",
		"ArchiveConversations", "ForgetConversations", "IndexConversations", "ReembedIndex", "RedactEverything",
	}
}

// Waiting returns the accepted changes that wait, by the part that they wait
// for, the most first; none when all is done. It takes less than a second: when
// very many wait, the oldest are looked at each, and the counts are estimates
// that say so.
func (c *Client) Waiting(ctx context.Context) ([]memory.Waiting, error) {
	ctx, cancel := context.WithTimeout(ctx, waitingTime)
	defer cancel()
	open, err := c.openChanges(ctx)
	if err != nil {
		return nil, fromTemporal(err)
	}
	found, looked := c.stuck(ctx, open[:min(len(open), waitingLook)])
	out := []memory.Waiting{}
	for _, of := range byPart(found) {
		w := memory.Waiting{Wait: latest(of).wait, Count: len(of), Since: c.since(ctx, of[0])}
		if looked < len(open) {
			w.Count, w.About = len(of)*len(open)/looked, true
		}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b memory.Waiting) int { return cmp.Compare(b.Count, a.Count) })
	return out, nil
}

// openChanges lists the changes that are not done, the oldest first.
func (c *Client) openChanges(ctx context.Context) ([]*workflowpb.WorkflowExecutionInfo, error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{
		PageSize: waitingPage,
		// What an older release left waits too, and may be this ledger's.
		Query: fmt.Sprintf("ExecutionStatus = 'Running' AND TaskQueue IN ('%s', '%s') AND WorkflowType IN ('%s')",
			TaskQueue(c.ledger), oldQueue, strings.Join(changes(), "','")),
	}
	var open []*workflowpb.WorkflowExecutionInfo
	for range waitingPages {
		page, err := c.temporal.ListWorkflow(ctx, request)
		if err != nil {
			return nil, err
		}
		open = append(open, page.GetExecutions()...)
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			break
		}
	}
	slices.SortStableFunc(open, func(a, b *workflowpb.WorkflowExecutionInfo) int {
		return a.GetStartTime().AsTime().Compare(b.GetStartTime().AsTime())
	})
	return open, nil
}

// stuck is a change that waits.
type stuck struct {
	wait    memory.Wait
	id, run string
	step    string    // the id of the activity that failed; "" while nobody is at work
	since   time.Time // when it began to wait, as far as that is known without its history
	failed  time.Time // when it failed last
}

// stuck looks at workflows and returns those that wait, in their order, and at how
// many it could look before the time was over.
func (c *Client) stuck(ctx context.Context, open []*workflowpb.WorkflowExecutionInfo) (found []stuck, looked int) {
	type look struct {
		s    stuck
		ok   bool
		seen bool
	}
	looks := make([]look, len(open))
	next := make(chan int)
	var all sync.WaitGroup
	for range waitingAtOne {
		all.Go(func() {
			for i := range next {
				d, err := c.temporal.DescribeWorkflowExecution(ctx, open[i].GetExecution().GetWorkflowId(), open[i].GetExecution().GetRunId())
				if err == nil {
					looks[i].seen = true
					looks[i].s, looks[i].ok = stuckIn(d, time.Now())
				}
			}
		})
	}
	for i := range open {
		next <- i
	}
	close(next)
	all.Wait()
	for _, l := range looks {
		if l.seen {
			looked++
		}
		if l.ok {
			found = append(found, l.s)
		}
	}
	return found, looked
}

// stuckIn says what a workflow waits for: what failed a step of it at the last
// try, or the worker that does not come. It is false of one that is at work.
func stuckIn(d *workflowservice.DescribeWorkflowExecutionResponse, now time.Time) (stuck, bool) {
	info := d.GetWorkflowExecutionInfo()
	s := stuck{
		id: info.GetExecution().GetWorkflowId(), run: info.GetExecution().GetRunId(), since: info.GetStartTime().AsTime(),
		wait: memory.Wait{Part: theWorker, Code: memory.Unavailable, Hint: `start mneme with "mneme up" (with a Temporal of your own, mneme-worker)`},
	}
	for _, step := range d.GetPendingActivities() {
		if failure := step.GetLastFailure(); failure != nil {
			s.wait = memory.WaitFor(activities.FromTemporal(temporal.GetDefaultFailureConverter().FailureToError(failure)))
			s.step, s.failed = step.GetActivityId(), step.GetLastAttemptCompleteTime().AsTime()
			return s, true
		}
		if step.GetState() == enumspb.PENDING_ACTIVITY_STATE_SCHEDULED && now.Sub(step.GetScheduledTime().AsTime()) > idle {
			s.since = step.GetScheduledTime().AsTime()
			return s, true
		}
	}
	task := d.GetPendingWorkflowTask()
	if task.GetState() == enumspb.PENDING_WORKFLOW_TASK_STATE_SCHEDULED && now.Sub(task.GetOriginalScheduledTime().AsTime()) > idle {
		s.since = task.GetOriginalScheduledTime().AsTime()
		return s, true
	}
	return s, false
}

// byPart groups what waits, in its order.
func byPart(found []stuck) [][]stuck {
	var out [][]stuck
	at := map[string]int{}
	for _, s := range found {
		i, known := at[s.wait.Part]
		if !known {
			i = len(out)
			at[s.wait.Part], out = i, append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}

// latest returns the one that was tried last: its failure is the current one.
func latest(of []stuck) stuck {
	return slices.MaxFunc(of, func(a, b stuck) int { return a.failed.Compare(b.failed) })
}

// since returns when a change began to wait: when the step was scheduled that
// fails. Temporal tells of a step only when it is tried next.
func (c *Client) since(ctx context.Context, s stuck) time.Time {
	if s.step == "" {
		return s.since
	}
	history := c.temporal.GetWorkflowHistory(ctx, s.id, s.run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			break
		}
		if event.GetActivityTaskScheduledEventAttributes().GetActivityId() == s.step {
			return event.GetEventTime().AsTime()
		}
	}
	return s.since
}
