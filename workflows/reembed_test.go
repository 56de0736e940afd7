package workflows_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// wordy is an embedding model whose vectors count the words of a text.
type wordy struct {
	name string
	size int

	mu     sync.Mutex
	before func(ctx context.Context) error // is called before texts are embedded
}

func (m *wordy) Model() string { return m.name }

func (m *wordy) onEmbed(f func(context.Context) error) { m.mu.Lock(); m.before = f; m.mu.Unlock() }

func (m *wordy) Embed(ctx context.Context, _ memory.Purpose, texts []string) ([]memory.Vector, error) {
	m.mu.Lock()
	before := m.before
	m.mu.Unlock()
	if before != nil {
		if err := before(ctx); err != nil {
			return nil, err
		}
	}
	out := make([]memory.Vector, len(texts))
	for i, text := range texts {
		out[i] = make(memory.Vector, m.size)
		for _, word := range strings.Fields(strings.ToLower(text)) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(word)) // never fails
			out[i][int(h.Sum32())%m.size]++
		}
	}
	return out, nil
}

// twoModels is a rig whose worker knows a second model, "wordy".
func twoModels(t *testing.T) (*rig, *wordy) {
	t.Helper()
	r, other := newRig(t), &wordy{name: "wordy", size: 48}
	points, err := assembly.OpenIndex(config.Qdrant{Address: r.qdrant}, r.ledger, true, nil)
	check(t, err)
	t.Cleanup(func() { check(t, points.Close()) })
	first := r.acts.Embedder
	r.acts.Index = points
	r.acts.IndexOf = func(name string) activities.Index { return points.Of(name) }
	r.acts.EmbedderOf = func(_ context.Context, model string) (activities.Embedder, error) {
		switch model {
		case other.name:
			return other, nil
		case first.Model():
			return first, nil
		}
		return nil, memory.Errorf(memory.Conflict, "", "there is no model %s", model)
	}
	return r, other
}

func (r *rig) generations(t *testing.T) memory.Generations {
	t.Helper()
	g, err := r.ledger.Generations(t.Context())
	check(t, err)
	return g
}

