package workflows_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// TestWaiting asks what waits while the model is missing, and after it came back.
func TestWaiting(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	model := &fickle{Embedder: r.acts.Embedder, name: "mneme-static"}
	r.acts.Embedder = model
	r.work(t)
	id := r.store(t, "The API listens on port 8443.")
	if all, err := r.Waiting(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("while nothing waits: %+v, %v", all, err)
	}
	began := time.Now()
	model.answers(missing())
	var outs []memory.StoreResult
	for n := range 2 {
		outs = append(outs, r.accepted(t, fmt.Sprintf("Backups run at %d in the morning.", n)))
	}
	_, err := r.Update(t.Context(), memory.UpdateInput{ID: id, Text: ptr("The API listens on port 9443.")})
	if memory.CodeOf(err) != memory.Refused || !strings.Contains(memory.HintOf(err), "ollama pull") || !strings.Contains(err.Error(), "accepted") {
		t.Errorf("an edit meanwhile: %v (%q); want that it is accepted, why it waits and what to do", err, memory.HintOf(err))
	}
	var all []memory.Waiting
	eventually(t, "all three are known to wait", func() bool {
		all, err = r.Waiting(t.Context())
		check(t, err)
		return len(all) == 1 && all[0].Count == 3
	})
	w := all[0]
	if w.Part != "Ollama" || w.Code != memory.Refused || w.Reason != "the model is not there" || !strings.Contains(w.Hint, "ollama pull") || w.About {
		t.Errorf("told %+v", w)
	}
	if w.Since.Before(began.Add(-time.Second)) || w.Since.After(time.Now()) {
		t.Errorf("waits since %s; the model went at %s", w.Since, began)
	}
	model.answers(nil)
	for _, out := range outs {
		r.becomesStored(t, out)
	}
	eventually(t, "nothing waits any more", func() bool {
		all, err := r.Waiting(t.Context())
		check(t, err)
		return len(all) == 0
	})
}

// TestWaitingForNobody asks while no worker runs.
func TestWaitingForNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.work(t)
	r.store(t, "The API listens on port 8443.")
	r.stop()
	err := r.Record(t.Context(), nil)
	check(t, err)
	r.startStore(t, "Backups run at four in the morning.")
	eventually(t, "the worker is waited for", func() bool {
		all, err := r.Waiting(t.Context())
		check(t, err)
		return len(all) == 1 && all[0].Part == "the worker" && all[0].Count == 1
	})
	r.work(t)
	eventually(t, "the worker is there", func() bool {
		all, err := r.Waiting(t.Context())
		check(t, err)
		return len(all) == 0
	})
}

// startStore starts a store that nobody hears the answer of.
func (r *rig) startStore(t testing.TB, text string) {
	t.Helper()
	options := startOptions("store/memories/unheard")
	_, err := r.temporal.ExecuteWorkflow(t.Context(), options, "StoreMemory", memory.StoreInput{Text: text, Project: "p"})
	check(t, err)
}

// TestWaitingOfThousands has very many changes wait, and logs how long the answer
// takes. MNEME_TEST_LONG=1 plays it.
func TestWaitingOfThousands(t *testing.T) {
	if os.Getenv("MNEME_TEST_LONG") == "" {
		t.Skip("takes minutes: set MNEME_TEST_LONG=1")
	}
	const many = 2000
	r := newRig(t)
	model := &fickle{Embedder: r.acts.Embedder, name: "mneme-static"}
	r.acts.Embedder = model
	model.answers(missing())
	r.work(t)
	var all sync.WaitGroup
	for lane := range 20 {
		all.Go(func() {
			for n := range many / 20 {
				text := fmt.Sprintf("Backup %d of lane %d is done.", n, lane)
				options := startOptions(fmt.Sprintf("store/%d/%d", lane, n))
				if _, err := r.temporal.ExecuteWorkflow(t.Context(), options, "StoreMemory", memory.StoreInput{Text: text, Project: "p"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	eventually(t, "about as many are known to wait", func() bool {
		asked := time.Now()
		waiting, err := r.Waiting(t.Context())
		t.Logf("%s: %v, %v", time.Since(asked), waiting, err)
		return err == nil && len(waiting) == 1 && waiting[0].Count > many*9/10 && waiting[0].Count < many*11/10
	})
}
