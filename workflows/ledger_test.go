package workflows_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/worker"
	"github.com/mneme-memory/mneme/workflows"
)

// employ starts workers for the rig's ledger, as the daemon does.
func (r *rig) employ(t *testing.T, private bool) {
	t.Helper()
	w, err := assembly.StartWorker(t.Context(), assembly.WorkerOptions{
		Temporal: r.server(),
		Ledger:   r.ledger, Private: private, Logger: slog.New(slog.DiscardHandler),
	}, r.acts)
	check(t, err)
	t.Cleanup(w.Stop)
}

// TestWorkerWithoutTheKey is not started, and told which key it lacks.
func TestWorkerWithoutTheKey(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.employ(t, true)
	server := r.server()
	server.KeyFile = filepath.Join(t.TempDir(), "other.keys")
	w, err := assembly.StartWorker(t.Context(), assembly.WorkerOptions{
		Temporal: server, Ledger: r.ledger, Private: true, Logger: slog.New(slog.DiscardHandler),
	}, r.acts)
	if err == nil {
		w.Stop()
	}
	if memory.CodeOf(err) != memory.Refused || !strings.Contains(err.Error(), "encrypted with the key") || !strings.Contains(err.Error(), server.KeyFile) {
		t.Errorf("started with another key: %v", err)
	}
}

// identity is the ledger's.
func (r *rig) identity(t *testing.T) string {
	t.Helper()
	id, err := r.ledger.Identity(t.Context())
	check(t, err)
	return id
}

// wait leaves a text for a worker of the given ledger, and returns the run's id.
func (r *rig) wait(t *testing.T, ledger, text string) string {
	t.Helper()
	in, err := memory.StoreInput{Text: text, Project: "p", Source: memory.SourceTool}.Clean()
	check(t, err)
	options := client.StartWorkflowOptions{ID: "store/" + in.ID(), TaskQueue: workflows.TaskQueue(ledger)}
	run, err := r.temporal.ExecuteWorkflow(t.Context(), options, workflows.StoreMemory, in)
	check(t, err)
	return run.GetID()
}

func (r *rig) schedules(t *testing.T) []string {
	t.Helper()
	list, err := r.temporal.ScheduleClient().List(t.Context(), client.ScheduleListOptions{})
	check(t, err)
	var ids []string
	for list.HasNext() {
		s, err := list.Next()
		check(t, err)
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	return ids
}

// TestOldWork has a namespace in which a release without identities left a
// text that waits and a schedule that its owner changed. Where the Temporal is
// the home's own, the text is stored and the schedules move over.
func TestOldWork(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx := t.Context()
	check(t, worker.EnsureSchedule(ctx, r.temporal, noLedger))
	eventually(t, "the owner pauses the weekly run", func() bool {
		return r.temporal.ScheduleClient().GetHandle(ctx, weekly).Pause(ctx, client.SchedulePauseOptions{Note: "not now"}) == nil
	})
	waiting := r.wait(t, noLedger, "Releases are cut on Thursdays.")
	r.employ(t, true)
	ledger := r.identity(t)
	r.ended(t, waiting)
	stats, err := r.ledger.Stats(ctx)
	check(t, err)
	if stats.Live[memory.Memories] != 1 {
		t.Errorf("stored %v", stats.Live)
	}
	want := []string{workflows.IndexSchedule(ledger), workflows.OrganizeSchedule(ledger), workflows.SnapshotSchedule(ledger)}
	eventually(t, "the schedules have moved", func() bool { return slices.Equal(r.schedules(t), want) })
	d, err := r.temporal.ScheduleClient().GetHandle(ctx, want[1]).Describe(ctx)
	check(t, err)
	action, _ := d.Schedule.Action.(*client.ScheduleWorkflowAction)
	if !d.Schedule.State.Paused || d.Schedule.State.Note != "not now" || action.TaskQueue != workflows.TaskQueue(ledger) || len(action.Args) != 2 {
		t.Errorf("the weekly run is now %+v %+v", d.Schedule.State, action)
	}
	check(t, worker.MoveSchedules(ctx, r.temporal, ledger)) // a second worker starts
	if got := r.schedules(t); !slices.Equal(got, want) {
		t.Errorf("schedules %q", got)
	}
}

// TestOldWorkOfWhom has the same in a Temporal that others use too: only what
// is proven to be the ledger's by its audit is taken.
func TestOldWorkOfWhom(t *testing.T) {
	t.Parallel()
	r, stranger := newRig(t), newRig(t)
	ctx := t.Context()
	waiting := r.wait(t, noLedger, "Releases are cut on Thursdays.")
	r.employ(t, false)
	mine := workflows.NewClient(r.temporal, redactor(t), r.identity(t))
	storeWith(t, mine, "The API listens on port 8443.") // the worker is at work
	if got := r.status(t, waiting); got != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		t.Errorf("work of nobody knows whom is %s", got)
	}

	// An older worker of the ledger did some of it.
	r.work(t)
	r.ended(t, waiting)
	r.stop()
	eventually(t, "it is known that it ended", func() bool {
		n, err := r.temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: r.namespace, Query: "TaskQueue = 'mneme' AND ExecutionStatus = 'Completed'",
		})
		return err == nil && n.GetCount() == 1
	})
	next := r.wait(t, noLedger, "Backups run every night at three.")
	stranger.temporal, stranger.namespace = r.temporal, r.namespace
	stranger.employ(t, false)
	storeWith(t, workflows.NewClient(r.temporal, redactor(t), stranger.identity(t)), "The API listens on port 8443.")
	if got := r.status(t, next); got != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		t.Errorf("another ledger's worker took the work: %s", got)
	}
	r.employ(t, false)
	r.ended(t, next)
}

