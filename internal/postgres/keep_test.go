package postgres_test

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestKeepMovesToWhereTheTypeBelongs(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.ShortTerm, "The staging database is called basil.")
	expires := day0.AddDate(0, 0, 14)
	r.ExpiresAt = &expires
	store(t, l, r)
	sync(t, l)
	for range 3 { // the step is repeated
		m, err := update(t, l, "keep", memory.UpdateInput{ID: r.ID, Keep: true})
		if err != nil || m.ID != r.ID || m.Collection != memory.CollectionOf(r.Type) || m.ExpiresAt != nil {
			t.Fatalf("kept as %+v, %v", m, err)
		}
	}
	if h := history(t, l, r.ID); len(h.Versions) != 2 || len(h.Audit) != 2 {
		t.Errorf("%d versions and %d audit rows, want 2 and 2", len(h.Versions), len(h.Audit))
	}
	m, err := update(t, l, "again", memory.UpdateInput{ID: r.ID, Keep: true})
	if err != nil || m.Collection != memory.CollectionOf(r.Type) {
		t.Errorf("what is kept already stays: %+v, %v", m, err)
	}
}

func TestKeepGoesIntoItsTwin(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	twin := rec(memory.Memories, "The staging database is called basil.")
	short := rec(memory.ShortTerm, twin.Text)
	store(t, l, twin)
	bring(t, l, short)
	sync(t, l)
	m, err := update(t, l, "keep", memory.UpdateInput{ID: short.ID, Keep: true, Pinned: ptr(true)})
	if err != nil || m.ID != twin.ID || !m.Pinned || m.State != memory.Live {
		t.Fatalf("kept as %+v, %v", m, err)
	}
	gone := history(t, l, short.ID)
	if gone.Memory.State != memory.Merged || gone.Memory.MergedInto != twin.ID {
		t.Errorf("its own row is %+v", gone.Memory)
	}
}
