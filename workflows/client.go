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
	"go.temporal.io/sdk/temporal"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// Client starts workflows and waits for their answers. Everything it sends is
// redacted first, because a workflow's input is written to Temporal's history.
// Errors are [memory.Error] values.
type Client struct {
	temporal client.Client
	redactor activities.Redactor
}

// NewClient returns a client that sends through c.
func NewClient(c client.Client, r activities.Redactor) *Client {
	return &Client{temporal: c, redactor: r}
}

// Close closes the connection to Temporal.
func (c *Client) Close() { c.temporal.Close() }

// Store remembers one text. While a part is down it answers [memory.Accepted].
func (c *Client) Store(ctx context.Context, in memory.StoreInput) (memory.StoreResult, error) {
	in, kinds := activities.RedactStore(c.redactor, in)
	in, err := in.Clean()
	if err != nil {
		return memory.StoreResult{}, err
	}
	options := c.start(fmt.Sprintf("store/%s/%s", in.Collection, in.ID()), in.Project, memory.ActionStore, in.Collection)
	// The same text stored twice at once is one workflow with two listeners.
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	var out memory.StoreResult
	err = c.ask(ctx, options, updateAnswer, "", &out, StoreMemory, []any{in})
	if c.accepted(ctx, options.ID, err) {
		out, err = waitingFor(theWorker, in), nil
	}
	if err == nil && out.Status == memory.Accepted {
		// The workflow says what it began to wait for; it may be another part by now.
		if part := c.failing(ctx, options.ID); part != "" {
			out = waitingFor(part, in)
		}
	}
	out.WorkflowID, out.Redacted = options.ID, kinds
	return out, err
}

// Recall answers a query.
func (c *Client) Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error) {
	q, err := activities.RedactQuery(c.redactor, q).Clean()
	if err != nil {
		return memory.RecallResult{}, err
	}
	collection := "all"
	if len(q.Collections) == 1 {
		collection = q.Collections[0]
	}
	options := c.start(unique("recall/"+q.Project), q.Project, memory.ActionRecall, collection)
	var out memory.RecallResult
	err = c.ask(ctx, options, updateAnswer, "", &out, RecallMemory, []any{q})
	if out.Hits == nil {
		out.Hits = []memory.Hit{}
	}
	return out, err
}

// Forget forgets what a filter selects, or with DryRun says what that is. An id
// that was merged away is refused with the survivor's id ([memory.Conflict]),
// unless the survivor is named too.
func (c *Client) Forget(ctx context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error) {
	// What is stored was redacted: a filter that is too selects the same, and
	// nothing secret gets into Temporal's history.
	filter, err := activities.RedactFilter(c.redactor, in.Filter).Clean()
	if err != nil {
		return memory.ForgetReceipt{}, err
	}
	in.Filter = filter
	project := in.Filter.Project
	options := c.start(unique("forget"), project, memory.ActionForget, in.Filter.Collection)
	var out memory.ForgetReceipt
	err = c.ask(ctx, options, updateAnswer, "", &out, ForgetMemory, []any{in})
	return out, err
}

// Link joins two memories. SourceID, TargetID and Type must be set.
func (c *Client) Link(ctx context.Context, link memory.Link) (memory.Link, error) {
	link, err := link.Clean()
	if err != nil {
		return link, err
	}
	var out memory.Link
	err = c.ask(ctx, c.start(unique("link"), "", memory.ActionLink, ""), updateAnswer, "", &out,
		LinkMemories, []any{activities.LinkInput{Link: link}})
	return out, err
}

// start returns the options that every workflow is started with.
func (c *Client) start(id, project, action, collection string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                    id,
		TaskQueue:             TaskQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		// Update-with-Start wants a policy; ids are unique unless the caller says otherwise.
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		TypedSearchAttributes:    searchAttributes(project, action, collection),
	}
}

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
	handle, err := c.temporal.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: c.temporal.NewWithStartWorkflowOperation(options, workflow, args...),
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: updateID, UpdateName: update, Args: updateArgs,
			WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return err
	}
	return handle.Get(ctx, out)
}

// theWorker is the part that is down when a workflow runs and nobody answers.
const theWorker = "the worker"

// accepted reports whether a call that got no answer is durable all the same.
func (c *Client) accepted(ctx context.Context, id string, err error) bool {
	return err != nil && memory.CodeOf(err) == memory.Unavailable && c.started(ctx, id)
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

// failing returns the part that failed a step of a workflow at its last try, ""
// if none did.
func (c *Client) failing(ctx context.Context, id string) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return ""
	}
	for _, step := range d.GetPendingActivities() {
		if failure := step.GetLastFailure(); failure != nil {
			return memory.PartOf(activities.FromTemporal(temporal.GetDefaultFailureConverter().FailureToError(failure)))
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
		notReady    *serviceerror.WorkflowNotReady // its task failed over and over, as when workers are killed
		noNamespace *serviceerror.NamespaceNotFound
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
		errors.As(err, &notReady), errors.Is(err, context.DeadlineExceeded):
		return memory.Down("Temporal", `start mneme with "mneme up" (with a Temporal of your own, mneme-worker), or run "mneme doctor" to see every part`,
			fmt.Errorf("no answer from Temporal and its worker in time: %w", err))
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

// unique returns an id that begins readably and ends in time and chance.
func unique(prefix string) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: see crypto/rand
	// Ids travel in headers, which are printable ASCII; a project's name may be anything.
	prefix = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '_'
		}
		return r
	}, prefix)
	return fmt.Sprintf("%s/%s-%x", prefix, time.Now().UTC().Format("20060102T150405.000"), b)
}
