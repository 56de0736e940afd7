package workflows

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/mneme-memory/mneme/memory"
)

// keyedUpdate is the id of the question to a workflow that a key names, so that the answer is
// found again by whoever repeats the question.
const keyedUpdate = "keyed"

// Keyed returns a client whose next change is made once for a key, however often it is asked for:
// the key names the workflow, and who asks again gets the answer of the first time, for as long as
// Temporal keeps its history (a day at least). The same key for another change of the
// same kind is refused ([memory.Conflict]). It holds for edits, forgets, links, merges and undos, and
// is the same as c for "".
func (c *Client) Keyed(key string) *Client {
	keyed := *c
	keyed.key = key
	return &keyed
}

// keyedOptions are options whose workflow the key names.
func (c *Client) keyedOptions(options client.StartWorkflowOptions) client.StartWorkflowOptions {
	if c.key == "" {
		return options
	}
	kind, _, _ := strings.Cut(options.ID, "/")
	sum := sha256.Sum256([]byte(c.key)) // a key may be anything, and may be a secret
	options.ID = Own(kind+"/keyed/"+hex.EncodeToString(sum[:16]), c.ledger)
	options.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	return options
}

// keyedAsk is ask for a change that a key names, which another call may have made already.
func (c *Client) keyedAsk(ctx context.Context, options client.StartWorkflowOptions, out any, workflow any, args []any) error {
	err := c.send(ctx, options, updateAnswer, keyedUpdate, out, workflow, args)
	if wasDone(err) {
		err = c.temporal.GetWorkflowUpdateHandle(client.GetWorkflowUpdateHandleOptions{
			WorkflowID: options.ID, UpdateID: keyedUpdate,
		}).Get(ctx, out)
		var unknown *serviceerror.NotFound
		if errors.As(err, &unknown) {
			return memory.Errorf(memory.Conflict, "look at what is there now, and use another key for another change",
				"a change with this key was made already, and its answer is not there any more")
		}
	}
	if other := c.sameKey(ctx, options.ID, args); other != nil {
		return other
	}
	return fromTemporal(err)
}

// sameKey refuses a key whose workflow was started with other arguments. A history that cannot be
// read proves nothing.
func (c *Client) sameKey(ctx context.Context, id string, args []any) error {
	event, err := c.temporal.GetWorkflowHistory(ctx, id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	if err != nil {
		return nil //nolint:nilerr // the change's own error is told
	}
	mine, err := converter.GetDefaultDataConverter().ToPayloads(args...)
	if err != nil {
		return &memory.Error{Code: memory.Internal, Err: err}
	}
	first := event.GetWorkflowExecutionStartedEventAttributes().GetInput().GetPayloads()
	for i, p := range mine.GetPayloads() {
		if i >= len(first) || !bytes.Equal(p.GetData(), first[i].GetData()) {
			return memory.Errorf(memory.Conflict, "use a new key for each change", "this key was used for another change already")
		}
	}
	return nil
}
