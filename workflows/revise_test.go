package workflows_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

const anID = "00112233-4455-8677-8899-aabbccddeeff"

func ptr[T any](v T) *T { return &v }

// failing returns PostgreSQL's absence for the first tries of a step.
func failing[T any](times int, out T) func() (T, error) {
	return func() (T, error) {
		if times--; times >= 0 {
			var none T
			return none, activities.ToTemporal(memory.Down("PostgreSQL", "", errors.New("connection refused")))
		}
		return out, nil
	}
}

func embeds(env *testsuite.TestWorkflowEnvironment) {
	var acts *activities.Activities
	env.OnActivity(acts.EmbedText, mock.Anything, mock.Anything).
		Return(activities.Embedding{Vector: memory.Vector{1}, Model: "m"}, nil)
}

func TestUpdateEmbedsOnlyANewText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in     memory.UpdateInput
		embeds bool
	}{
		"text":   {memory.UpdateInput{ID: anID, Text: ptr("New.")}, true},
		"pinned": {memory.UpdateInput{ID: anID, Pinned: ptr(true)}, false},
	} {
		env := newEnv(t)
		var acts *activities.Activities
		if c.embeds {
			embeds(env)
		}
		env.OnActivity(acts.ReviseMemory, mock.Anything, mock.Anything).
			Return(func(_ context.Context, in activities.ReviseInput) (memory.Memory, error) {
				if (len(in.Embedding.Vector) == 1) != c.embeds {
					t.Errorf("%s: embedding %v", name, in.Embedding)
				}
				return memory.Memory{ID: anID, Text: "New."}, nil
			}).Once()
		env.OnActivity(acts.SyncIndex, mock.Anything, activities.SyncInput{IDs: []string{anID, anID}}).Return(nil).Once()
		got, failure := ask[memory.Memory](t, env)
		env.ExecuteWorkflow(workflows.UpdateMemory, c.in)
		if err := errors.Join(env.GetWorkflowError(), *failure); err != nil || got.ID != anID {
			t.Errorf("%s: answered %+v, %v", name, got, err)
		}
		env.AssertExpectations(t)
	}
}

// TestChangesThatWaitSaySo has the ledger down at first. Whoever asked hears
// which part is waited for, and that there is no need to ask again; the change
// is made all the same.
func TestChangesThatWaitSaySo(t *testing.T) {
	t.Parallel()
	var acts *activities.Activities
	ids := []string{anID, "00112233-4455-8677-8899-aabbccddeeaa"}
	for name, c := range map[string]struct {
		prepare  func(env *testsuite.TestWorkflowEnvironment)
		workflow any
		in       any
	}{
		"update": {func(env *testsuite.TestWorkflowEnvironment) {
			next := failing(3, memory.Memory{ID: anID})
			env.OnActivity(acts.ReviseMemory, mock.Anything, mock.Anything).
				Return(func(context.Context, activities.ReviseInput) (memory.Memory, error) { return next() }).Times(4)
		}, workflows.UpdateMemory, memory.UpdateInput{ID: anID, Pinned: ptr(true)}},
		"merge": {func(env *testsuite.TestWorkflowEnvironment) {
			next := failing(3, memory.MergedGroup{SurvivorID: anID})
			env.OnActivity(acts.FoldMemories, mock.Anything, mock.Anything).
				Return(func(context.Context, activities.FoldInput) (memory.MergedGroup, error) { return next() }).Times(4)
		}, workflows.MergeMemories, activities.FoldInput{IDs: ids}},
		"link": {func(env *testsuite.TestWorkflowEnvironment) {
			next := failing(3, memory.Link{ID: anID})
			env.OnActivity(acts.LinkMemories, mock.Anything, mock.Anything).
				Return(func(context.Context, activities.LinkInput) (memory.Link, error) { return next() }).Times(4)
		}, workflows.LinkMemories, activities.LinkInput{}},
		"forget": {func(env *testsuite.TestWorkflowEnvironment) {
			pages := [][]string{ids, nil}
			env.OnActivity(acts.SelectMemories, mock.Anything, mock.Anything).
				Return(func(context.Context, activities.SelectInput) ([]string, error) {
					page := pages[0]
					pages = pages[1:]
					return page, nil
				})
			next := failing(3, 0)
			env.OnActivity(acts.ForgetMemories, mock.Anything, mock.Anything).
				Return(func(context.Context, activities.ForgetInput) (int, error) { return next() }).Times(4)
			env.OnActivity(acts.VerifyForgotten, mock.Anything, mock.Anything).Return(true, nil)
		}, workflows.ForgetMemory, memory.ForgetInput{Filter: memory.Filter{Tags: []string{"x"}}}},
	} {
		env := newEnv(t)
		c.prepare(env)
		if name != "link" { // links are not in the index
			env.OnActivity(acts.SyncIndex, mock.Anything, mock.Anything).Return(nil)
		}
		_, failure := ask[any](t, env)
		env.ExecuteWorkflow(c.workflow, c.in)
		if err := env.GetWorkflowError(); err != nil {
			t.Errorf("%s: the workflow ended with %v", name, err)
		}
		err := activities.FromTemporal(*failure)
		if memory.CodeOf(err) != memory.Unavailable || memory.PartOf(err) != "PostgreSQL" || memory.HintOf(err) == "" {
			t.Errorf("%s: told %v, want that it waits for PostgreSQL", name, err)
		}
		env.AssertExpectations(t)
	}
}

