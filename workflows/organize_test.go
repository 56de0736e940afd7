package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// ledgerOf plays a ledger with so many groups, some of which cannot be merged.
type ledgerOf struct {
	groups [][]string
	stuck  map[string]bool // by the first id of a group
	page   int
	steps  map[string]bool
	dryRun bool
	t      *testing.T
}

func (l *ledgerOf) find(_ context.Context, in activities.DuplicatesInput) (activities.Duplicates, error) {
	left := l.groups[min(in.Skip, len(l.groups)):]
	n := min(l.page, len(left))
	return activities.Duplicates{Scanned: 100, Groups: left[:n], More: n < len(left)}, nil
}

func (l *ledgerOf) merge(_ context.Context, in activities.MergeInput) (memory.MergedGroup, error) {
	if l.steps[in.Step] {
		l.t.Errorf("step %s twice in one run: the ledger would do it once", in.Step)
	}
	l.steps[in.Step] = true
	out := memory.MergedGroup{SurvivorID: in.IDs[0], MergedIDs: []string{}, Text: "a text"}
	if l.stuck[in.IDs[0]] {
		return out, nil
	}
	out.MergedIDs = in.IDs[1:]
	if !l.dryRun {
		for i, g := range l.groups {
			if g[0] == in.IDs[0] {
				l.groups = append(l.groups[:i:i], l.groups[i+1:]...)
				break
			}
		}
	}
	return out, nil
}

func (l *ledgerOf) env(t *testing.T) *testsuite.TestWorkflowEnvironment {
	env := newEnv(t)
	var acts *activities.Activities
	none := func(context.Context, activities.TidyInput) ([]string, error) { return nil, nil }
	for _, a := range []any{acts.ExpireMemories, acts.PromoteMemories, acts.DecayMemories, acts.PruneMemories} {
		env.OnActivity(a, mock.Anything, mock.Anything).Return(none)
	}
	env.OnActivity(acts.FindDuplicates, mock.Anything, mock.Anything).Return(l.find)
	env.OnActivity(acts.MergeMemories, mock.Anything, mock.Anything).Return(l.merge)
	env.OnActivity(acts.SyncIndex, mock.Anything, mock.Anything).Return(nil)
	env.OnActivity(acts.RebuildGraphs, mock.Anything, mock.Anything).Return(false, nil)
	env.OnActivity(acts.Note, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.NoteInput) error {
			if text := fmt.Sprint(in.Details); strings.Contains(text, "a text") {
				t.Errorf("the audit keeps a text: %s", text)
			}
			return nil
		})
	return env
}

// TestOrganizeGoesOnInANewRun has more groups than one run merges and one
// page holds, some of which cannot be merged. Every other one must be merged
// exactly once, over as many runs as it takes; a dry run looks at each once.
func TestOrganizeGoesOnInANewRun(t *testing.T) {
	t.Parallel()
	for _, dryRun := range []bool{false, true} {
		l := &ledgerOf{page: 4, dryRun: dryRun, stuck: map[string]bool{"a1": true, "a6": true, "a9": true}, t: t}
		for i := range 10 {
			l.groups = append(l.groups, []string{fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)})
		}
		in := memory.OrganizeInput{Collections: []string{memory.Memories}, DryRun: dryRun}
		state, runs := workflows.OrganizeState{PerRun: 3}, 0
		var report memory.OrganizeReport
		for ; runs < 20; runs++ {
			l.steps = map[string]bool{}
			env := l.env(t)
			env.ExecuteWorkflow(workflows.OrganizeMemory, in, state)
			err := env.GetWorkflowError()
			if err == nil {
				if err := env.GetWorkflowResult(&report); err != nil {
					t.Fatal(err)
				}
				break
			}
			var again *workflow.ContinueAsNewError
			if !errors.As(err, &again) {
				t.Fatal(err)
			}
			if err := converter.GetDefaultDataConverter().FromPayloads(again.Input, &in, &state); err != nil {
				t.Fatal(err)
			}
		}
		if len(report.Collections) != 1 || report.Collections[0].Merged != 7 || len(report.Collections[0].Groups) != 7 {
			t.Errorf("dry run %v: after %d runs %+v", dryRun, runs, report.Collections)
		}
		if runs < 2 {
			t.Errorf("dry run %v: only %d runs were continued", dryRun, runs)
		}
	}
}
