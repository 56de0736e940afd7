package cli

import (
	"context"
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/memory"
)

// texts answers from held, and records the ids it was asked for.
type texts struct {
	held  map[string]string
	asked []string
}

func (g *texts) Get(_ context.Context, ids []string) ([]memory.Details, error) {
	g.asked = ids
	var out []memory.Details
	for _, id := range ids {
		if text, ok := g.held[id]; ok {
			out = append(out, memory.Details{Memory: memory.Memory{ID: id, Text: text}})
		}
	}
	return out, nil
}

// A memory that stands in several lists has its text in each of them.
func TestAddTexts(t *testing.T) {
	t.Parallel()
	r := analytics.Report{
		MostUsed:     []analytics.Used{{ID: "a"}, {ID: "b"}},
		NearlyPruned: []analytics.Used{{ID: "b"}, {ID: "gone"}},
		DeadWeight:   []analytics.Value{{ID: "b"}, {ID: "c"}},
	}
	ledger := &texts{held: map[string]string{"a": "A", "b": "B", "c": "C"}}
	if err := addTexts(t.Context(), ledger, &r); err != nil {
		t.Fatal(err)
	}
	got := []string{
		r.MostUsed[0].Text, r.MostUsed[1].Text, r.NearlyPruned[0].Text, r.NearlyPruned[1].Text, r.DeadWeight[0].Text, r.DeadWeight[1].Text,
	}
	if want := []string{"A", "B", "B", "", "B", "C"}; !slices.Equal(got, want) {
		t.Errorf("texts %q, want %q", got, want)
	}
	if want := []string{"a", "b", "c", "gone"}; !slices.Equal(ledger.asked, want) {
		t.Errorf("asked for %q, want each once: %q", ledger.asked, want)
	}
	empty := &texts{}
	if err := addTexts(t.Context(), empty, &analytics.Report{}); err != nil || empty.asked != nil {
		t.Errorf("of an empty report it asked for %q, %v", empty.asked, err)
	}
}