// TestLateRefusalIsNotLost has the ledger come back and refuse: nobody waits
// for the answer any more, so the workflow itself must show the error.
func TestLateRefusalIsNotLost(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	var acts *activities.Activities
	tries := 0
	env.OnActivity(acts.ReviseMemory, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.ReviseInput) (memory.Memory, error) {
			if tries++; tries == 1 {
				return memory.Memory{}, activities.ToTemporal(memory.Down("PostgreSQL", "", errors.New("connection refused")))
			}
			return memory.Memory{}, activities.ToTemporal(memory.Errorf(memory.NotFound, "", "there is no live memory"))
		})
	_, failure := ask[memory.Memory](t, env)
	env.ExecuteWorkflow(workflows.UpdateMemory, memory.UpdateInput{ID: anID, Pinned: ptr(true)})
	if code := memory.CodeOf(activities.FromTemporal(*failure)); code != memory.Unavailable {
		t.Errorf("the caller heard %q", code)
	}
	if code := memory.CodeOf(activities.FromTemporal(env.GetWorkflowError())); code != memory.NotFound {
		t.Errorf("the workflow ended with %q, want not found", code)
	}
}

func TestRefusalIsTheAnswer(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	var acts *activities.Activities
	env.OnActivity(acts.FoldMemories, mock.Anything, mock.Anything).
		Return(memory.MergedGroup{}, activities.ToTemporal(memory.Errorf(memory.Conflict, "unpin one", "two are pinned"))).Once()
	_, failure := ask[memory.MergedGroup](t, env)
	env.ExecuteWorkflow(workflows.MergeMemories, activities.FoldInput{})
	err := activities.FromTemporal(*failure)
	if memory.CodeOf(err) != memory.Conflict || memory.HintOf(err) != "unpin one" || env.GetWorkflowError() != nil {
		t.Errorf("told %v, ended with %v", err, env.GetWorkflowError())
	}
	env.AssertExpectations(t)
}

func TestCreditAndRecordDoNotKeepWaiting(t *testing.T) {
	t.Parallel()
	var acts *activities.Activities
	env := newEnv(t)
	next := failing(3, memory.CreditResult{IDs: []string{anID}})
	env.OnActivity(acts.CreditMemories, mock.Anything, mock.Anything).
		Return(func(context.Context, memory.CreditInput) (memory.CreditResult, error) { return next() }).Times(4)
	env.OnActivity(acts.SyncIndex, mock.Anything, activities.SyncInput{IDs: []string{anID}}).Return(nil).Once()
	got, failure := ask[memory.CreditResult](t, env)
	env.ExecuteWorkflow(workflows.CreditMemories, memory.CreditInput{IDs: []string{anID}})
	if err := errors.Join(env.GetWorkflowError(), *failure); err != nil || got.WaitingFor != "PostgreSQL" || len(got.IDs) != 0 {
		t.Errorf("credit answered %+v, %v", got, err)
	}
	env.AssertExpectations(t)

	env = newEnv(t)
	written := failing(3, activities.Recorded{Written: 1})
	env.OnActivity(acts.RecordEvents, mock.Anything, mock.Anything).
		Return(func(context.Context, []memory.Event) (activities.Recorded, error) { return written() }).Times(4)
	_, failure = ask[activities.Recorded](t, env)
	env.ExecuteWorkflow(workflows.RecordEvents, []memory.Event{{ID: "1", Action: "inject"}})
	if err := errors.Join(env.GetWorkflowError(), *failure); err != nil {
		t.Errorf("record answered %v", err)
	}
	env.AssertExpectations(t)
}

func TestDuplicateIsNotTriedLater(t *testing.T) {
	t.Parallel()
	var acts *activities.Activities
	env := newEnv(t)
	env.OnActivity(acts.EmbedText, mock.Anything, mock.Anything).
		Return(activities.Embedding{}, activities.ToTemporal(memory.Down("Ollama", "", errors.New("refused")))).Once()
	_, failure := ask[memory.DuplicateResult](t, env)
	env.ExecuteWorkflow(workflows.DetectDuplicate, input())
	if err := activities.FromTemporal(*failure); memory.PartOf(err) != "Ollama" || env.GetWorkflowError() != nil {
		t.Errorf("told %v, ended with %v", err, env.GetWorkflowError())
	}
	env.AssertExpectations(t)

	env = newEnv(t)
	embeds(env)
	env.OnActivity(acts.ConfirmDuplicate, mock.Anything, mock.Anything).
		Return(memory.DuplicateResult{Found: true, ID: anID, Similarity: 1}, nil).Once()
	env.OnActivity(acts.SyncIndex, mock.Anything, activities.SyncInput{IDs: []string{anID}}).Return(nil).Once()
	got, failure := ask[memory.DuplicateResult](t, env)
	env.ExecuteWorkflow(workflows.DetectDuplicate, input())
	if err := errors.Join(env.GetWorkflowError(), *failure); err != nil || !got.Found || got.ID != anID {
		t.Errorf("answered %+v, %v", got, err)
	}
	env.AssertExpectations(t)
}
