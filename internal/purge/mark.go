package purge

import (
	"context"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// Mark finds out which words of the texts memories have that stay: finding those in a file says
// nothing. It is done when the texts are gone from the memories.
func (k *Keeper) Mark(
	ctx context.Context, path string, each func(context.Context, func(memory.LedgerText)) error,
) error {
	r, err := load(k.Home, path)
	if err != nil {
		return err
	}
	f := newFinder(r.content.Secret, r.content.Patterns, true)
	var kept []string
	err = each(ctx, func(t memory.LedgerText) {
		// Texts outside memories are removed as well, so a find there counts. Versions of memories
		// count too while a redaction has not cleaned them yet.
		if t.Place != memory.PlaceMemory && (t.Place != memory.PlaceVersion || r.content.Redaction != nil) {
			return
		}
		s := f.scan()
		_, _ = s.Write([]byte(t.Text)) // never fails
		for at := range s.found {
			r.content.Patterns[at.pattern].Windows[at.window].Kept = true
		}
		if len(s.found) > 0 && !slices.Contains(kept, t.ID) {
			kept = append(kept, t.ID)
		}
	})
	if err != nil {
		return err
	}
	r.Report.Kept, r.Report.KeptMore = kept[:min(len(kept), memory.MaxTraces)], max(0, len(kept)-memory.MaxTraces)
	return r.save(k.Home)
}