// points counts the points of a generation in Qdrant.
func (r *rig) points(t *testing.T, generation string) int {
	t.Helper()
	counts, err := r.acts.IndexOf(generation).Counts(t.Context(), true)
	check(t, err)
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// finds fails unless a recall finds a text by vector, in full.
func (r *rig) finds(t *testing.T, question, text string) {
	t.Helper()
	answer, err := r.Recall(t.Context(), memory.Query{Text: question, Project: "p"})
	check(t, err)
	if answer.Degraded != "" || len(answer.Hits) == 0 || answer.Hits[0].Text != text {
		t.Errorf("a recall of %q: %+v; want %q, and nothing missing", question, answer, text)
	}
}

// TestReembed changes the model while memories are stored, forgotten and recalled, goes back, and
// drops the index that was built.
func TestReembed(t *testing.T) {
	t.Parallel()
	r, other := twoModels(t)
	r.work(t)
	for i := range 30 {
		r.store(t, fmt.Sprintf("Server %d runs job number %d.", i, i*i))
	}
	gone := r.store(t, "The heron sleeps in the shallow pond.")
	r.store(t, "The stork nests on the tall chimney.")
	r.finds(t, "where does the stork nest", "The stork nests on the tall chimney.")
	said := archived(t, r)
	var once sync.Once
	other.onEmbed(func(context.Context) error { // while it is built
		once.Do(func() {
			r.finds(t, "where does the stork nest", "The stork nests on the tall chimney.")
			r.store(t, "The owl hunts in the old barn.")
			_, err := r.Forget(t.Context(), memory.ForgetInput{Filter: memory.Filter{IDs: []string{gone}}})
			check(t, err)
		})
		return nil
	})
	report, err := r.Reembed(t.Context(), memory.ReembedInput{Model: "wordy"}, func(memory.ReembedReport) {})
	check(t, err)
	if !report.Done || report.Stage != memory.ReembedFlipped || report.Memories < 32 || !report.Equal() || report.Answers == nil || report.Answers.Asked == 0 {
		t.Errorf("reembed: %+v, answers %+v", report, report.Answers)
	}
	g := r.generations(t)
	if g.Active.Model != "wordy" || g.Active.Dimension != 48 || g.Beside == nil || !g.Old || !slices.Equal(g.Replaced, []string{"mneme-static"}) {
		t.Fatalf("the generations after it: %+v", g)
	}
	for _, rec := range r.records(t) {
		if rec.Model != "wordy" || len(rec.Vector) != 48 {
			t.Errorf("%q has a vector of %s with %d numbers", rec.Text, rec.Model, len(rec.Vector))
		}
	}
	if n := r.points(t, g.Active.Name); n != 32 {
		t.Errorf("%d points of the new model, want 32", n)
	}
	if report.Messages != len(said) {
		t.Errorf("%d messages were embedded, want %d", report.Messages, len(said))
	}
	time.Sleep(1100 * time.Millisecond) // until each process has heard of it
	heard, err := r.SearchConversations(t.Context(), conversation.Query{Text: "which port does the checkout service listen on?", Project: "shop"})
	if err != nil || heard.Degraded != "" || len(heard.Hits) == 0 || !strings.Contains(heard.Hits[0].Text, "checkout service") {
		t.Errorf("the archive after it: %+v, %v", heard, err)
	}
	r.finds(t, "the owl hunts in the old barn", "The owl hunts in the old barn.")
	r.store(t, "The crane dances on the wet meadow.")
	r.finds(t, "the crane dances on the wet meadow", "The crane dances on the wet meadow.")

	report, err = r.Reembed(t.Context(), memory.ReembedInput{Back: true}, nil)
	check(t, err)
	if g := r.generations(t); report.Memories != 1 || !report.Equal() || g.Active.Model != "mneme-static" || g.Active.Name != "" {
		t.Errorf("going back: %+v, %+v; want one memory embedded, and the first index in force", report, g)
	}
	time.Sleep(1100 * time.Millisecond)
	r.finds(t, "where does the crane dance", "The crane dances on the wet meadow.")
	r.finds(t, "where does the stork nest", "The stork nests on the tall chimney.")
	if n := r.points(t, ""); n != 33 {
		t.Errorf("%d points of the first model, want 33", n)
	}

	report, err = r.Reembed(t.Context(), memory.ReembedInput{Drop: true}, nil)
	check(t, err)
	if g := r.generations(t); report.Stage != memory.ReembedDropped || g.Beside != nil || r.points(t, "g1") != 0 {
		t.Errorf("dropping: %+v, %+v", report, g)
	}
	if _, err := r.Reembed(t.Context(), memory.ReembedInput{Back: true}, nil); memory.CodeOf(err) != memory.Conflict {
		t.Errorf("going back to what is dropped: %v, want a conflict", err)
	}
	rebuilt, err := r.Rebuild(t.Context(), memory.RebuildInput{}, nil)
	if err != nil || !rebuilt.Equal || rebuilt.Reembedded != 0 {
		t.Errorf("a rebuild after it: %+v, %v", rebuilt, err)
	}
}

// TestReembedIsKilledAndCancelled stops the worker in the middle of a change of the model: the next one goes
// on. A cancelled change leaves nothing behind, and the index in force answers.
func TestReembedIsKilledAndCancelled(t *testing.T) {
	t.Parallel()
	r, other := twoModels(t)
	r.work(t)
	for i := range 3 {
		r.store(t, fmt.Sprintf("Server %d runs job number %d.", i, i))
	}
	reached, dead := make(chan struct{}, 100), make(chan struct{})
	other.onEmbed(func(ctx context.Context) error {
		reached <- struct{}{}
		select {
		case <-ctx.Done():
		case <-dead:
		}
		return memory.Down("Ollama", "", context.Canceled)
	})
	asked := make(chan error, 1)
	go func() {
		_, err := r.Reembed(t.Context(), memory.ReembedInput{Model: "wordy", NoFlip: true}, nil)
		asked <- err
	}()
	<-reached
	close(dead)
	r.stop()
	r.acts = withGenerations(r.acts)
	other.onEmbed(nil)
	r.work(t)
	check(t, <-asked)
	g := r.generations(t)
	if g.Active.Model != "mneme-static" || g.Beside == nil || g.Old || r.points(t, g.Beside.Name) != 3 {
		t.Errorf("built by two workers: %+v", g)
	}

	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	other.onEmbed(func(ctx context.Context) error {
		reached <- struct{}{}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-forever:
			return nil
		}
	})
	go func() {
		_, err := r.Reembed(t.Context(), memory.ReembedInput{Model: "wordy"}, nil)
		asked <- err
	}()
	<-reached
	eventually(t, "it is told that it is under way", func() bool {
		now, err := r.ReembedUnderWay(t.Context())
		return err == nil && now != nil
	})
	if _, err := r.Reembed(t.Context(), memory.ReembedInput{Drop: true}, nil); memory.CodeOf(err) != memory.Conflict {
		t.Errorf("dropping while it is under way: %v, want a conflict", err)
	}
	was, err := r.CancelReembed(t.Context())
	if err != nil || !was {
		t.Errorf("cancel: %v, %v", was, err)
	}
	if err := <-asked; memory.CodeOf(err) != memory.Conflict {
		t.Errorf("the cancelled change says %v", err)
	}
	if g := r.generations(t); g.Beside != nil || g.Active.Model != "mneme-static" {
		t.Errorf("after it was cancelled: %+v", g)
	}
	r.finds(t, "which server runs job number 2", "Server 2 runs job number 2.")
}