func storeWith(t *testing.T, c *workflows.Client, text string) memory.StoreResult {
	t.Helper()
	out, err := c.Store(t.Context(), memory.StoreInput{Text: text, Project: "p", Source: memory.SourceTool})
	check(t, err)
	return out
}

// TestTwoLedgersInOneNamespace has each store the same texts in the same
// moment: each does its own, and a door that does not say whose is told.
func TestTwoLedgersInOneNamespace(t *testing.T) {
	t.Parallel()
	a, b := newRig(t), newRig(t)
	ctx := t.Context()
	_, err := workflows.FindLedger(ctx, a.temporal, "")
	if memory.CodeOf(err) != memory.Unavailable || memory.HintOf(err) == "" {
		t.Errorf("before any worker: %v", err)
	}
	b.temporal, b.namespace = a.temporal, a.namespace
	a.employ(t, false)
	eventually(t, "the ledger is known", func() bool {
		found, err := workflows.FindLedger(ctx, a.temporal, "")
		return err == nil && found == a.identity(t)
	})
	b.employ(t, false)
	clients := map[*rig]*workflows.Client{}
	for _, r := range []*rig{a, b} {
		clients[r] = workflows.NewClient(a.temporal, redactor(t), r.identity(t))
	}
	texts := []string{"Releases are cut on Thursdays.", "The API listens on port 8443.", "Backups run every night at three."}
	for _, text := range texts {
		for _, c := range clients {
			storeWith(t, c, text)
		}
	}
	for r, c := range clients {
		eventually(t, "each ledger has its own", func() bool {
			stats, err := r.ledger.Stats(ctx)
			check(t, err)
			return stats.Live[memory.Memories] == len(texts)
		})
		report, err := c.Rebuild(ctx, memory.RebuildInput{Collections: []string{memory.Memories}}, nil)
		check(t, err)
		if !report.Equal || report.Collections[0].Ledger != len(texts) {
			t.Errorf("rebuilt %+v", report)
		}
	}
	eventually(t, "both are known", func() bool {
		known, err := workflows.Ledgers(ctx, a.temporal)
		check(t, err)
		return len(known) == 2
	})
	testDoors(ctx, t, a, b)
}

// testDoors asks which ledger a door is to use where there are two.
func testDoors(ctx context.Context, t *testing.T, a, b *rig) {
	t.Helper()
	const unknown = "0a1b2c3d-0000-4000-8000-000000000000"
	for wanted, says := range map[string]string{a.identity(t): "", b.identity(t): "", "": "2 ledgers", unknown: unknown} {
		found, err := workflows.FindLedger(ctx, a.temporal, wanted)
		switch {
		case says == "" && (err != nil || found != wanted):
			t.Errorf("wanted %s: found %s, %v", wanted, found, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(memory.HintOf(err), "MNEME_LEDGER")):
			t.Errorf("wanted %q: found %s, %v (%s)", wanted, found, err, memory.HintOf(err))
		}
	}
}
