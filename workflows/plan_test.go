package workflows_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// planned makes a plan and returns its head and its steps with their texts.
func (m *mess) planned(t *testing.T) (memory.OrganizeReport, memory.PlanHead, []memory.PlannedStep) {
	t.Helper()
	report := m.organize(t, true)
	var steps []memory.PlannedStep
	for after := 0; ; {
		out, err := m.acts.ReadLedger(t.Context(), activities.ReadInput{Plan: &memory.PlanQuery{ID: report.WorkflowID, After: after}})
		check(t, err)
		steps = append(steps, out.Plan.Steps...)
		if after = out.Plan.Next; after == 0 {
			return report, out.Plan.Head, steps
		}
	}
}

// TestPlanIsCarriedOut makes plans over random memories and applies each an hour
// later, by the clock of the rules. The run must take the steps of the plan and no
// others.
func TestPlanIsCarriedOut(t *testing.T) {
	t.Parallel()
	theShared.start(t)
	for seed := range uint64(2) {
		m := newMess(t, 100+seed)
		dry, head, steps := m.planned(t)
		if head.Steps != len(steps) || head.Digest == "" || !head.At.Equal(m.now.Truncate(1000)) {
			t.Fatalf("seed %d: %d steps were read of %+v", seed, len(steps), head)
		}
		applied, _, err := m.run(t, memory.OrganizeInput{Apply: &memory.PlanRef{ID: head.ID, Digest: head.Digest}})
		check(t, err)
		if diff := gocmp.Diff(countsOf(dry), countsOf(applied)); diff != "" {
			t.Errorf("seed %d: the plan says - and what was done is +:\n%s", seed, diff)
		}
		if applied.Applied != head.ID {
			t.Errorf("seed %d: the report says that %q was applied", seed, applied.Applied)
		}
		m.holdPlan(t, seed, steps)
	}
}

// countsOf are the counts of a report that a plan decides.
func countsOf(r memory.OrganizeReport) map[string][]int {
	out := map[string][]int{}
	for _, c := range r.Collections {
		out[c.Collection] = []int{c.Expired, c.Promoted, c.Merged, c.Decayed, c.Pruned, c.Announced}
	}
	return out
}

// holdPlan compares the ledger with the steps of a plan that was applied.
func (m *mess) holdPlan(t *testing.T, seed uint64, steps []memory.PlannedStep) {
	t.Helper()
	state := map[string]string{memory.ActionExpire: "expired", memory.ActionPrune: "pruned"}
	for _, s := range steps {
		want, ids := state[s.Action], s.IDs
		if s.Action == memory.ActionMerge {
			want, ids = "merged", s.IDs[1:]
			if n := m.count(t, `select count(*) from memories where id = $1 and text = $2`, s.IDs[0], s.Text); n == 0 && !survivesTwice(steps, s.IDs[0]) {
				t.Errorf("seed %d: step %d was shown with another text than came out", seed, s.Number)
			}
		}
		if want == "" {
			continue
		}
		if n := m.count(t, `select count(*) from memories where id = any($1) and state = $2`, ids, want); n != len(ids) {
			t.Errorf("seed %d: of the %d memories of step %d, %s, %d are %s", seed, len(ids), s.Number, s.Action, n, want)
		}
	}
}

// survivesTwice reports whether a memory takes in others in more than one step.
func survivesTwice(steps []memory.PlannedStep, id string) bool {
	n := 0
	for _, s := range steps {
		if s.Action == memory.ActionMerge && s.IDs[0] == id {
			n++
		}
	}
	return n > 1
}

// TestPlanIsRefusedWhenTheStateMovedOn changes one memory of a plan: nothing is
// done, and the refusal names it. Another digest is refused too.
func TestPlanIsRefusedWhenTheStateMovedOn(t *testing.T) {
	t.Parallel()
	theShared.start(t)
	m := newMess(t, 100)
	_, head, steps := m.planned(t)
	var merged string
	for _, s := range steps {
		if s.Action == memory.ActionMerge {
			merged = s.IDs[1]
		}
	}
	ref := memory.PlanRef{ID: head.ID, Digest: head.Digest}
	_, _, err := m.run(t, memory.OrganizeInput{Apply: &memory.PlanRef{ID: head.ID, Digest: "of another"}})
	if memory.CodeOf(err) != memory.Conflict {
		t.Errorf("another digest: %v", err)
	}
	_, err = m.conn.Exec(t.Context(), `update memories set pinned = not pinned where id = $1`, merged)
	check(t, err)
	before := m.print(t)
	_, _, err = m.run(t, memory.OrganizeInput{Apply: &ref})
	if memory.CodeOf(err) != memory.Conflict || !strings.Contains(err.Error(), merged) {
		t.Errorf("want a refusal that names %s, got %v", merged, err)
	}
	if m.print(t) != before {
		t.Error("a refused plan changed the ledger")
	}
	_, err = m.conn.Exec(t.Context(), `update memories set pinned = not pinned where id = $1`, merged)
	check(t, err)
	_, err = m.conn.Exec(t.Context(), `update memories set access_count = access_count + 1 where id = $1`, merged)
	check(t, err)
	if _, _, err = m.run(t, memory.OrganizeInput{Apply: &ref}); err != nil {
		t.Errorf("a recall of what is to be merged is in the way: %v", err)
	}
}