// withGenerations is copyOf with what a change of the model needs.
func withGenerations(a *activities.Activities) *activities.Activities {
	out := copyOf(a)
	out.IndexOf, out.EmbedderOf = a.IndexOf, a.EmbedderOf
	return out
}

// TestRebuildTakesAModelUpBeside has mneme start with another model in its settings: the old one
// answers until a rebuild is complete.
func TestRebuildTakesAModelUpBeside(t *testing.T) {
	t.Parallel()
	r, other := twoModels(t)
	r.work(t)
	r.store(t, "The stork nests on the tall chimney.")
	r.stop()
	first := r.acts
	r.acts = withGenerations(first)
	r.acts.Embedder = other
	r.work(t)
	var once sync.Once
	other.onEmbed(func(context.Context) error {
		if r.generations(t).Beside != nil {
			once.Do(func() {
				time.Sleep(1100 * time.Millisecond)
				r.finds(t, "where does the stork nest", "The stork nests on the tall chimney.")
			})
		}
		return nil
	})
	report, err := r.Rebuild(t.Context(), memory.RebuildInput{}, nil)
	if err != nil || report.Reembedded != 1 || !report.Equal {
		t.Fatalf("rebuild: %+v, %v", report, err)
	}
	if g := r.generations(t); g.Active.Model != "wordy" || g.Beside != nil {
		t.Errorf("after it: %+v", g)
	}
	r.finds(t, "the stork nests on the chimney", "The stork nests on the tall chimney.")
}

// reembedded is a change of the model, after one that was flipped if it is to drop that.
func reembedded(in memory.ReembedInput) func(t *testing.T) recorded {
	return func(t *testing.T) recorded {
		r, _ := twoModels(t)
		r.work(t)
		r.store(t, "The stork nests on the tall chimney.")
		if in.Drop {
			_, err := r.Reembed(t.Context(), memory.ReembedInput{Model: "wordy"}, nil)
			check(t, err)
		}
		report, err := r.Reembed(t.Context(), in, nil)
		check(t, err)
		return recorded{r, report.WorkflowID}
	}
}

func rebuiltBeside(t *testing.T) recorded {
	r, other := twoModels(t)
	r.work(t)
	r.store(t, "The stork nests on the tall chimney.")
	r.stop()
	r.acts = withGenerations(r.acts)
	r.acts.Embedder = other
	r.work(t)
	report, err := r.Rebuild(t.Context(), memory.RebuildInput{}, nil)
	check(t, err)
	return recorded{r, report.WorkflowID}
}
