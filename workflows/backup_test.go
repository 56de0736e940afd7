package workflows_test

import (
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// TestScheduledBackups puts backups on the calendar, changes how often, has one made and ends them.
func TestScheduledBackups(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.acts.Backups = noFiles{}
	r.work(t)
	if plan, err := r.BackupPlan(t.Context()); err != nil || plan != nil {
		t.Fatalf("before: %+v, %v", plan, err)
	}
	in := memory.BackupInput{Dir: "/backups", Keep: 7, Every: 24 * time.Hour, Recipients: []string{"age1x"}}
	for _, keep := range []int{7, 3} {
		in.Keep = keep
		check(t, r.ScheduleBackups(t.Context(), in))
		plan, err := r.BackupPlan(t.Context())
		if err != nil || plan == nil || plan.Keep != keep || plan.Dir != in.Dir || plan.Every != in.Every || !slices.Equal(plan.Recipients, in.Recipients) {
			t.Fatalf("scheduled %+v, %v", plan, err)
		}
	}
	handle := r.temporal.ScheduleClient().GetHandle(t.Context(), workflows.BackupSchedule(noLedger))
	check(t, handle.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	var run *client.ScheduleWorkflowExecution
	eventually(t, "the schedule has started a run", func() bool {
		d, err := handle.Describe(t.Context())
		check(t, err)
		if len(d.Info.RecentActions) == 0 {
			return false
		}
		run = d.Info.RecentActions[0].StartWorkflowResult
		return true
	})
	var report memory.BackupReport
	check(t, r.temporal.GetWorkflow(t.Context(), run.WorkflowID, run.FirstExecutionRunID).Get(t.Context(), &report))
	if report.Path != "/backups/b" {
		t.Errorf("wrote %+v", report)
	}
	for _, want := range []bool{true, false} {
		if were, err := r.StopBackups(t.Context()); err != nil || were != want {
			t.Errorf("stopped: %v, %v", were, err)
		}
	}
	for _, bad := range []memory.BackupInput{{}, {Dir: "/b", Keep: 1}, {Dir: "b", Keep: 1, Every: time.Hour}} {
		if err := r.ScheduleBackups(t.Context(), bad); memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
