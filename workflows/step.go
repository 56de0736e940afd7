package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// The times of a step.
const (
	fastTimeout    = 2 * time.Second  // of the fast path, then the durable path takes over
	durableTimeout = 2 * time.Minute  // of one try on the durable path
	batchTimeout   = 30 * time.Minute // of one try of a step that embeds hundreds of texts: a model may take seconds for each
	longTimeout    = 6 * time.Hour    // of one try of a step that walks over everything
	heartbeat      = 30 * time.Second // a long step must show life this often
	alive          = 10 * time.Second // the worker of a step on the durable path, too
	maxBackoff     = 15 * time.Second // so that a part that is back is used soon
)

// fast returns the context of the fast path: in the worker's process, without
// a task queue between.
func fast(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: fastTimeout,
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// durable returns the context of the durable path. There is no limit on the
// number of tries: nothing that was accepted is given up.
func durable(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: durableTimeout,
		HeartbeatTimeout:    alive, // the worker sees to it
		RetryPolicy:         retries(),
	})
}

// batch is durable for a step that embeds many texts.
func batch(ctx workflow.Context) workflow.Context {
	return workflow.WithStartToCloseTimeout(durable(ctx), batchTimeout)
}

// long is durable for a step that takes long and reports heartbeats.
func long(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: longTimeout,
		HeartbeatTimeout:    heartbeat,
		RetryPolicy:         retries(),
	})
}

func retries() *temporal.RetryPolicy {
	return &temporal.RetryPolicy{
		InitialInterval:    time.Second,
		BackoffCoefficient: 2,
		MaximumInterval:    maxBackoff,
		NonRetryableErrorTypes: []string{
			string(memory.Invalid), string(memory.NotFound), string(memory.Conflict),
		},
	}
}

// step runs an activity on the fast path and, if a part is down or refuses, on
// the durable path; waiting is called in between with what is waited for. Only
// what the caller said wrong ends a step.
func step(ctx workflow.Context, waiting func(memory.Wait), activity, in, out any) error {
	err := workflow.ExecuteLocalActivity(fast(ctx), activity, in).Get(ctx, out)
	if err == nil {
		return nil
	}
	err = activities.FromTemporal(err)
	if temporal.IsCanceledError(err) || !memory.Retryable(err) {
		return activities.ToTemporal(err)
	}
	waiting(memory.WaitFor(err))
	return workflow.ExecuteActivity(durable(ctx), activity, in).Get(ctx, out)
}

// quietly is for steps whose waiting nobody needs to hear of.
func quietly(memory.Wait) {}
