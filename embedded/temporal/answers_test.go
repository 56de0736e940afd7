package temporal

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const frontend = "/temporal.api.workflowservice.v1.WorkflowService/"

// answerOf has a answer one call, whose handler runs before.
func answerOf(ctx context.Context, a *answers, method string, before func()) error {
	_, err := a.intercept(ctx, nil, &grpc.UnaryServerInfo{FullMethod: frontend + method},
		func(context.Context, any) (any, error) { before(); return "answer", nil })
	return err
}

// TestAnswersShareASync has many calls end while a sync runs. One more serves them all, and no
// answer leaves before a sync that began after its call ended.
func TestAnswersShareASync(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var syncs atomic.Int32
		gate := make(chan struct{})
		a := &answers{logger: slog.New(slog.DiscardHandler), sync: func(*os.File) error {
			syncs.Add(1)
			<-gate
			return nil
		}}
		var answered atomic.Int32
		var all sync.WaitGroup
		call := func() {
			all.Go(func() {
				if err := answerOf(t.Context(), a, "StartWorkflowExecution", func() {}); err != nil {
					t.Error(err)
				}
				answered.Add(1)
			})
		}
		call()
		synctest.Wait() // the first is in its sync
		for range 20 {
			call()
		}
		synctest.Wait()
		if syncs.Load() != 1 || answered.Load() != 0 {
			t.Fatalf("%d syncs, %d answers", syncs.Load(), answered.Load())
		}
		gate <- struct{}{}
		synctest.Wait()
		if syncs.Load() != 2 || answered.Load() != 1 {
			t.Fatalf("%d syncs, %d answers", syncs.Load(), answered.Load())
		}
		gate <- struct{}{}
		all.Wait()
		if syncs.Load() != 2 {
			t.Fatalf("%d syncs", syncs.Load())
		}
	})
}

// TestAnswersStayRefused says no more "accepted" after a sync that failed, whatever the next
// one would say.
func TestAnswersStayRefused(t *testing.T) {
	t.Parallel()
	results := []error{nil, errors.New("input/output error"), nil}
	syncs := 0
	a := &answers{logger: slog.New(slog.DiscardHandler), sync: func(*os.File) error { syncs++; return results[syncs-1] }}
	for i, want := range []codes.Code{codes.OK, codes.Unavailable, codes.Unavailable} {
		if err := answerOf(t.Context(), a, "ExecuteMultiOperation", func() {}); status.Code(err) != want {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if syncs != 2 {
		t.Errorf("%d syncs", syncs)
	}
}

// TestWorkersDoNotWait leaves the calls of workers alone, and no others.
func TestWorkersDoNotWait(t *testing.T) {
	t.Parallel()
	syncs := 0
	a := &answers{logger: slog.New(slog.DiscardHandler), sync: func(*os.File) error { syncs++; return nil }}
	for method, waits := range map[string]bool{
		"StartWorkflowExecution": true, "SignalWithStartWorkflowExecution": true, "ExecuteMultiOperation": true,
		"UpdateWorkflowExecution": true, "PollWorkflowExecutionUpdate": true, "GetWorkflowExecutionHistory": true,
		"CreateSchedule": true, "TerminateWorkflowExecution": true, "DescribeWorkflowExecution": true,
		"PollWorkflowTaskQueue": false, "PollActivityTaskQueue": false, "PollNexusTaskQueue": false,
		"RespondWorkflowTaskCompleted": false, "RecordActivityTaskHeartbeat": false, "GetSystemInfo": false,
	} {
		syncs = 0
		if err := answerOf(t.Context(), a, method, func() {}); err != nil || (syncs == 1) != waits {
			t.Errorf("%s: %d syncs, %v", method, syncs, err)
		}
	}
}
