package activities

import (
	"errors"
	"testing"
	"time"

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
		{"it is down", restGone, errors.New("down"), 2, 2},
		{"it is left alone", restGone / 2, nil, 2, 2},
		{"it is back", restGone, nil, 1, 3},
	} {
		now = now.Add(step.later)
		ledger.err = step.err
		all := 0.0
		got, err := a.Recall(t.Context(), memory.Query{Text: "red", Limit: 5, MinScore: &all})
		if err != nil || len(got.Hits) != step.hits || ledger.askedGone != step.asked {
			t.Errorf("%s: %d hits, %v, asked %d times; want %d, %d", step.name, len(got.Hits), err, ledger.askedGone, step.hits, step.asked)
		}
	}
}
