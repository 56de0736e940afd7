package temporal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// Oldest is the oldest Temporal that mneme works with: from this version on a server takes a
// start together with an update of the workflow unless that was turned off
// (frontend.enableExecuteMultiOperation).
const Oldest = "1.27"

// fresh is how long ago a worker that works has polled at most: a poll lasts a minute.
const fresh = 3 * time.Minute

// Inspect asks the server for its version, the namespace, and the search attributes that workflows
// are started with.
func Inspect(ctx context.Context, cfg config.Temporal, attributes []string) memory.Inspection {
	var i memory.Inspection
	c, err := Dial(ctx, cfg, nil)
	if err != nil {
		i.Fail(err)
		return i
	}
	defer c.Close()
	info, err := c.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		i.Fail(memory.Down("Temporal", "check MNEME_TEMPORAL_ADDRESS", err))
		return i
	}
	i.Learn("Temporal", info.GetServerVersion(), Oldest)
	_, err = c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: cfg.Namespace})
	if err != nil {
		i.Fail(namespaceError(cfg.Namespace, err))
		return i
	}
	i.Tell("namespace %s", cfg.Namespace)
	if missing := missingAttributes(ctx, c, cfg.Namespace, attributes); len(missing) > 0 {
		// A worker makes them when it starts, so in a new namespace this is no fault yet.
		i.Warn(memory.Refusal("Temporal", "a worker makes them when it starts; if it has no right to, an administrator runs: "+
			"temporal operator search-attribute create --namespace "+cfg.Namespace+" --type Keyword --name "+strings.Join(missing, " --type Keyword --name "),
			fmt.Errorf("the namespace %s has no search attribute %s, without which nothing is accepted", cfg.Namespace, strings.Join(missing, ", "))))
	}
	return i
}

// missingAttributes returns which search attributes a namespace lacks; none if it does not tell.
func missingAttributes(ctx context.Context, c client.Client, namespace string, wanted []string) []string {
	have, err := c.OperatorService().ListSearchAttributes(ctx,
		&operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil
	}
	var missing []string
	for _, name := range wanted {
		if _, ok := have.GetCustomAttributes()[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing
}

func namespaceError(namespace string, err error) error {
	err = fmt.Errorf("namespace %s: %w", namespace, err)
	var missing *serviceerror.NamespaceNotFound
	var denied *serviceerror.PermissionDenied
	switch {
	case errors.As(err, &missing):
		return memory.Refusal("Temporal", "make the namespace (temporal operator namespace create --retention 72h --namespace "+namespace+"), or set MNEME_TEMPORAL_NAMESPACE", err)
	case errors.As(err, &denied):
		return memory.Refusal("Temporal", "check MNEME_TEMPORAL_API_KEY and the certificates", err)
	default:
		return memory.Down("Temporal", "try again in a moment; see the log of Temporal", err)
	}
}

// InspectWorkers asks the server whether workers ask a task queue for work: without one
// everything that is accepted waits. Which queue that is may be a question to the server too.
// With the name of a host only its workers count.
func InspectWorkers(
	ctx context.Context, cfg config.Temporal, host string,
	find func(context.Context, client.Client) (string, error),
) memory.Inspection {
	var i memory.Inspection
	c, err := Dial(ctx, cfg, nil)
	if err != nil {
		i.Fail(err)
		return i
	}
	defer c.Close()
	queue, err := find(ctx, c)
	if err != nil {
		i.Fail(err)
		return i
	}
	n, err := workers(ctx, c, queue, host)
	switch {
	case err != nil:
		i.Fail(memory.Down("the worker", "see what is said of Temporal", err))
	case n == 0 && host != "":
		i.Fail(memory.Down("the worker", "see its log: it says what it waits for",
			fmt.Errorf("no worker of %s asks the queue %s for work", host, queue)))
	case n == 0:
		i.Fail(memory.Down("the worker", `start one with "mneme up" or mneme-worker`, fmt.Errorf("nobody asks the queue %s for work", queue)))
	case n == 1:
		i.Tell("1 worker on the queue %s", queue)
	default:
		i.Tell("%d workers on the queue %s", n, queue)
	}
	return i
}

// workers counts those that ask for both kinds of work, workflows and activities: all, or those
// of one host.
func workers(ctx context.Context, c client.Client, queue, host string) (int, error) {
	kinds := []enumspb.TaskQueueType{enumspb.TASK_QUEUE_TYPE_WORKFLOW, enumspb.TASK_QUEUE_TYPE_ACTIVITY}
	asked := map[string]int{} // kinds of work by identity
	for _, kind := range kinds {
		answer, err := c.DescribeTaskQueue(ctx, queue, kind)
		if err != nil {
			return 0, err
		}
		seen := map[string]bool{}
		for _, p := range answer.GetPollers() {
			if id := p.GetIdentity(); on(id, host) && time.Since(p.GetLastAccessTime().AsTime()) < fresh && !seen[id] {
				seen[id] = true
				asked[id]++
			}
		}
	}
	n := 0
	for _, count := range asked {
		if count == len(kinds) {
			n++
		}
	}
	return n, nil
}

// on reports whether a worker's identity, which the SDK makes as process@host@, is of a host;
// every one is of the host "".
func on(identity, host string) bool {
	return host == "" || strings.Contains(identity+"@", "@"+host+"@")
}
