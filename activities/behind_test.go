package activities

import (
	"errors"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// TestRecallSaysThatTheIndexIsBehind lets the ledger lack points, and looks at
// what answers say, and how often the ledger is asked for that.
func TestRecallSaysThatTheIndexIsBehind(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ledger := &counted{stats: memory.Stats{Model: "m", Dimension: 2}}
	a := &Activities{
		Index: &shelf{texts: []string{"red fox"}}, Embedder: flat{}, Redactor: blind{}, Ledger: ledger,
		Now: func() time.Time { return now },
	}
	for _, step := range []struct {
		name    string
		later   time.Duration
		missing int
		err     error
		says    bool
		looked  int // in all
	}{
		{"all is there", 0, 0, nil, false, 1},
		{"a few are on their way", askBehind, manyBehind, nil, false, 2},
		{"asked a moment ago", askBehind / 2, 5000, nil, false, 2},
		{"written anew", askBehind, 5000, nil, true, 3},
		{"still known", askBehind / 2, 0, nil, true, 3},
		{"done", askBehind, 0, nil, false, 4},
		{"written again", askBehind, manyBehind + 1, nil, true, 5},
		{"nobody knows", askBehind, 5000, errors.New("down"), false, 6},
		{"the clock was set back", -time.Hour, 5000, nil, true, 7},
	} {
		now = now.Add(step.later)
		ledger.missing, ledger.err = step.missing, step.err
		got, err := a.Recall(t.Context(), memory.Query{Text: "red", Limit: 1})
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if (got.Degraded != "") != step.says || ledger.looked != step.looked {
			t.Errorf("%s: says %q after %d looks, want %v and %d", step.name, got.Degraded, ledger.looked, step.says, step.looked)
		}
	}
}
