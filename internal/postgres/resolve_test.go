package postgres_test

import (
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestResolve finds memories by the beginning of their ids, forgotten ones too.
func TestResolve(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r, twin, other := rec(memory.Memories, "One."), rec(memory.Memories, "Two.", 0, 1, 0, 0), rec(memory.Memories, "Three.", 0, 0, 1, 0)
	r.ID, twin.ID = "0e5a6a4e-1000-8000-8000-000000000000", "0e5a6a4e-f000-8000-8000-000000000000"
	for _, m := range []memory.Record{r, twin, other} {
		store(t, l, m)
	}
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{twin.ID}, false); err != nil {
		t.Fatal(err)
	}
	found, err := l.Resolve(t.Context(), []string{"0e5a6a4e", "0E5A6A4E-1", memory.ShortID(other.ID), "ffffffff"})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{r.ID, twin.ID}, {r.ID}, {other.ID}, nil}
	for i, c := range found {
		var ids []string
		for _, m := range c.Memories {
			ids = append(ids, m.ID)
		}
		if !slices.Equal(ids, want[i]) {
			t.Errorf("%s is %v, want %v", c.Ref, ids, want[i])
		}
	}
	if m := found[0].Memories; m[0].Text != "One." || m[0].State != memory.Live || m[1].State != memory.Forgotten {
		t.Errorf("named as %+v", m)
	}
	if _, err := l.Resolve(t.Context(), []string{"0e5a"}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("four characters: %v", err)
	}
}

// TestLinkByTheBeginningOfAnID is what a store does that was accepted while the ledger was away.
func TestLinkByTheBeginningOfAnID(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	old, now := rec(memory.Memories, "The port is 80."), rec(memory.Memories, "The port is 443.", 0, 1, 0, 0)
	store(t, l, old)
	_, err := l.Store(t.Context(), step(memory.ActionStore, "s"), now, []memory.LinkRequest{{TargetID: memory.ShortID(old.ID), Type: memory.LinkContradicts}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if links := get(t, l, old.ID).Links; len(links) != 1 || links[0].SourceID != now.ID || links[0].TargetID != old.ID {
		t.Errorf("linked %+v", links)
	}
}
