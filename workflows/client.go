package workflows

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// Client starts workflows and waits for their answers. Everything it sends is
// redacted first, because a workflow's input is written to Temporal's history.
// Errors are [memory.Error] values.
type Client struct {
	temporal client.Client
	redactor memory.Redactor
	ledger   string
	user     string
	key      string // see Keyed
}

// NewClient returns a client that sends through c to the workers of a ledger,
// or of a release that knew no identities if that is "".
func NewClient(c client.Client, r memory.Redactor, ledger string) *Client {
	return &Client{temporal: c, redactor: r, ledger: ledger}
}

// For returns a client that notes a user in the audit for what names none. It
// shares the connection of c.
func (c *Client) For(user string) *Client {
	named := *c
	named.user = user
	return &named
}

// Close closes the connection to Temporal.
func (c *Client) Close() { c.temporal.Close() }

// Store remembers one text. While a part is down or refuses it answers
// [memory.Accepted], and the message says what to do.
func (c *Client) Store(ctx context.Context, in memory.StoreInput) (memory.StoreResult, error) {
	in, err := c.admit(in)
	if err != nil {
		return memory.StoreResult{}, err
	}
	// While the ledger is down, the store that waits for it finds the targets.
	if links, err := c.resolveLinks(ctx, in.Links); err == nil {
		in.Links = links
	} else if !memory.Waits(err) {
		return memory.StoreResult{}, err
	}
	options := c.start(Own(fmt.Sprintf("store/%s/%s", in.Collection, in.ID()), c.ledger), in.Project, memory.ActionStore, in.Collection)
	in.Request = rand.Text()
	// The same text stored twice at once is one workflow with two listeners.
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	var out memory.StoreResult
	more := in // for a workflow that somebody else started
	more.Text = ""
	err = c.ask(ctx, options, updateAnswer, "", &out, StoreMemory, []any{in}, more)
	if c.accepted(ctx, options.ID, err) && c.covers(ctx, options.ID, in) {
		out, err = waitingFor(memory.Wait{Part: theWorker}, in), nil
	}
	if err == nil && out.Status == memory.Accepted {
		// The workflow says what it began to wait for; it may be another part by now.
		if w, ok := c.waits(ctx, options.ID); ok {
			out = waitingFor(w, in)
		}
		if others := c.others(ctx, out.WaitingFor); others != "" {
			out.Message += "; " + others
		}
	}
	out.WorkflowID, out.Redacted = options.ID, in.Redacted
	return out, err
}

// admit returns the input of a store as it may leave the process, with the tag of its kind:
// whichever way a memory comes, the recalls that ask by that tag find it.
func (c *Client) admit(in memory.StoreInput) (memory.StoreInput, error) {
	in.Tags = memory.WithKind(in.Tags, in.Type)
	return memory.Admit(c.redactor, in)
}

// Recall answers a query.
func (c *Client) Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error) {
	q, err := memory.Admit(c.redactor, q)
	if err != nil {
		return memory.RecallResult{}, err
	}
	if q.Exclude, err = c.resolve(ctx, q.Exclude, false); err != nil {
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
	if in.Purge && !in.DryRun {
		return c.Purge(ctx, in, nil)
	}
	filter, err := memory.Admit(c.redactor, in.Filter)
	if err != nil {
		return memory.ForgetReceipt{}, err
	}
	if filter.IDs, err = c.Resolve(ctx, filter.IDs); err != nil {
		return memory.ForgetReceipt{}, err
	}
	in.Filter = filter
	project := in.Filter.Project
	options := c.start(unique("forget"), project, memory.ActionForget, in.Filter.Collection)
	var out memory.ForgetReceipt
	if in.DryRun {
		return out, c.ask(ctx, options, updateAnswer, "", &out, ForgetMemory, []any{in})
	}
	err = c.change(ctx, options, &out, ForgetMemory, in)
	return out, err
}

// Link joins two memories. SourceID, TargetID and Type must be set.
func (c *Client) Link(ctx context.Context, link memory.Link) (memory.Link, error) {
	link, err := link.Clean()
	if err != nil {
		return link, err
	}
	ends, err := c.Resolve(ctx, []string{link.SourceID, link.TargetID})
	if err != nil {
		return link, err
	}
	link.SourceID, link.TargetID = ends[0], ends[1]
	if link, err = link.Clean(); err != nil { // its id follows from those of its ends
		return link, err
	}
	var out memory.Link
	err = c.change(ctx, c.start(unique("link"), "", memory.ActionLink, ""), &out, LinkMemories, activities.LinkInput{Link: link, User: c.user})
	return out, err
}

// taskTimeout is how soon the task of a worker that died is handed out again. Temporal's
// default is 10 s; steps that take longer than this prolong their task.
const taskTimeout = 5 * time.Second

// start returns the options that every workflow is started with.
func (c *Client) start(id, project, action, collection string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                    id,
		TaskQueue:             TaskQueue(c.ledger),
		WorkflowTaskTimeout:   taskTimeout,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		// Update-with-Start wants a policy; ids are unique unless the caller says otherwise.
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		TypedSearchAttributes:    searchAttributes(project, action, collection),
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
