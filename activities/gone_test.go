package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/mneme-memory/mneme/memory"
)

// TestRecallShowsNothingForgotten has the index know more than the ledger, and
// the ledger not answer for a while.
func TestRecallShowsNothingForgotten(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ledger := &counted{stats: memory.Stats{Model: "m", Dimension: 2}, gone: []string{"red fox"}}
	a := &Activities{
		Index: &shelf{texts: []string{"red fox", "red hen"}}, Embedder: flat{}, Redactor: blind{}, Ledger: ledger,
		Now: func() time.Time { return now },
	}
	for _, step := range []struct {
		name  string
		later time.Duration
		err   error
		hits  int
		asked int // in all
	}{
		{"the ledger says what is gone", 0, nil, 1, 1},
		{"it refuses", restGone, errors.New("another password"), 2, 2},
		{"it no longer refuses", 0, nil, 1, 3},
		{"it is silent", restGone, context.DeadlineExceeded, 2, 4},
		{"it is left alone", restGone / 2, nil, 2, 4},
		{"it is back", restGone, nil, 1, 5},
		{"it is silent again", restGone, context.DeadlineExceeded, 2, 6},
	} {
		now = now.Add(step.later)
		ledger.err = step.err
		all := 0.0
		got, err := a.Recall(t.Context(), memory.Query{Text: "red", Limit: 5, MinScore: &all})
		if err != nil || len(got.Hits) != step.hits || ledger.askedGone != step.asked {
			t.Errorf("%s: %d hits, %v, asked %d times; want %d, %d", step.name, len(got.Hits), err, ledger.askedGone, step.hits, step.asked)
		}
	}

	ledger.err = nil
	var steps testsuite.WorkflowTestSuite
	env := steps.NewTestActivityEnvironment()
	env.RegisterActivity(a.ForgetMemories)
	if _, err := env.ExecuteActivity(a.ForgetMemories, ForgetInput{IDs: []string{"red fox"}}); err != nil {
		t.Fatal(err)
	}
	all := 0.0
	if got, err := a.Recall(t.Context(), memory.Query{Text: "red", Limit: 5, MinScore: &all}); err != nil || len(got.Hits) != 1 {
		t.Errorf("the ledger has just forgotten it: %d hits, %v; want 1", len(got.Hits), err)
	}
}
