package workflows_test

import (
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// Whichever way a memory is stored, the recalls that ask by the tag of its kind find it.
func TestStoredWithTheTagOfItsKind(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	by := map[string]func(in memory.StoreInput) (memory.StoreResult, error){
		"Store":     func(in memory.StoreInput) (memory.StoreResult, error) { return r.Store(t.Context(), in) },
		"StoreOnce": func(in memory.StoreInput) (memory.StoreResult, error) { return r.StoreOnce(t.Context(), "key", in) },
	}
	for name, store := range by {
		for kind, want := range map[string][]string{memory.TypeProcedure: {"db", "procedure"}, memory.TypeFact: {"db"}} {
			out, err := store(memory.StoreInput{Text: name + " teaches a " + kind, Project: "p", Type: kind, Tags: []string{"db"}})
			check(t, err)
			got, err := r.Get(t.Context(), []string{out.ID})
			check(t, err)
			if len(got) != 1 || !slices.Equal(got[0].Tags, want) {
				t.Errorf("%s of a %s: %+v, want the tags %v", name, kind, got, want)
			}
		}
	}
}
