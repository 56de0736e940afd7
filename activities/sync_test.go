package activities

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// behind is a ledger with changes that the index has not seen.
type behind struct {
	Ledger
	changes []memory.IndexChange
	asked   int
}

func (b *behind) SyncIndex(ctx context.Context, _ []string, apply func(context.Context, []memory.IndexChange) error) error {
	b.asked++
	return apply(ctx, b.changes)
}

// pad is an index that notes its writes. Lost makes so many of them find no collection.
type pad struct {
	Index
	lost    int
	made    int
	written []string
	deleted []string
}

func (p *pad) gone() error {
	if p.lost--; p.lost >= 0 {
		return memory.ErrNoCollection
	}
	return nil
}

func (p *pad) EnsureCollections(context.Context, int) error { p.made++; return nil }

func (p *pad) Upsert(_ context.Context, records []memory.Record) error {
	if err := p.gone(); err != nil {
		return err
	}
	for _, r := range records {
		p.written = append(p.written, r.Collection+"/"+r.ID)
	}
	return nil
}

func (p *pad) Delete(_ context.Context, collection string, ids []string) error {
	if err := p.gone(); err != nil {
		return err
	}
	for _, id := range ids {
		p.deleted = append(p.deleted, collection+"/"+id)
	}
	return nil
}

func change(id, collection, indexedIn string, state memory.State) memory.IndexChange {
	r := memory.Record{Memory: memory.Memory{ID: id, Collection: collection, State: state}, Vector: memory.Vector{1, 0}}
	return memory.IndexChange{Record: r, IndexedIn: indexedIn}
}

// Live memories are written, the points of all others deleted, also where the
// memory was before it moved, and where a crash may have left one without a mark.
func TestSyncFollowsTheLedger(t *testing.T) {
	t.Parallel()
	ledger := &behind{changes: []memory.IndexChange{
		change("new", "learnings", "", memory.Live),
		change("same", "learnings", "learnings", memory.Live),
		change("moved", "learnings", "short_term_memory", memory.Live),
		change("forgotten", "learnings", "learnings", memory.Forgotten),
		change("unmarked", "learnings", "", memory.Forgotten),
	}}
	index := &pad{}
	a := &Activities{Ledger: ledger, Index: index}
	if err := a.SyncIndex(t.Context(), SyncInput{IDs: []string{"new"}}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(index.deleted)
	if want := []string{"learnings/new", "learnings/same", "learnings/moved"}; !slices.Equal(index.written, want) {
		t.Errorf("written %v, want %v", index.written, want)
	}
	if want := []string{"learnings/forgotten", "learnings/unmarked", "short_term_memory/moved"}; !slices.Equal(index.deleted, want) {
		t.Errorf("deleted %v, want %v", index.deleted, want)
	}
	if err := a.SyncIndex(t.Context(), SyncInput{}); err != nil || ledger.asked != 1 {
		t.Errorf("without ids the ledger was asked %d times, %v", ledger.asked, err)
	}
}

// A lost collection is made again for a write, once, and is no obstacle for a delete.
func TestSyncWithoutCollections(t *testing.T) {
	t.Parallel()
	live := &behind{changes: []memory.IndexChange{change("a", "learnings", "", memory.Live)}}
	index := &pad{lost: 1}
	if err := (&Activities{Ledger: live, Index: index}).SyncIndex(t.Context(), SyncInput{IDs: []string{"a"}}); err != nil || index.made != 1 || len(index.written) != 1 {
		t.Errorf("made %d times, written %v, %v", index.made, index.written, err)
	}
	index = &pad{lost: 2}
	err := (&Activities{Ledger: live, Index: index}).SyncIndex(t.Context(), SyncInput{IDs: []string{"a"}})
	if !errors.Is(err, memory.ErrNoCollection) || index.made != 1 {
		t.Errorf("an index that keeps losing it: made %d times, %v", index.made, err)
	}
	forgotten := &behind{changes: []memory.IndexChange{change("a", "learnings", "learnings", memory.Forgotten)}}
	index = &pad{lost: 1}
	if err := (&Activities{Ledger: forgotten, Index: index}).SyncIndex(t.Context(), SyncInput{IDs: []string{"a"}}); err != nil || index.made != 0 {
		t.Errorf("a delete made it %d times, %v", index.made, err)
	}
}