// TestNeverTwoAtOnce has a run come while another one is at work, and one after
// another that was killed.
func TestNeverTwoAtOnce(t *testing.T) {
	t.Parallel()
	theShared.start(t)
	m := newMess(t, 7)
	_, err := m.TakeTurn(t.Context(), "organize/other", "")
	check(t, err)
	before := m.print(t)
	m.acts.Open = func(_ context.Context, id string) (bool, error) { return id == "organize/other", nil }
	if _, _, err = m.run(t, memory.OrganizeInput{}); memory.CodeOf(err) != memory.Conflict || !strings.Contains(err.Error(), "organize/other") {
		t.Errorf("beside another run: %v", err)
	}
	if m.print(t) != before {
		t.Error("a refused run changed the ledger")
	}
	if _, _, err = m.run(t, memory.OrganizeInput{DryRun: true}); err != nil {
		t.Errorf("a dry run beside another run: %v", err)
	}
	m.acts.Open = func(context.Context, string) (bool, error) { return false, nil }
	m.organize(t, false)
}

// TestCancelledRunCanBeUndone cancels runs in the middle of a page, at different
// pages. The page is done in ledger and index, what was done is noted, and an
// undo brings everything back.
func TestCancelledRunCanBeUndone(t *testing.T) {
	t.Parallel()
	theShared.start(t)
	for _, at := range []int{1, 14} {
		m := newMess(t, 20)
		index := m.acts.Index.(*points)
		before := m.contents(t)
		var env *testsuite.TestWorkflowEnvironment
		m.begun = func(e *testsuite.TestWorkflowEnvironment) { env = e }
		writes := 0
		index.written = func() {
			if writes++; writes == at {
				env.CancelWorkflow()
			}
		}
		_, _, err := m.run(t, memory.OrganizeInput{})
		if !temporal.IsCanceledError(err) {
			t.Fatalf("cancelled at the write %d: %v", at, err)
		}
		index.written, m.begun = nil, nil
		if n := m.count(t, `select count(*) from memories where dirty`); n > 0 {
			t.Errorf("cancelled at the write %d: %d memories are not in step with the index", at, n)
		}
		if n := m.count(t, `select count(*) from memory_audit where step = 'report' and details -> 'report' ->> 'cancelled' = 'true'`); n != 1 {
			t.Errorf("cancelled at the write %d: %d reports in the audit", at, n)
		}
		if m.contents(t) == before {
			t.Errorf("cancelled at the write %d: nothing was done until then", at)
		}
		undo := newEnv(t)
		undo.SetTestTimeout(patience)
		undo.RegisterActivity(m.acts)
		undo.ExecuteWorkflow(workflows.UndoChange, memory.UndoInput{Of: fmt.Sprint("organize/", m.chain)}, workflows.UndoState{})
		check(t, undo.GetWorkflowError())
		if m.contents(t) != before {
			t.Errorf("cancelled at the write %d: an undo did not bring everything back", at)
		}
		m.organize(t, false) // the next one has its turn
	}
}

// contents returns a digest of the texts and the states of all memories.
func (m *mess) contents(t *testing.T) string {
	t.Helper()
	var out string
	check(t, m.conn.QueryRow(t.Context(), `select md5(string_agg(concat_ws('|', id, collection, text, state, pinned, confidence, access_count,
confirmations, announced_at, expires_at), '' order by id)) from memories`).Scan(&out))
	return out
}

// TestCancelOrganize has a client end a run that it waits for, with a real Temporal.
func TestCancelOrganize(t *testing.T) {
	t.Parallel()
	organizeCancelled(t)
}

// TestApplyPlan carries a plan out with a real Temporal.
func TestApplyPlan(t *testing.T) {
	t.Parallel()
	organizeApplied(t)
}

// TestQuestionsKeepTheirAnswers has a run with a real Temporal ask a pinned
// question and a recall that Temporal remembers.
func TestQuestionsKeepTheirAnswers(t *testing.T) {
	t.Parallel()
	organizeGuarded(t)
}
