package workflows_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestJoinedStoreKeepsWhatItAdds stores one text three times while the model is
// away: with a tag, with another one and a pin, and once more with nothing new.
// Both tags and the pin are kept, and each store that brought something has its
// audit row.
func TestJoinedStoreKeepsWhatItAdds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	model := &fickle{Embedder: r.acts.Embedder, name: "mneme-static"}
	r.acts.Embedder = model
	r.work(t)
	model.answers(away())
	text := "The API listens on port 8443."
	id := ""
	for _, in := range []memory.StoreInput{
		{Tags: []string{"api"}}, {Tags: []string{"port"}, Pinned: true}, {Tags: []string{"api"}}, {},
	} {
		in.Text, in.Project = text, "p"
		out, err := r.Store(t.Context(), in)
		if err != nil || out.Status != memory.Accepted || out.WaitingFor != "Ollama" {
			t.Fatalf("told %+v, %v; want accepted", out, err)
		}
		id = out.ID
	}
	model.answers(nil)
	r.checkJoined(t, id, 2)
}

// TestStoresAtOnceKeepWhatEachAdds stores one text at the same time, each time
// with another tag.
func TestStoresAtOnceKeepWhatEachAdds(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	var all sync.WaitGroup
	for _, in := range []memory.StoreInput{{Tags: []string{"api"}}, {Tags: []string{"port"}}, {Pinned: true}} {
		all.Go(func() {
			in.Text, in.Project = "The API listens on port 8443.", "p"
			if out, err := r.Store(t.Context(), in); err != nil {
				t.Errorf("told %+v, %v", out, err)
			}
		})
	}
	all.Wait()
	r.checkJoined(t, memory.NewID("p", memory.Memories, "The API listens on port 8443."), 3)
}

// checkJoined waits until a memory has all tags and links of its stores.
func (r *rig) checkJoined(t *testing.T, id string, stores int) {
	t.Helper()
	eventually(t, "what was accepted is stored", func() bool {
		found, err := r.Get(t.Context(), []string{id})
		return err == nil && len(found) == 1
	})
	eventually(t, "every store has its audit row", func() bool { return len(r.audit(t, id, memory.ActionStore)) == stores })
	found, err := r.Get(t.Context(), []string{id})
	check(t, err)
	if m := found[0].Memory; !slices.Equal(m.Tags, []string{"api", "port"}) || !m.Pinned {
		t.Errorf("kept as %+v", m)
	}
}
