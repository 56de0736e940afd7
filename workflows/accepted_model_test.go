package workflows_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// fickle is an embedding model that is away, or gone, or called otherwise.
type fickle struct {
	activities.Embedder

	name string
	err  atomic.Pointer[memory.Error] // what it answers; nil for vectors
	hits atomic.Int64                 // how often it was asked since err was set
}

func (f *fickle) Model() string { return f.name }

func (f *fickle) Embed(ctx context.Context, purpose memory.Purpose, texts []string) ([]memory.Vector, error) {
	f.hits.Add(1)
	if err := f.err.Load(); err != nil {
		return nil, err
	}
	return f.Embedder.Embed(ctx, purpose, texts)
}

func (f *fickle) answers(err *memory.Error) {
	f.err.Store(err)
	f.hits.Store(0)
}

func away() *memory.Error { return memory.Down("Ollama", "", errors.New("connection refused")) }

func missing() *memory.Error {
	return memory.Refusal("Ollama", `fetch it with "ollama pull"`, errors.New("the model is not there"))
}

// accepted stores a text while the model is away.
func (r *rig) accepted(t *testing.T, text string) memory.StoreResult {
	t.Helper()
	out, err := r.Store(t.Context(), memory.StoreInput{Text: text, Project: "p"})
	if err != nil || out.Status != memory.Accepted || out.WaitingFor != "Ollama" {
		t.Fatalf("told %+v, %v; want accepted, waiting for Ollama", out, err)
	}
	return out
}

// becomesStored waits until what was accepted is stored, and wants it once.
func (r *rig) becomesStored(t testing.TB, out memory.StoreResult) memory.Memory {
	t.Helper()
	eventually(t, "what was accepted is stored", func() bool {
		got := r.status(t, out.WorkflowID)
		if got != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING && got != enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED {
			t.Fatalf("accepted, and the workflow is %v", got)
		}
		return got == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})
	if n := len(r.audit(t, out.ID, memory.ActionStore)); n != 1 {
		t.Errorf("%d audit rows, want 1", n)
	}
	found, err := r.Get(t.Context(), []string{out.ID})
	check(t, err)
	return found[0].Memory
}

// TestAcceptedAndTheModelIsGone has Ollama come back without the model, and
// the model some time later. Meanwhile whoever stores hears of it, and recall
// answers by keywords.
func TestAcceptedAndTheModelIsGone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	model := &fickle{Embedder: r.acts.Embedder, name: "mneme-static"}
	r.acts.Embedder = model
	r.work(t)
	r.store(t, "The API listens on port 8443.")
	model.answers(away())
	out := r.accepted(t, "Backups run at four in the morning.")
	model.answers(missing())
	second := r.accepted(t, "Another.")
	if !strings.Contains(second.Message, "the model is not there") || !strings.Contains(second.Message, "ollama pull") {
		t.Errorf("a store without the model: %+v; want it accepted, with the reason and what to do", second)
	}
	answer, err := r.Recall(t.Context(), memory.Query{Text: "which port does the API listen on", Project: "p"})
	if err != nil || len(answer.Hits) != 1 || answer.Degraded == "" {
		t.Errorf("a recall without the model: %+v, %v; want a hit by keywords", answer, err)
	}
	eventually(t, "the step was tried again without the model", func() bool { return model.hits.Load() > 4 })
	model.answers(nil)
	r.becomesStored(t, out)
	r.becomesStored(t, second)
}

// TestAcceptedAndTheModelIsAnother has mneme start anew with another model
// while a text waits to be embedded, and again while one waits for the ledger.
func TestAcceptedAndTheModelIsAnother(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	model, flaky := &fickle{Embedder: r.acts.Embedder, name: "first"}, &flakyLedger{Ledger: r.ledger}
	r.acts.Embedder, r.acts.Ledger = model, flaky
	r.work(t)
	r.store(t, "The API listens on port 8443.")
	model.answers(away())
	embedding := r.accepted(t, "Backups run at four in the morning.")
	model.answers(nil)
	flaky.downFor.Store(1 << 30)
	saving, err := r.Store(t.Context(), memory.StoreInput{Text: "Releases are tagged on Mondays.", Project: "q"})
	if err != nil || saving.Status != memory.Accepted {
		t.Fatalf("told %+v, %v; want accepted", saving, err)
	}
	model.answers(away())
	r.stop()

	second := &fickle{Embedder: model.Embedder, name: "second"}
	r.acts = &activities.Activities{
		Embedder: second, Ledger: r.ledger, Index: r.acts.Index,
		Redactor: r.acts.Redactor, Now: r.acts.Now,
	}
	r.work(t)
	third, err := r.Store(t.Context(), memory.StoreInput{Text: "Another.", Project: "p"})
	if err != nil || third.Status != memory.Accepted || !strings.Contains(third.Message, "mneme rebuild") {
		t.Errorf("a store with another model: %+v, %v; want it accepted, with what to do", third, err)
	}
	// The text that waited for the first model is embedded by the second one, which
	// does not fit the ledger yet.
	eventually(t, "what waits is tried with the second model", func() bool { return second.hits.Load() > 1 })
	report, err := r.Rebuild(t.Context(), memory.RebuildInput{}, nil)
	if err != nil || len(report.Collections) == 0 {
		t.Fatalf("rebuild: %+v, %v", report, err)
	}
	for _, out := range []memory.StoreResult{embedding, saving, third} {
		if m := r.becomesStored(t, out); m.Model != "second" {
			t.Errorf("%q has a vector of the model %q", m.Text, m.Model)
		}
	}
}
