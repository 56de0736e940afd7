package workflows_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// answersLost lets calls through and loses the first answers of each test of
// it, as a connection does that breaks at the worst moment.
func answersLost(method string, times int64, lost *atomic.Int64) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, m string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, m, req, reply, cc, opts...)
		if err == nil && strings.HasSuffix(m, method) && lost.Add(1) <= times {
			return status.Error(codes.Unavailable, "connection reset by peer")
		}
		return err
	}
}

// TestLostAnswersCountOnce loses the answer of every call once, after the
// whole workflow is done. The call is repeated underneath; nothing may be
// applied twice, and the caller must hear what the first try did.
func TestLostAnswersCountOnce(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	ctx := t.Context()
	losing := func() (*workflows.Client, *atomic.Int64) {
		var lost atomic.Int64
		return r.client(t, answersLost(starts, 1, &lost)), &lost
	}
	c, lost := losing()
	a, err := c.Store(ctx, memory.StoreInput{Text: "The build needs Go 1.26.", Project: "p"})
	if err != nil || a.Status != memory.Stored {
		t.Fatalf("store: %+v, %v", a, err)
	}
	if lost.Load() < 2 {
		t.Fatal("no answer was lost: the test tests nothing")
	}
	b := r.store(t, "The tests need PostgreSQL.")
	calls := map[string]func(c *workflows.Client) error{
		memory.ActionDuplicate: func(c *workflows.Client) error {
			d, err := c.Duplicate(ctx, memory.StoreInput{Text: "The build needs Go 1.26.", Project: "p"})
			if err == nil && d.ID != a.ID {
				err = fmt.Errorf("found %+v", d)
			}
			return err
		},
		memory.ActionCredit: func(c *workflows.Client) error {
			out, err := c.Credit(ctx, memory.CreditInput{IDs: []string{a.ID}, Helped: true})
			if err == nil && !slices.Equal(out.IDs, []string{a.ID}) {
				err = fmt.Errorf("credited %+v", out)
			}
			return err
		},
		memory.ActionUpdate: func(c *workflows.Client) error {
			m, err := c.Update(ctx, memory.UpdateInput{ID: a.ID, Text: ptr("The build needs Go 1.27.")})
			if err == nil && m.Text != "The build needs Go 1.27." {
				err = fmt.Errorf("updated to %+v", m)
			}
			return err
		},
		"inject": func(c *workflows.Client) error {
			return c.Record(ctx, []memory.Event{{ID: "e1", Action: "inject", MemoryIDs: []string{a.ID}}})
		},
		memory.ActionMerge: func(c *workflows.Client) error {
			g, err := c.Merge(ctx, []string{a.ID, b})
			if err == nil && len(g.MergedIDs) != 1 {
				err = fmt.Errorf("merged %+v", g)
			}
			return err
		},
	}
	confidence := memory.Credit(memory.Gain(memory.StartConfidence, memory.MergeGain), true)
	for _, action := range []string{memory.ActionDuplicate, memory.ActionCredit, memory.ActionUpdate, "inject", memory.ActionMerge} {
		c, lost := losing()
		if err := calls[action](c); err != nil {
			t.Errorf("%s: %v", action, err)
		}
		if n := len(r.audit(t, a.ID, action)); n != 1 || lost.Load() < 2 {
			t.Errorf("%s: %d audit rows after %d answers, want 1", action, n, lost.Load())
		}
		if action == memory.ActionUpdate {
			found, err := r.Get(ctx, []string{a.ID})
			check(t, err)
			if found[0].Confidence != confidence {
				t.Errorf("confidence %v, want %v", found[0].Confidence, confidence)
			}
		}
	}
}

