package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// TestOrganizeGoesOnInANewRun has more pages than one run does: each is done
// once, over as many runs as it takes, and the last one has the whole report.
func TestOrganizeGoesOnInANewRun(t *testing.T) {
	t.Parallel()
	l := &ledgerOf{t: t, steps: map[string]bool{}}
	in := memory.OrganizeInput{Collections: []string{memory.ShortTerm, memory.Memories, memory.Episodes}}
	state, runs := workflows.OrganizeState{PerRun: 3, Page: 2}, 0
	var report memory.OrganizeReport
	for ; runs < 20; runs++ {
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
		in, state = memory.OrganizeInput{}, workflows.OrganizeState{} // what is left out is zero
		if err := converter.GetDefaultDataConverter().FromPayloads(again.Input, &in, &state); err != nil {
			t.Fatal(err)
		}
	}
	if runs < 5 {
		t.Errorf("only %d runs were continued", runs)
	}
	want := memory.CollectionReport{
		Collection: memory.Memories, Scanned: 100, Expired: 3, Merged: 5, Decayed: 3, Pruned: 3, Announced: 3,
		Groups: l.groups(5), PrunedIDs: []string{"a", "b", "c"},
	}
	short := want
	short.Collection, short.Promoted, short.Groups, short.Pruned, short.Announced, short.PrunedIDs = memory.ShortTerm, 3, l.groups(5), 0, 0, nil
	if diff := cmp.Diff([]memory.CollectionReport{want, {Collection: memory.Episodes}, short}, report.Collections); diff != "" {
		t.Errorf("the report, - wanted and + got:\n%s", diff)
	}
	if len(report.Held) != 1 || report.Held[0].Project != "held" {
		t.Errorf("held %+v", report.Held)
	}
}

// ledgerOf plays a ledger with three memories for each step, five groups in
// each collection but the episodes, which are empty, and a project that is held.
type ledgerOf struct {
	t     *testing.T
	steps map[string]bool
}

// once fails for a step that is done twice: the ledger would do it once.
func (l *ledgerOf) once(step string) {
	if l.steps[step] {
		l.t.Errorf("step %s twice", step)
	}
	l.steps[step] = true
}

func (l *ledgerOf) groups(n int) []memory.MergedGroup {
	var out []memory.MergedGroup
	for i := range n {
		out = append(out, memory.MergedGroup{SurvivorID: fmt.Sprint("s", i), MergedIDs: []string{fmt.Sprint("m", i)}, Text: "a text"})
	}
	return out
}

func (l *ledgerOf) find(_ context.Context, in activities.FindGroupsInput) (memory.FoundGroups, error) {
	l.once(in.Step)
	if in.Scope.Collection == memory.Episodes || in.Scope.Across {
		return memory.FoundGroups{}, nil
	}
	return memory.FoundGroups{Scanned: 100, Groups: 5}, nil
}

func (l *ledgerOf) guard(_ context.Context, in activities.GuardInput) (memory.FoundGroups, error) {
	l.once(in.Step)
	if !l.steps[in.Found] {
		l.t.Errorf("%s asks for what nobody found: %s", in.Step, in.Found)
	}
	return memory.FoundGroups{Groups: 5}, nil
}

func (l *ledgerOf) merge(_ context.Context, in activities.MergeGroupsInput) (activities.MergedGroups, error) {
	l.once(in.Step)
	if !l.steps[in.Found] {
		l.t.Errorf("%s asks for what nobody found: %s", in.Step, in.Found)
	}
	page := l.groups(5)[in.From:min(5, in.From+in.Scope.Limit)]
	return activities.MergedGroups{Merged: len(page), Groups: page}, nil
}

func (l *ledgerOf) tidy(_ context.Context, in activities.TidyPageInput) (activities.TidiedPage, error) {
	l.once(in.Step)
	if in.Action == memory.ActionPrune && !slices.Equal(in.Scope.Held, []string{"held"}) {
		l.t.Errorf("%v are to be left out, not what is held", in.Scope.Held)
	}
	if in.Scope.Collection == memory.Episodes {
		l.t.Error("a collection that is empty is tidied up")
	}
	collection := in.Scope.Collection
	if collection == "" {
		collection = memory.Memories
	}
	ids := []string{"a", "b", "c"}
	from := 0
	if in.Scope.After != "" {
		from = slices.Index(ids, in.Scope.After) + 1
	}
	page := ids[from:min(3, from+in.Scope.Limit)]
	out := activities.TidiedPage{Counts: map[string]int{collection: len(page)}}
	if from+len(page) < 3 {
		out.Next = page[len(page)-1]
	}
	if in.Action == memory.ActionPrune {
		out.IDs = map[string][]string{collection: page}
	}
	return out, nil
}

func (l *ledgerOf) env(t *testing.T) *testsuite.TestWorkflowEnvironment {
	env := newEnv(t)
	var acts *activities.Activities
	env.OnActivity(acts.FindGroups, mock.Anything, mock.Anything).Return(l.find)
	env.OnActivity(acts.GuardGroups, mock.Anything, mock.Anything).Return(l.guard)
	env.OnActivity(acts.MergeGroups, mock.Anything, mock.Anything).Return(l.merge)
	env.OnActivity(acts.TidyPage, mock.Anything, mock.Anything).Return(l.tidy)
	env.OnActivity(acts.HoldPrunes, mock.Anything, mock.Anything).Return([]memory.HeldPrune{{Project: "held", Memories: 20, Live: 30}}, nil)
	env.OnActivity(acts.TakeTurn, mock.Anything).Return(nil)
	env.OnActivity(acts.SnapshotOrganized, mock.Anything, mock.Anything).Return(true, nil)
	env.OnActivity(acts.RebuildGraphs, mock.Anything, mock.Anything).Return(false, nil)
	env.OnActivity(acts.Note, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.NoteInput) error {
			l.once(in.Step)
			if text := fmt.Sprint(in.Details); strings.Contains(text, "a text") {
				t.Errorf("the audit keeps a text: %s", text)
			}
			return nil
		})
	return env
}
