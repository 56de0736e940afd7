package activities

import (
	"context"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// changing is a ledger whose generations can be changed.
type changing struct {
	Ledger
	now memory.Generations
}

func (c *changing) Generations(context.Context) (memory.Generations, error) { return c.now, nil }

// numberedIndex is the index of a generation.
type numberedIndex struct {
	Index
	name string
}

// TestAStepKeepsToOneGeneration flips in the middle of a step: it goes on with the model and the
// collections that it began with, and the next step has the others.
func TestAStepKeepsToOneGeneration(t *testing.T) {
	first, second := memory.Generation{Model: "a", Dimension: 3}, memory.Generation{Name: "g1", Model: "b", Dimension: 4}
	ledger := &changing{now: memory.Generations{Active: first, Beside: &second}}
	a := &Activities{
		Ledger: ledger, Embedder: named{name: "a"}, Index: numberedIndex{},
		IndexOf:    func(name string) Index { return numberedIndex{name: name} },
		EmbedderOf: func(_ context.Context, model string) (Embedder, error) { return named{name: model}, nil },
	}
	uses := func(ctx context.Context) string {
		embedder, err := a.embedder(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return embedder.Model() + "/" + a.index(ctx).(numberedIndex).name
	}
	step := a.pin(t.Context())
	ledger.now = ledger.now.Flipped()
	a.known.forget()
	if got := uses(step); got != "a/" {
		t.Errorf("the step that began before uses %s", got)
	}
	if got := uses(a.pin(t.Context())); got != "b/g1" {
		t.Errorf("the next step uses %s", got)
	}
	stale := []memory.Record{{Memory: memory.Memory{Model: "b"}}}
	if err := a.stillInForce(step, stale); memory.CodeOf(err) != memory.Unavailable {
		t.Errorf("records of the other model: %v, want them to wait", err)
	}
	before := &Activities{Ledger: &changing{now: memory.Generations{Active: first}}, IndexOf: a.IndexOf}
	if err := before.stillInForce(t.Context(), stale); err != nil {
		t.Errorf("a rebuild of an older mneme: %v", err)
	}
}
