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

// checkSchedule is the id of the nightly look at the index.
const checkSchedule = "index-nightly"

// checkNightly compares index and ledger every night at two, UTC, and brings back what
// the index has lost.
func checkNightly() client.ScheduleOptions {
	return client.ScheduleOptions{
		ID:   checkSchedule,
		Spec: client.ScheduleSpec{Calendars: []client.ScheduleCalendarSpec{{Hour: []client.ScheduleRange{{Start: 2}}}}},
		Action: &client.ScheduleWorkflowAction{
			ID: "rebuild/nightly", Workflow: workflows.RebuildIndex, TaskQueue: workflows.TaskQueue,
			Args:                  []any{memory.RebuildInput{User: "schedule", Check: true}},
			TypedSearchAttributes: workflows.Labels("", memory.ActionRebuild, ""),
		},
	}
}
