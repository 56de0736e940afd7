package worker

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// weekly tidies up on Sundays at four in the morning, UTC, or as soon as a
// worker is there again.
func weekly(ledger string) client.ScheduleOptions {
	return client.ScheduleOptions{
		ID: workflows.OrganizeSchedule(ledger),
		Spec: client.ScheduleSpec{Calendars: []client.ScheduleCalendarSpec{{
			DayOfWeek: []client.ScheduleRange{{Start: 0}},
			Hour:      []client.ScheduleRange{{Start: 4}},
		}}},
		Action: &client.ScheduleWorkflowAction{
			ID: workflows.Own("organize/weekly", ledger), Workflow: workflows.OrganizeMemory, TaskQueue: workflows.TaskQueue(ledger),
			Args:                  []any{memory.OrganizeInput{User: "schedule"}, workflows.OrganizeState{}},
			TypedSearchAttributes: workflows.Labels("", memory.ActionOrganize, ""),
		},
	}
}

// nightly takes a snapshot for analysis every night at three, UTC, before
// the weekly organize run changes what it would have seen.
func nightly(ledger string) client.ScheduleOptions {
	return client.ScheduleOptions{
		ID:   workflows.SnapshotSchedule(ledger),
		Spec: client.ScheduleSpec{Calendars: []client.ScheduleCalendarSpec{{Hour: []client.ScheduleRange{{Start: 3}}}}},
		Action: &client.ScheduleWorkflowAction{
			ID: workflows.Own("snapshot/nightly", ledger), Workflow: workflows.SnapshotAudit, TaskQueue: workflows.TaskQueue(ledger),
			Args:                  []any{memory.SnapshotInput{User: "schedule"}},
			TypedSearchAttributes: workflows.Labels("", "snapshot", ""),
		},
	}
}

// checkNightly compares index and ledger every night at two, UTC, and brings back what
// the index has lost.
func checkNightly(ledger string) client.ScheduleOptions {
	return client.ScheduleOptions{
		ID:   workflows.IndexSchedule(ledger),
		Spec: client.ScheduleSpec{Calendars: []client.ScheduleCalendarSpec{{Hour: []client.ScheduleRange{{Start: 2}}}}},
		Action: &client.ScheduleWorkflowAction{
			ID: workflows.Own("rebuild/nightly", ledger), Workflow: workflows.RebuildIndex, TaskQueue: workflows.TaskQueue(ledger),
			Args:                  []any{memory.RebuildInput{User: "schedule", Check: true}},
			TypedSearchAttributes: workflows.Labels("", memory.ActionRebuild, ""),
		},
	}
}

// schedules are all that a ledger has.
func schedules(ledger string) []client.ScheduleOptions {
	return []client.ScheduleOptions{weekly(ledger), nightly(ledger), checkNightly(ledger)}
}

// EnsureSchedule puts the weekly organize run, the nightly snapshot and the
// nightly look at the index of a ledger on the calendar, by which doors learn that it has workers. A schedule
// that exists is left as it is, because its owner may have changed it. A run
// that is not done when the next is due lets it pass.
func EnsureSchedule(ctx context.Context, c client.Client, ledger string) error {
	for _, s := range schedules(ledger) {
		s.Overlap = enumspb.SCHEDULE_OVERLAP_POLICY_SKIP
		if err := createSchedule(ctx, c, s); err != nil {
			return err
		}
	}
	return nil
}

func createSchedule(ctx context.Context, c client.Client, s client.ScheduleOptions) error {
	_, err := c.ScheduleClient().Create(ctx, s)
	if err != nil && !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return fmt.Errorf("create schedule %s: %w", s.ID, err)
	}
	return nil
}

// MoveSchedules gives a ledger the schedules that a release without identities
// made, as their owner changed them, and takes the old ones away. It may be
// repeated, and done by several workers at once. Call it before
// [EnsureSchedule], and only where all old work is this ledger's.
func MoveSchedules(ctx context.Context, c client.Client, ledger string) error {
	old := schedules("")
	for i, s := range schedules(ledger) {
		if err := moveSchedule(ctx, c, old[i].ID, s); err != nil {
			return err
		}
	}
	return nil
}

// moveSchedule creates a schedule that is as an old one but for what names its
// ledger, and deletes the old one.
func moveSchedule(ctx context.Context, c client.Client, old string, s client.ScheduleOptions) error {
	handle := c.ScheduleClient().GetHandle(ctx, old)
	d, err := handle.Describe(ctx)
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at schedule %s: %w", old, err)
	}
	action, ok := d.Schedule.Action.(*client.ScheduleWorkflowAction)
	own, _ := s.Action.(*client.ScheduleWorkflowAction)
	if ok {
		action.ID, action.TaskQueue = own.ID, own.TaskQueue
		s.Action = action
	}
	if spec := d.Schedule.Spec; spec != nil {
		s.Spec = *spec
	}
	if policy := d.Schedule.Policy; policy != nil {
		s.Overlap, s.CatchupWindow, s.PauseOnFailure = policy.Overlap, policy.CatchupWindow, policy.PauseOnFailure
	}
	if state := d.Schedule.State; state != nil {
		s.Note, s.Paused = state.Note, state.Paused
		if state.LimitedActions {
			s.RemainingActions = state.RemainingActions
		}
	}
	if err := createSchedule(ctx, c, s); err != nil {
		return err
	}
	if err := handle.Delete(ctx); err != nil && !errors.As(err, &gone) {
		return fmt.Errorf("delete schedule %s: %w", old, err)
	}
	return nil
}
