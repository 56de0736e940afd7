package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/memory"
)

// BackupLedger writes one backup into a folder of the worker's machine, and keeps the last ones
// there. A schedule starts it.
func BackupLedger(ctx workflow.Context, in memory.BackupInput) (memory.BackupReport, error) {
	in.At = workflow.Now(ctx).UTC() // the same for every try
	var report memory.BackupReport
	err := workflow.ExecuteActivity(long(ctx), acts.WriteBackup, in).Get(ctx, &report)
	return report, err
}

// BackupSchedule is the id of a ledger's schedule of backups.
func BackupSchedule(ledger string) string { return scheduleID("backup", ledger) }

// Backup has a worker write a backup, or joins a backup that is being written, and returns the
// report of the backup. progress, which may be nil, is called with intermediate counts.
func (c *Client) Backup(ctx context.Context, in memory.BackupInput, progress func(memory.BackupReport)) (memory.BackupReport, error) {
	if err := in.Check(); err != nil {
		return memory.BackupReport{}, err
	}
	options := c.start(Own("backup", c.ledger), "", memory.ActionBackup, "")
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	run, err := c.temporal.ExecuteWorkflow(ctx, options, BackupLedger, in)
	if err != nil {
		return memory.BackupReport{}, fromTemporal(err)
	}
	return follow(ctx, run, lastWord[memory.BackupReport](c), progress)
}

// ScheduleBackups has a backup written every in.Every from now on, in place of what was scheduled.
// One that is not done when the next is due lets it pass.
func (c *Client) ScheduleBackups(ctx context.Context, in memory.BackupInput) error {
	if in.Every == 0 {
		return memory.Errorf(memory.Invalid, "give --every 24h, say", "nobody says how often")
	}
	if err := in.Check(); err != nil {
		return err
	}
	if _, err := c.StopBackups(ctx); err != nil {
		return err
	}
	_, err := c.temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: BackupSchedule(c.ledger),
		Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{
			Every: in.Every, Offset: time.Duration(time.Now().UnixNano()) % in.Every, // the hour at which it was asked for
		}}},
		Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
		Action: &client.ScheduleWorkflowAction{
			ID: Own("backup/scheduled", c.ledger), Workflow: BackupLedger, TaskQueue: TaskQueue(c.ledger), Args: []any{in},
			TypedSearchAttributes: searchAttributes("", memory.ActionBackup, ""),
		},
	})
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return memory.Errorf(memory.Conflict, "run the command again", "somebody else scheduled backups at the same moment")
	}
	return fromTemporal(err)
}

// StopBackups ends scheduled backups, and reports whether there were any. Files stay.
func (c *Client) StopBackups(ctx context.Context) (bool, error) {
	err := c.temporal.ScheduleClient().GetHandle(ctx, BackupSchedule(c.ledger)).Delete(ctx)
	if gone := new(serviceerror.NotFound); errors.As(err, &gone) {
		return false, nil
	}
	return err == nil, fromTemporal(err)
}

// BackupPlan returns what the schedule of backups does; nil if there is none.
func (c *Client) BackupPlan(ctx context.Context) (*memory.BackupPlan, error) {
	d, err := c.temporal.ScheduleClient().GetHandle(ctx, BackupSchedule(c.ledger)).Describe(ctx)
	if gone := new(serviceerror.NotFound); errors.As(err, &gone) {
		return nil, nil
	}
	if err != nil {
		return nil, fromTemporal(err)
	}
	var plan memory.BackupPlan
	action, ok := d.Schedule.Action.(*client.ScheduleWorkflowAction)
	if !ok || len(action.Args) != 1 {
		return nil, fmt.Errorf("the schedule %s is not one of mneme's", BackupSchedule(c.ledger))
	}
	switch arg := action.Args[0].(type) {
	case *commonpb.Payload:
		if err := converter.GetDefaultDataConverter().FromPayload(arg, &plan.BackupInput); err != nil {
			return nil, fmt.Errorf("read the schedule of backups: %w", err)
		}
	default:
		return nil, fmt.Errorf("the schedule of backups holds a %T", arg)
	}
	if len(d.Info.NextActionTimes) > 0 {
		plan.Next = d.Info.NextActionTimes[0].UTC()
	}
	if n := len(d.Info.RecentActions); n > 0 {
		plan.Last = d.Info.RecentActions[n-1].ActualTime.UTC()
	}
	return &plan, nil
}
