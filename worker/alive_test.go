package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// steps wait longer than their heartbeat timeout without a word.
const (
	silence = time.Second
	patient = 400 * time.Millisecond
)

// waits reports once, fails the first time if it has to, and waits. A second
// try that finds no report of the first one fails for good.
func waits(ctx context.Context, again bool) error {
	switch info := activity.GetInfo(ctx); {
	case info.Attempt == 1:
		activity.RecordHeartbeat(ctx, "page 7")
		if again {
			return errors.New("the model is away")
		}
	case !activity.HasHeartbeatDetails(ctx):
		return temporal.NewNonRetryableApplicationError("nobody says where to resume", "lost", nil)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(silence):
		return nil
	}
}

// TestAliveRepeatsTheLastReport has a step wait for something slow, at its
// first try and at its second: it is not given up, and where to resume stays.
func TestAliveRepeatsTheLastReport(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"first try": false, "second try": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{&alive{}}})
			env.RegisterActivity(waits)
			heard := 0
			env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
				heard++
				var at string
				if err := details.Get(&at); err != nil || at != "page 7" {
					t.Errorf("said %q, %v", at, err)
				}
			})
			env.ExecuteWorkflow(func(ctx workflow.Context) error {
				ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
					StartToCloseTimeout: time.Minute, HeartbeatTimeout: patient,
					RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 2, InitialInterval: time.Millisecond},
				})
				return workflow.ExecuteActivity(ctx, waits, again).Get(ctx, nil)
			})
			if err := env.GetWorkflowError(); err != nil {
				t.Error(err)
			}
			if heard < 3 {
				t.Errorf("heard %d reports", heard)
			}
		})
	}
}