// TestCommitsWhoseAnswerIsLost has the ledger commit and the worker not hear
// of it, on the fast path and then twice on the durable one. Each change is
// made once, and has one audit row.
func TestCommitsWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	flaky := &flakyLedger{Ledger: r.ledger}
	flaky.applies.Store(true)
	r.acts.Ledger = flaky
	r.work(t)
	ids := []string{r.store(t, "The API listens on port 8443."), r.store(t, "The tests need PostgreSQL.")}
	for _, c := range []struct {
		action string
		call   call
	}{
		{memory.ActionLink, linking},
		{memory.ActionCredit, crediting},
		{memory.ActionUpdate, updating(memory.UpdateInput{Text: ptr("The API listens on port 9443."), Pinned: ptr(true)})},
		{"inject", recording},
		{memory.ActionMerge, merging},
		{memory.ActionForget, func(t *testing.T, r *rig, ids []string) error { return forgetting(false)(t, r, ids[:1]) }},
	} {
		flaky.downFor.Store(3)
		if err := c.call(t, r, ids); err != nil && memory.CodeOf(err) != memory.Unavailable {
			t.Errorf("%s: %v", c.action, err)
		}
		eventually(t, c.action+" is done", func() bool {
			for _, status := range r.workflowIDs(t) {
				if status == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING.String() {
					return false
				}
			}
			return flaky.downFor.Load() == 0
		})
		if n := len(r.audit(t, ids[0], c.action)); n != 1 {
			t.Errorf("%s: %d audit rows, want 1", c.action, n)
		}
	}
	h, err := r.ledger.History(t.Context(), ids[0])
	check(t, err)
	credited := memory.Credit(memory.StartConfidence, true)
	if want := min(1, 2*credited); h.Memory.Confidence != want {
		t.Errorf("confidence %v, want the sum %v of two that were credited once", h.Memory.Confidence, want)
	}
	if len(h.Versions) != 4 { // stored, edited, merged, forgotten
		t.Errorf("%d versions, want 4", len(h.Versions))
	}
}

// TestImportOverManyRuns sends batches several at once to an import whose runs
// take two batches each, loses answers on the way and sends one batch again
// later. Every memory must be there once, and the counts be right.
func TestImportOverManyRuns(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	const id, batches, size = "many", 9, 5
	startImport(t, r, id, 2)
	var lost atomic.Int64
	c := r.client(t, answersLost(starts, 4, &lost))
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(4)
	for n := range batches {
		group.Go(func() error {
			_, err := c.ImportBatch(ctx, id, batchOf(n, size))
			return err
		})
	}
	check(t, group.Wait())
	again, err := c.ImportBatch(t.Context(), id, batchOf(1, size))
	check(t, err)
	want := memory.ImportProgress{Batches: batches, Stored: batches * size}
	// Sent to the run that took it, it has the answer that it had then.
	if again.Batches > want.Batches || again.Stored > want.Stored || again.Existing > 0 {
		t.Errorf("a batch that was sent again answers %+v, want at most %+v", again, want)
	}
	done, err := c.ImportFinish(t.Context(), id)
	check(t, err)
	if done.Change == "" {
		t.Error("an import that is done does not say what undoes it")
	}
	if done.Change = ""; done != want {
		t.Errorf("finished with %+v, want %+v", done, want)
	}
	stats, err := r.ledger.Stats(t.Context())
	check(t, err)
	if stats.States[memory.Live] != batches*size || stats.Unindexed != 0 {
		t.Errorf("the ledger holds %+v", stats)
	}
	if runs := r.runs(t, "import/"+id); runs < batches/2 {
		t.Errorf("only %d runs: nothing was continued", runs)
	}
}

// startImport starts an import whose runs are short.
func startImport(t *testing.T, r *rig, id string, perRun int) {
	t.Helper()
	_, err := r.temporal.ExecuteWorkflow(t.Context(), startOptions("import/"+id), workflows.ImportMemories, workflows.ImportState{PerRun: perRun})
	check(t, err)
}

// batchOf is one batch of facts that no other batch holds.
func batchOf(number, size int) memory.ImportBatch {
	b := memory.ImportBatch{Number: number}
	for i := range size {
		b.Items = append(b.Items, memory.StoreInput{Text: fmt.Sprintf("Host %d of rack %d answers.", i, number), Project: "p"})
	}
	return b
}
