package workflows_test

import (
	"context"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/memory"
)

// starts is the call that starts a workflow and asks for its answer.
const starts = "/ExecuteMultiOperation"

// neverSent fails calls before they leave, as a connection does that cannot be made.
func neverSent(method string) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, m string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if strings.HasSuffix(m, method) {
			return status.Error(codes.Unavailable, "connection refused")
		}
		return invoke(ctx, m, req, reply, cc, opts...)
	}
}

// TestAcceptedOnlyWhenThisStoreRuns asks for a store that gets no answer.
// "Accepted" is a promise: it may be given only if the store is durable.
func TestAcceptedOnlyWhenThisStoreRuns(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	text := "The API listens on port 8443"
	r.store(t, text) // an earlier store of the same text has the same workflow id
	r.stop()
	ask := func(tags []string, interceptors ...grpc.UnaryClientInterceptor) (memory.StoreResult, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		return r.client(t, interceptors...).Store(ctx, memory.StoreInput{Text: text, Project: "p", Tags: tags})
	}

	out, err := ask(nil, neverSent(starts))
	if memory.CodeOf(err) != memory.Unavailable || out.Status == memory.Accepted {
		t.Errorf("a store that never left: %q, %v; want unavailable", out.Status, err)
	}

	out, err = ask(nil)
	if err != nil || out.Status != memory.Accepted || out.WaitingFor == "" {
		t.Errorf("a store without a worker: %+v, %v; want accepted", out, err)
	}
	if got := r.status(t, out.WorkflowID); got != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		t.Errorf("accepted, but the workflow is %v", got)
	}

	// The workflow that runs was not started with the tag, and no worker takes the question.
	tagged, err := ask([]string{"api"})
	if memory.CodeOf(err) != memory.Unavailable || tagged.Status == memory.Accepted {
		t.Errorf("a store that adds a tag, without a worker: %q, %v; want unavailable", tagged.Status, err)
	}

	r.work(t)
	eventually(t, "what was accepted is stored", func() bool {
		return r.status(t, out.WorkflowID) == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})
	// The server may still have had the question about the tag.
	if n := len(r.audit(t, out.ID, memory.ActionStore)); n < 2 || n > 3 {
		t.Errorf("%d audit rows, want one of each store", n)
	}
}

// TestAcceptedNamesWhatIsDownNow stores while one part is away and asks again
// when that is back and another one is not.
func TestAcceptedNamesWhatIsDownNow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	model, ledger := &fickle{Embedder: r.acts.Embedder, name: "mneme-static"}, &flakyLedger{Ledger: r.ledger}
	r.acts.Embedder, r.acts.Ledger = model, ledger
	r.work(t)
	model.answers(away())
	ledger.downFor.Store(1 << 30)
	out := r.accepted(t, "Backups run at four in the morning.")
	model.answers(nil)
	eventually(t, "the part that is down now is named", func() bool {
		again, err := r.Store(t.Context(), memory.StoreInput{Text: "Backups run at four in the morning.", Project: "p"})
		check(t, err)
		if again.ID != out.ID || again.Status != memory.Accepted {
			t.Fatalf("told %+v, want what was accepted before", again)
		}
		return again.WaitingFor == "PostgreSQL" && strings.Contains(again.Message, "PostgreSQL")
	})
	ledger.downFor.Store(0)
	r.becomesStored(t, out)
}
