package activities

import (
	"context"
	"errors"
	"slices"
	"strconv"
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
		{"the ledger refuses and has never answered", 0, errors.New("another password"), 2, 1},
		{"it says what is gone", 0, nil, 1, 2},
		{"it refuses", restGone, errors.New("another password"), 1, 3},
		{"it no longer refuses", 0, nil, 1, 4},
		{"it is silent", restGone, context.DeadlineExceeded, 1, 5},
		{"it is left alone", restGone / 2, nil, 1, 5},
		{"it is back", restGone, nil, 1, 6},
		{"it is silent again", restGone, context.DeadlineExceeded, 1, 7},
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

// TestSilenceForgetsWhatCameBack has a memory restored, and one forgotten while the ledger is silent.
func TestSilenceForgetsWhatCameBack(t *testing.T) {
	t.Parallel()
	var s silence
	s.learn([]string{"a", "b", "c"}, []string{"a", "b"})
	s.learn([]string{"b"}, nil)
	s.learn(nil, []string{"d"})
	if got := s.known([]string{"a", "b", "c", "d"}); !slices.Equal(got, []string{"a", "d"}) {
		t.Errorf("gone: %q", got)
	}
	many := make([]string, mostGone)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	s.learn(nil, many)
	if got := s.known([]string{"a", "0"}); !slices.Equal(got, []string{"0"}) || len(s.gone) > mostGone {
		t.Errorf("after many more: %q of %d", got, len(s.gone))
	}
}
