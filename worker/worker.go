// Package worker puts workflows and activities on a Temporal worker, and the
// weekly organize run on Temporal's calendar.
package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
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

// New returns a worker that is not started yet. More than one may run, here
// or on other machines.
func New(c client.Client, a *activities.Activities) sdkworker.Worker {
	w := sdkworker.New(c, workflows.TaskQueue, sdkworker.Options{
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

// organizeSchedule is the id of the weekly run.
const organizeSchedule = "organize-weekly"

// weekly tidies up on Sundays at four in the morning, UTC, or as soon as a
// worker is there again.
func weekly() client.ScheduleOptions {
	return client.ScheduleOptions{
		ID: organizeSchedule,
		Spec: client.ScheduleSpec{Calendars: []client.ScheduleCalendarSpec{{
			DayOfWeek: []client.ScheduleRange{{Start: 0}},
			Hour:      []client.ScheduleRange{{Start: 4}},
		}}},
		Action: &client.ScheduleWorkflowAction{
			ID: "organize/weekly", Workflow: workflows.OrganizeMemory, TaskQueue: workflows.TaskQueue,
			Args:                  []any{memory.OrganizeInput{User: "schedule"}, workflows.OrganizeState{}},
			TypedSearchAttributes: workflows.Labels("", memory.ActionOrganize, ""),
		},
	}
}

// EnsureSchedule puts the weekly organize run, the nightly snapshot and the
// nightly look at the index on the calendar. A schedule that exists is left as it is, because its owner may
// have changed it. A run that is not done when the next is due lets it pass.
func EnsureSchedule(ctx context.Context, c client.Client) error {
	for _, s := range []client.ScheduleOptions{weekly(), nightly(), checkNightly()} {
		s.Overlap = enumspb.SCHEDULE_OVERLAP_POLICY_SKIP
		_, err := c.ScheduleClient().Create(ctx, s)
		if err != nil && !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
			return fmt.Errorf("create schedule %s: %w", s.ID, err)
		}
	}
	return nil
}
