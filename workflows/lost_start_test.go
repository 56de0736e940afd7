package workflows_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/memory"
)

// updateLost starts the workflow of the first call and loses the Update that
// came with it, as a server does whose first task came to nothing. The call is
// repeated underneath, when the workflow has nothing left to do.
func (r *rig) updateLost(t *testing.T) grpc.UnaryClientInterceptor {
	var lost atomic.Bool
	return func(ctx context.Context, m string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		both, ok := req.(*workflowservice.ExecuteMultiOperationRequest)
		if !ok || lost.Swap(true) {
			return invoke(ctx, m, req, reply, cc, opts...)
		}
		start := both.GetOperations()[0].GetStartWorkflow()
		_, err := r.temporal.WorkflowService().StartWorkflowExecution(ctx, start)
		check(t, err)
		eventually(t, "the workflow rests", func() bool {
			d, err := r.temporal.DescribeWorkflowExecution(ctx, start.GetWorkflowId(), "")
			check(t, err)
			return d.GetPendingWorkflowTask() == nil && len(d.GetPendingActivities()) == 0
		})
		return status.Error(codes.Unavailable, "the Update is lost")
	}
}

// TestLostUpdateIsAskedAgain loses the Update of a start: the caller has the
// answer all the same, soon, and what was asked for is done once.
func TestLostUpdateIsAskedAgain(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := r.client(t, r.updateLost(t))
	a, err := c.Store(ctx, memory.StoreInput{Text: "The build needs Go 1.26.", Project: "p"})
	if err != nil || a.Status != memory.Stored {
		t.Fatalf("store: %+v, %v", a, err)
	}
	if n := len(r.audit(t, a.ID, memory.ActionStore)); n != 1 {
		t.Errorf("%d audit rows of one store", n)
	}
	c = r.client(t, r.updateLost(t))
	found, err := c.Recall(ctx, memory.Query{Text: "Which Go does the build need?", Project: "p"})
	if err != nil || len(found.Hits) != 1 {
		t.Errorf("recall: %+v, %v", found, err)
	}
	c = r.client(t, r.updateLost(t))
	credited, err := c.Credit(ctx, memory.CreditInput{IDs: []string{a.ID}, Helped: true})
	if err != nil || len(credited.IDs) != 1 {
		t.Errorf("credit: %+v, %v", credited, err)
	}
	if n := len(r.audit(t, a.ID, memory.ActionCredit)); n != 1 {
		t.Errorf("%d audit rows of one credit", n)
	}
	for id, status := range r.workflowIDs(t) {
		if status == enumspb.WORKFLOW_EXECUTION_STATUS_FAILED.String() {
			t.Errorf("%s failed", id)
		}
	}
}

// TestAnswerLostWhileAnotherStores has the answer to a store get lost, and
// another session store the same text before the call is repeated. Two stores
// were asked for: there are two audit rows, and the first hears what its own did.
func TestAnswerLostWhileAnotherStores(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	in := memory.StoreInput{Text: "The build needs Go 1.26.", Project: "p"}
	var once sync.Once
	c := r.client(t, func(ctx context.Context, m string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, m, req, reply, cc, opts...)
		if err == nil && strings.HasSuffix(m, starts) {
			once.Do(func() {
				other, otherErr := r.Store(ctx, in)
				if otherErr != nil || other.Status != memory.MergedIn {
					t.Errorf("the other store: %+v, %v", other, otherErr)
				}
				err = status.Error(codes.Unavailable, "connection reset by peer")
			})
		}
		return err
	})
	a, err := c.Store(t.Context(), in)
	if err != nil || a.Status != memory.Stored {
		t.Errorf("store: %+v, %v; want what the first try did", a, err)
	}
	if n := len(r.audit(t, a.ID, memory.ActionStore)); n != 2 {
		t.Errorf("%d audit rows of two stores", n)
	}
	found, err := r.Get(t.Context(), []string{a.ID})
	check(t, err)
	if want := memory.Gain(memory.StartConfidence, memory.MergeGain); found[0].Confidence != want {
		t.Errorf("confidence %v, want %v: confirmed once", found[0].Confidence, want)
	}
}
