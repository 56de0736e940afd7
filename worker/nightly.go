package worker

import (
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// snapshotSchedule is the id of the nightly run.
const snapshotSchedule = "snapshot-nightly"

// nightly takes a snapshot for analysis every night at three, UTC, before
// the weekly organize run changes what it would have seen.
func nightly() client.ScheduleOptions {
	return client.ScheduleOptions{
		ID:   snapshotSchedule,
		Spec: client.ScheduleSpec{Calendars: []client.ScheduleCalendarSpec{{Hour: []client.ScheduleRange{{Start: 3}}}}},
		Action: &client.ScheduleWorkflowAction{
			ID: "snapshot/nightly", Workflow: workflows.SnapshotAudit, TaskQueue: workflows.TaskQueue,
			Args:                  []any{memory.SnapshotInput{User: "schedule"}},
			TypedSearchAttributes: workflows.Labels("", "snapshot", ""),
		},
	}
}
