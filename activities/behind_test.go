package activities

import (
	"errors"
	"strings"
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
		lost    int
		err     error
		says    string
		looked  int // in all
	}{
		{"all is there", 0, 0, 0, nil, "", 1},
		{"a few are on their way", askBehind, manyBehind, 0, nil, "", 2},
		{"asked a moment ago", askBehind / 2, 5000, 0, nil, "", 2},
		{"written for the first time", askBehind, 5000, 0, nil, "more than 100 memories", 3},
		{"still known", askBehind / 2, 0, 0, nil, "more than 100 memories", 3},
		{"done", askBehind, 0, 0, nil, "", 4},
		{"written again", askBehind, manyBehind + 1, 0, nil, "more than 100 memories", 5},
		{"nobody knows", askBehind, 5000, 0, errors.New("down"), "", 6},
		{"the clock was set back", -time.Hour, 5000, 0, nil, "more than 100 memories", 7},
		{"lost", askBehind, 3, 5000, nil, "5000 memories are being written to the index again", 8},
		{"nearly all are back", askBehind, 3, 1, nil, "1 memory is being written to the index again", 9},
	} {
		now = now.Add(step.later)
		ledger.missing, ledger.lost, ledger.err = step.missing, step.lost, step.err
		got, err := a.Recall(t.Context(), memory.Query{Text: "red", Limit: 1})
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if (got.Degraded == "") != (step.says == "") || !strings.Contains(got.Degraded, step.says) || ledger.looked != step.looked {
			t.Errorf("%s: says %q after %d looks, want %q and %d", step.name, got.Degraded, ledger.looked, step.says, step.looked)
		}
	}
}
