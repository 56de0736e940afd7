package workflows

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// ask starts a workflow and waits for the answer of one of its Updates. That
// is one round trip; waiting for a workflow's result by long-polling its
// history can stall.
func (c *Client) ask(
	ctx context.Context, options client.StartWorkflowOptions, update, updateID string, out any,
	workflow any, args []any, updateArgs ...any,
) error {
	return fromTemporal(c.send(ctx, options, update, updateID, out, workflow, args, updateArgs...))
}

// send is ask with errors as Temporal's client gives them.
func (c *Client) send(
	ctx context.Context, options client.StartWorkflowOptions, update, updateID string, out any,
	workflow any, args []any, updateArgs ...any,
) error {
	if updateID == "" {
		updateID = rand.Text()
	}
	question := client.UpdateWorkflowOptions{
		UpdateID: updateID, UpdateName: update, Args: updateArgs,
		WaitForStage: client.WorkflowUpdateStageCompleted,
	}
	handle, err := c.temporal.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: c.temporal.NewWithStartWorkflowOperation(options, workflow, args...),
		UpdateOptions:          question,
	})
	if notReady(err) {
		question.WorkflowID = options.ID
		handle, err = c.askAgain(ctx, question, err)
	}
	if err != nil {
		return err
	}
	return handle.Get(ctx, out)
}

// The times of asking a workflow again that was not ready.
const (
	askingAgain = 30 * time.Second // in all
	betweenAsks = 500 * time.Millisecond
)

// notReady reports whether a workflow took no Update because its task failed or
// timed out over and over: its workers were killed, or the machine is so busy that
// the server gave up handing the task out, which it does after one second.
func notReady(err error) bool {
	var not *serviceerror.WorkflowNotReady
	return errors.As(err, &not)
}

// askAgain repeats an Update of a workflow that runs already. Its id is the same
// each time, so that one which arrived is not taken twice. Without an answer it
// returns the error of the first try.
func (c *Client) askAgain(ctx context.Context, question client.UpdateWorkflowOptions, first error) (client.WorkflowUpdateHandle, error) {
	ctx, cancel := context.WithTimeout(ctx, askingAgain)
	defer cancel()
	tick := time.NewTicker(betweenAsks)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, first
		case <-tick.C:
		}
		if handle, err := c.temporal.UpdateWorkflow(ctx, question); err == nil {
			return handle, nil
		} else if !notReady(err) {
			return nil, errors.Join(first, err)
		}
	}
}

// theWorker is the part that is down when a workflow runs and nobody answers.
const theWorker = "the worker"

// accepted reports whether a call that got no answer is durable all the same.
func (c *Client) accepted(ctx context.Context, id string, err error) bool {
	return memory.Waits(err) && c.started(ctx, id)
}

// started reports whether a workflow runs. One that ended is an earlier store of
// the same text, which proves nothing about this one. It has its own short
// time: the caller's deadline is over.
func (c *Client) started(ctx context.Context, id string) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	return err == nil && d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// covers reports whether the store that runs was started with all that in says
// of the text. What in adds is only in its question, which a server that ends
// forgets until a worker has taken it.
func (c *Client) covers(ctx context.Context, id string, in memory.StoreInput) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	event, err := c.temporal.GetWorkflowHistory(ctx, id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	if err != nil {
		return false
	}
	var started memory.StoreInput
	input := event.GetWorkflowExecutionStartedEventAttributes().GetInput()
	return converter.GetDefaultDataConverter().FromPayloads(input, &started) == nil && !in.Adds(started)
}

// waits returns what a change waits for now, as far as that is known.
func (c *Client) waits(ctx context.Context, id string) (memory.Wait, bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return memory.Wait{}, false
	}
	s, ok := stuckIn(d, time.Now())
	return s.wait, ok
}

// change asks for a change that is made later when a part is down or refuses.
// The error says so, and what is waited for: the name comes from the workflow's
// first wait, and another part may be down by now.
func (c *Client) change(ctx context.Context, options client.StartWorkflowOptions, out any, workflow any, args ...any) error {
	options = c.keyedOptions(options)
	var err error
	if c.key == "" {
		err = c.ask(ctx, options, updateAnswer, "", out, workflow, args)
	} else {
		err = c.keyedAsk(ctx, options, out, workflow, args)
	}
	if !memory.Waits(err) || !c.started(ctx, options.ID) {
		return err
	}
	w, ok := c.waits(ctx, options.ID)
	switch {
	case ok:
	case memory.PartOf(err) == "Temporal": // it has the change, and nobody answers yet
		w = memory.Wait{Part: theWorker, Code: memory.Unavailable}
	default:
		return err
	}
	return w.Err(c.others(ctx, w.Part))
}

// others says how many changes wait for a part, "" when it is one alone or
// nobody knows.
func (c *Client) others(ctx context.Context, part string) string {
	all, err := c.Waiting(context.WithoutCancel(ctx))
	if err != nil {
		return ""
	}
	for _, w := range all {
		if w.Part == part && w.Count > 1 {
			w.Reason = "" // was said already
			return w.String()
		}
	}
	return ""
}

// fromTemporal turns what Temporal's client returns into a [memory.Error].
func fromTemporal(err error) error {
	var (
		app         *temporal.ApplicationError
		unavailable *serviceerror.Unavailable
		deadline    *serviceerror.DeadlineExceeded
		updateEnded *client.WorkflowUpdateServiceTimeoutOrCanceledError
		noNamespace *serviceerror.NamespaceNotFound
		denied      *serviceerror.PermissionDenied
		limit       *serviceerror.ResourceExhausted
		refused     *serviceerror.InvalidArgument
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &app):
		return activities.FromTemporal(err)
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &unavailable), errors.As(err, &deadline), errors.As(err, &updateEnded),
		notReady(err), errors.Is(err, context.DeadlineExceeded):
		return memory.Down("Temporal", `start mneme with "mneme up" (with a Temporal of your own, mneme-worker), or run "mneme doctor" to see every part`,
			fmt.Errorf("no answer from Temporal and its worker in time: %w", err))
	case errors.As(err, &denied), status.Code(err) == codes.Unauthenticated:
		return memory.Refusal("Temporal", "check MNEME_TEMPORAL_API_KEY, the certificates and the rights that they give", err)
	case errors.As(err, &limit):
		return memory.Refusal("Temporal", "raise the limits of Temporal's namespace, or wait until there is less to do", err)
	case errors.As(err, &noNamespace):
		return memory.Down("Temporal", "make the namespace (a new one is known everywhere after some seconds), or set MNEME_TEMPORAL_NAMESPACE",
			fmt.Errorf("Temporal has no namespace %s: %w", noNamespace.Namespace, err))
	case errors.As(err, &refused) && strings.Contains(refused.Message, "search attribute"):
		// A worker registers them; a host of the cluster may learn of it some seconds later.
		return memory.Down("Temporal", "start a worker, which registers them, and try again in some seconds",
			fmt.Errorf("Temporal does not know mneme's search attributes: %w", err))
	default:
		return &memory.Error{Code: memory.Internal, Part: "Temporal", Err: err}
	}
}
