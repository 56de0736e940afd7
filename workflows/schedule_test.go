package workflows_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/worker"
)

const weekly = "organize-weekly"

// TestWeeklyScheduleTidiesUp triggers the schedule and looks for what its run
// did: the workflow, its labels, its merge and its audit rows.
func TestWeeklyScheduleTidiesUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.untidy(t)
	check(t, worker.EnsureSchedule(t.Context(), r.temporal, noLedger))
	handle := r.temporal.ScheduleClient().GetHandle(t.Context(), weekly)
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
	var report memory.OrganizeReport
	check(t, r.temporal.GetWorkflow(t.Context(), run.WorkflowID, run.FirstExecutionRunID).Get(t.Context(), &report))
	if sum := totals(report); sum.Merged != 3 || sum.Pruned != 1 || len(report.Collections) != len(memory.Collections()) {
		t.Errorf("the run reports %+v", report)
	}
	merged := report.Collections[0].Groups[0].SurvivorID
	rows := r.audit(t, merged, memory.ActionMerge)
	if len(rows) != 1 || rows[0].User != "schedule" || rows[0].WorkflowID != run.WorkflowID {
		t.Errorf("audit of the merge: %+v", rows)
	}
	notes := 0
	for a, err := range r.ledger.EachAudit(t.Context(), 0, 1<<40) {
		check(t, err)
		if a.Action == memory.ActionOrganize && a.WorkflowID == run.WorkflowID {
			notes++
		}
	}
	if notes != 1 {
		t.Errorf("%d rows say that organize ran, want 1", notes)
	}
	d, err := r.temporal.DescribeWorkflowExecution(t.Context(), run.WorkflowID, run.FirstExecutionRunID)
	check(t, err)
	if len(d.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields()["Action"].GetData()) == 0 {
		t.Error("the run has no Action label")
	}
}

// TestEnsureScheduleLeavesWhatIsThere ensures the schedules again, also after
// their owner has changed one.
func TestEnsureScheduleLeavesWhatIsThere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx := t.Context()
	for range 2 {
		check(t, worker.EnsureSchedule(ctx, r.temporal, noLedger))
	}
	handle := r.temporal.ScheduleClient().GetHandle(ctx, weekly)
	monthly := client.ScheduleSpec{Calendars: []client.ScheduleCalendarSpec{{DayOfMonth: []client.ScheduleRange{{Start: 1}}}}}
	// The server's own worker does it, which on a busy machine may miss the call's time.
	eventually(t, "the owner changes the schedule", func() bool {
		return handle.Update(ctx, client.ScheduleUpdateOptions{
			DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
				s := in.Description.Schedule
				s.Spec, s.State.Paused = &monthly, true
				return &client.ScheduleUpdate{Schedule: &s}, nil
			},
		}) == nil
	})
	check(t, worker.EnsureSchedule(ctx, r.temporal, noLedger))
	d, err := handle.Describe(ctx)
	check(t, err)
	days := d.Schedule.Spec.Calendars[0].DayOfMonth
	if len(days) != 1 || days[0].Start != 1 || !d.Schedule.State.Paused || d.Schedule.Policy.Overlap != enumspb.SCHEDULE_OVERLAP_POLICY_SKIP {
		t.Errorf("the owner's schedule became %+v, paused %v", d.Schedule.Spec.Calendars, d.Schedule.State.Paused)
	}
	list, err := r.temporal.ScheduleClient().List(ctx, client.ScheduleListOptions{})
	check(t, err)
	var ids []string
	for list.HasNext() {
		entry, err := list.Next()
		check(t, err)
		ids = append(ids, entry.ID)
	}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) || !slices.Contains(ids, weekly) {
		t.Errorf("the schedules are %v", ids)
	}
}

// haltingIndex stops in the middle of an organize run.
type haltingIndex struct {
	activities.Index

	once    sync.Once
	reached chan struct{}
	on      chan struct{}
}

func (h *haltingIndex) NearEach(ctx context.Context, like []memory.Record, above float64, limit int) ([][]memory.Match, error) {
	if like[0].Collection == memory.Episodes && like[0].Type != "" { // not what is asked of other collections
		h.once.Do(func() { close(h.reached) })
		select {
		case <-h.on:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return h.Index.NearEach(ctx, like, above, limit)
}

// TestOrganizeTellsItsProgress halts a run, and a dry run, in its second
// collection: the client tells meanwhile what is done.
func TestOrganizeTellsItsProgress(t *testing.T) {
	t.Parallel()
	for name, dry := range map[string]bool{"dry run": true, "in earnest": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tellsItsProgress(t, dry)
		})
	}
}

func tellsItsProgress(t *testing.T, dry bool) {
	t.Helper()
	r := newRig(t)
	halting := &haltingIndex{Index: r.acts.Index, reached: make(chan struct{}), on: make(chan struct{})}
	r.acts.Index = halting
	r.work(t)
	r.store(t, "The API listens on port 8443.")
	_, err := r.Store(t.Context(), memory.StoreInput{Text: "The release took two hours.", Project: "p", Type: memory.TypeEpisode})
	check(t, err)
	told := make(chan memory.OrganizeReport, 1000)
	done := make(chan error, 1)
	go func() {
		in := memory.OrganizeInput{Collections: []string{memory.Memories, memory.Episodes}, DryRun: dry}
		_, err := r.Organize(t.Context(), in, func(p memory.OrganizeReport) { told <- p })
		done <- err
	}()
	id := (<-told).WorkflowID
	<-halting.reached
	for now := range told {
		if len(now.Collections) == 1 {
			if c := now.Collections[0]; c.Collection != memory.Memories || c.Scanned != 1 || now.WorkflowID != id {
				t.Errorf("the client tells %+v", now)
			}
			break
		}
	}
	close(halting.on)
	check(t, <-done)
}
