package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// newEnv returns an environment in which every activity is known.
func newEnv(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{
		Interceptors: []interceptor.WorkerInterceptor{activities.ErrorInterceptor()},
		// A second without progress is no deadlock on a machine that has other things to do.
		DeadlockDetectionTimeout: time.Minute,
	})
	env.RegisterActivity(&activities.Activities{})
	return env
}

// ask sends the Update that asks for the answer as soon as the workflow runs.
func ask[T any](t *testing.T, env *testsuite.TestWorkflowEnvironment) (*T, *error) {
	t.Helper()
	out, failure := new(T), new(error)
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow("answer", "1", &testsuite.TestUpdateCallback{
			OnReject: func(err error) { t.Errorf("update refused: %v", err) },
			OnAccept: func() {},
			OnComplete: func(v any, err error) {
				*failure = err
				if got, ok := v.(T); ok {
					*out = got
				}
			},
		})
	}, 0)
	return out, failure
}

func input() memory.StoreInput {
	return memory.StoreInput{Text: "The API listens on port 8443", Project: "p"}
}

func TestStoreAnswersStored(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	var acts *activities.Activities
	env.OnActivity(acts.EmbedText, mock.Anything, mock.Anything).
		Return(activities.Embedding{Vector: memory.Vector{1}, Model: "m"}, nil)
	env.OnActivity(acts.SaveMemory, mock.Anything, mock.Anything).
		Return(memory.StoreResult{ID: "x", Status: memory.Stored}, nil)
	env.OnActivity(acts.SyncIndex, mock.Anything, mock.Anything).Return(nil)
	got, failure := ask[memory.StoreResult](t, env)
	env.ExecuteWorkflow(workflows.StoreMemory, input())
	if err := errors.Join(env.GetWorkflowError(), *failure); err != nil {
		t.Fatal(err)
	}
	if got.Status != memory.Stored {
		t.Errorf("status %q, want stored", got.Status)
	}
}

// TestStoreWaitsForAPart has the ledger down for the first three tries: the
// caller hears "accepted" and the name of the part, and the memory is stored.
func TestStoreWaitsForAPart(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	var acts *activities.Activities
	env.OnActivity(acts.EmbedText, mock.Anything, mock.Anything).
		Return(activities.Embedding{Vector: memory.Vector{1}, Model: "m"}, nil)
	tries := 0
	env.OnActivity(acts.SaveMemory, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.SaveInput) (memory.StoreResult, error) {
			tries++
			if tries <= 3 {
				return memory.StoreResult{}, activities.ToTemporal(memory.Down("PostgreSQL", "", errors.New("connection refused")))
			}
			return memory.StoreResult{ID: "x", Status: memory.Stored}, nil
		})
	env.OnActivity(acts.SyncIndex, mock.Anything, mock.Anything).Return(nil)
	got, failure := ask[memory.StoreResult](t, env)
	env.ExecuteWorkflow(workflows.StoreMemory, input())
	if err := errors.Join(env.GetWorkflowError(), *failure); err != nil {
		t.Fatal(err)
	}
	if got.Status != memory.Accepted || got.WaitingFor != "PostgreSQL" {
		t.Errorf("answered %q waiting for %q, want accepted waiting for PostgreSQL", got.Status, got.WaitingFor)
	}
	var result memory.StoreResult
	if err := env.GetWorkflowResult(&result); err != nil || result.Status != memory.Stored {
		t.Errorf("ended as %q, %v; want stored", result.Status, err)
	}
	if tries != 4 {
		t.Errorf("%d tries, want 4", tries)
	}
}

func TestStoreRefusesBadInput(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	_, failure := ask[memory.StoreResult](t, env)
	env.ExecuteWorkflow(workflows.StoreMemory, memory.StoreInput{Text: " "})
	if code := memory.CodeOf(activities.FromTemporal(env.GetWorkflowError())); code != memory.Invalid {
		t.Errorf("workflow ended with code %q, want invalid", code)
	}
	if *failure == nil {
		t.Error("the caller got no error")
	}
}

func TestRecallAnswersThenCounts(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	var acts *activities.Activities
	hit := memory.Hit{ID: "x", Text: "the text", Score: 0.9}
	env.OnActivity(acts.Recall, mock.Anything, mock.Anything).
		Return(memory.RecallResult{Hits: []memory.Hit{hit}}, nil)
	env.OnActivity(acts.CountRecall, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.CountInput) error {
			if len(in.Hits) != 1 || in.Hits[0].ID != "x" || in.Hits[0].Text != "" {
				t.Errorf("counted %+v, want hit x without its text", in.Hits)
			}
			return nil
		}).Once()
	got, failure := ask[memory.RecallResult](t, env)
	env.ExecuteWorkflow(workflows.RecallMemory, memory.Query{Text: "which port", Project: "p"})
	if err := errors.Join(env.GetWorkflowError(), *failure); err != nil {
		t.Fatal(err)
	}
	if len(got.Hits) != 1 || got.Hits[0].Text != "the text" {
		t.Errorf("answered %+v", got.Hits)
	}
	env.AssertExpectations(t)
}

// TestTrialRecallIsNotCounted answers a question that nobody asked: it leaves no trace.
func TestTrialRecallIsNotCounted(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	var acts *activities.Activities
	env.OnActivity(acts.Recall, mock.Anything, mock.Anything).
		Return(memory.RecallResult{Hits: []memory.Hit{{ID: "x", Text: "the text"}}}, nil)
	got, failure := ask[memory.RecallResult](t, env)
	env.ExecuteWorkflow(workflows.RecallMemory, memory.Query{Text: "mneme doctor", Project: "p", Trial: true})
	// No CountRecall is expected: a call of it would have failed the workflow.
	if err := errors.Join(env.GetWorkflowError(), *failure); err != nil {
		t.Fatal(err)
	}
	if len(got.Hits) != 1 {
		t.Errorf("answered %+v", got.Hits)
	}
}

func TestForgetDryRunChangesNothing(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	var acts *activities.Activities
	env.OnActivity(acts.SelectMemories, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.SelectInput) ([]string, error) {
			if in.After == "" {
				return []string{"a", "b"}, nil
			}
			return nil, nil
		})
	got, failure := ask[memory.ForgetReceipt](t, env)
	env.ExecuteWorkflow(workflows.ForgetMemory, memory.ForgetInput{Filter: memory.Filter{Tags: []string{"x"}}, DryRun: true})
	// No ForgetMemories is expected: a call of it would have failed the workflow.
	if err := errors.Join(env.GetWorkflowError(), *failure); err != nil {
		t.Fatal(err)
	}
	if got.Count != 2 || !got.DryRun {
		t.Errorf("receipt %+v, want 2 in a dry run", got)
	}
}
