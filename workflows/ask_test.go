package workflows_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc"

	"github.com/mneme-memory/mneme/memory"
)

// notReady answers the first calls of methods as Temporal does for a workflow whose
// task failed over and over. What is called is let through before if arrives is set.
func notReady(asked *atomic.Int64, arrives bool, methods ...string) grpc.UnaryClientInterceptor {
	left := map[string]*atomic.Int64{}
	for _, m := range methods {
		left[m] = &atomic.Int64{}
	}
	return func(ctx context.Context, m string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		method := m[strings.LastIndex(m, "/"):]
		seen, ok := left[method]
		if !ok || seen.Add(1) > 1 {
			return invoke(ctx, m, req, reply, cc, opts...)
		}
		asked.Add(1)
		if arrives {
			if err := invoke(ctx, m, req, reply, cc, opts...); err != nil {
				return err
			}
		}
		return serviceerror.ToStatus(serviceerror.NewWorkflowNotReady("Workflow Task in failed state.")).Err()
	}
}

// TestWorkflowNotReady asks while Temporal says that the workflow takes no question:
// it is asked again, and what arrived the first time is done once.
func TestWorkflowNotReady(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	var asked atomic.Int64
	id := r.store(t, "Backups run at four in the morning.")
	c := r.client(t, notReady(&asked, true, starts, "/UpdateWorkflowExecution"))
	out, err := c.Credit(t.Context(), memory.CreditInput{IDs: []string{id}, Helped: true})
	check(t, err)
	if len(out.IDs) != 1 || asked.Load() != 2 {
		t.Errorf("credited %v after %d refusals, want one memory after two", out.IDs, asked.Load())
	}
	if n := len(r.audit(t, id, memory.ActionCredit)); n != 1 {
		t.Errorf("%d audit rows, want 1", n)
	}
}

// TestWorkflowNeverReady has the question refused and nothing started: the caller is
// told which part does not answer.
func TestWorkflowNeverReady(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	var asked atomic.Int64
	_, err := r.client(t, notReady(&asked, false, starts)).Recall(t.Context(), memory.Query{Text: "backups", Project: "p"})
	if memory.CodeOf(err) != memory.Unavailable || memory.PartOf(err) != "Temporal" || asked.Load() != 1 {
		t.Errorf("got %v after %d refusals, want that Temporal does not answer", err, asked.Load())
	}
}
