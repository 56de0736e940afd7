// Package worker puts workflows and activities on a Temporal worker, and the
// schedules of a ledger on Temporal's calendar.
package worker

import (
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/workflows"
)

// stopTimeout is how long a worker that stops waits for steps that run. One
// that needs longer is tried again by another worker.
const stopTimeout = 5 * time.Second

// reports is how far apart a step's reports on its progress reach Temporal at most.
const reports = 2 * time.Second

// stuck is how long a workflow's code may run without a pause before its task fails.
// Ours runs for microseconds: one that passes Temporal's default of a second is on a
// machine that slept or is very busy, and to fail its task makes it later still.
const stuck = 10 * time.Second

// New returns a worker of a ledger that is not started yet. More than one may
// run, here or on other machines. Without a ledger it does the work that was
// begun before ledgers had identities.
func New(c client.Client, a *activities.Activities, ledger string) sdkworker.Worker {
	w := sdkworker.New(c, workflows.TaskQueue(ledger), sdkworker.Options{
		Interceptors:             []interceptor.WorkerInterceptor{activities.ErrorInterceptor(), &alive{}, &early{}},
		WorkerStopTimeout:        stopTimeout,
		DeadlockDetectionTimeout: stuck,
		// Whoever waits is told how far a long step is, and the next try goes on from there.
		MaxHeartbeatThrottleInterval: reports,
	})
	workflows.Register(w)
	w.RegisterActivity(a)
	return w
}
