package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/memory"
)

// StoreOnce is Store for a sender that may not know whether an earlier try
// arrived: of all requests with one key the first that arrives is done, for as
// long as Temporal keeps its history (a day at least). The answer to a later
// one is [memory.Accepted].
func (c *Client) StoreOnce(ctx context.Context, key string, in memory.StoreInput) (memory.StoreResult, error) {
	in, err := c.admit(in)
	if err != nil {
		return memory.StoreResult{}, err
	}
	options := c.onlyOnce(fmt.Sprintf("store/%s/%s/%s", in.Collection, in.ID(), key), in.Project, memory.ActionStore, in.Collection)
	var out memory.StoreResult
	err = c.ask(ctx, options, updateAnswer, "", &out, StoreMemory, []any{in})
	if wasDone(err) || c.accepted(ctx, options.ID, err) {
		out, err = memory.StoreResult{
			ID: in.ID(), Status: memory.Accepted, Project: in.Project, Collection: in.Collection,
			Message: "accepted before",
		}, nil
	}
	out.WorkflowID, out.Redacted = options.ID, in.Redacted
	return out, err
}

// CreditOnce is Credit for a sender that may not know whether an earlier try
// arrived; see StoreOnce. The answer to a later one names no ids.
func (c *Client) CreditOnce(ctx context.Context, key string, in memory.CreditInput) (memory.CreditResult, error) {
	in, err := memory.Admit(c.redactor, in)
	if err != nil {
		return memory.CreditResult{}, err
	}
	in.User = cmp.Or(in.User, c.user)
	options := c.onlyOnce("credit/"+key, in.Project, memory.ActionCredit, "")
	var out memory.CreditResult
	err = c.ask(ctx, options, updateAnswer, "", &out, CreditMemories, []any{in})
	if wasDone(err) || c.accepted(ctx, options.ID, err) {
		return memory.CreditResult{IDs: []string{}}, nil
	}
	if out.IDs == nil {
		out.IDs = []string{}
	}
	return out, err
}

// onlyOnce returns the options of a workflow whose id is taken for good.
func (c *Client) onlyOnce(id, project, action, collection string) client.StartWorkflowOptions {
	options := c.start(Own(id, c.ledger), project, action, collection)
	options.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	return options
}

// wasDone reports whether a workflow was not started because its id is taken.
func wasDone(err error) bool {
	var taken *serviceerror.WorkflowExecutionAlreadyStarted
	return errors.As(err, &taken)
}
