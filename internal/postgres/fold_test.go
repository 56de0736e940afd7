package postgres_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestFold(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	ids := storeAll(t, l, rec(memory.Memories, "One."), rec(memory.Memories, "Two.", 0, 1, 0, 0), rec(memory.Memories, "Three.", 0, 0, 1, 0))
	var first memory.MergedGroup
	for i, name := range []string{"m", "m", "asked again"} {
		g, err := l.Fold(t.Context(), step(memory.ActionMerge, name), ids)
		if err != nil || len(g.MergedIDs) != 2 || slices.Contains(g.MergedIDs, g.SurvivorID) {
			t.Fatalf("%s: %+v, %v", name, g, err)
		}
		if i == 0 {
			first = g
		}
		if g.SurvivorID != first.SurvivorID || g.Text != first.Text {
			t.Errorf("%s: %+v, first %+v", name, g, first)
		}
	}
	for _, sentence := range []string{"One.", "Two.", "Three."} {
		if !strings.Contains(first.Text, sentence) {
			t.Errorf("%q is lost from %q", sentence, first.Text)
		}
	}
	h := history(t, l, first.SurvivorID)
	if len(h.Versions) != 2 || h.Audit[len(h.Audit)-1].Action != memory.ActionMerge {
		t.Errorf("%d versions, audit %+v", len(h.Versions), h.Audit)
	}
}

func TestFoldRefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	a, other := rec(memory.Memories, "One."), rec(memory.Memories, "Two.", 0, 1, 0, 0)
	elsewhere, decided := rec(memory.Learnings, "Three.", 0, 0, 1, 0), rec(memory.Memories, "Four.", 0, 0, 0, 1)
	decided.Type = memory.TypeDecision
	pinned, pinnedToo := rec(memory.Memories, "Five.", 1, 1, 0, 0), rec(memory.Memories, "Six.", 1, 0, 1, 0)
	pinned.Pinned, pinnedToo.Pinned = true, true
	long, longer := rec(memory.Memories, strings.Repeat("x", 20<<10), 0, 1, 1, 0), rec(memory.Memories, strings.Repeat("y", 20<<10), 0, 1, 0, 1)
	gone, merged, survivor := rec(memory.Memories, "Gone.", 0, 0, 1, 1), rec(memory.Memories, "Seven"), rec(memory.Memories, "Seven.")
	ids := storeAll(t, l, a, other, elsewhere, decided, pinned, pinnedToo, long, longer, gone, survivor)
	store(t, l, merged)
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{gone.ID}, false); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ids   []string
		code  memory.Code
		names string
	}{
		"another collection": {[]string{a.ID, other.ID, elsewhere.ID}, memory.Conflict, "collections"},
		"another type":       {[]string{a.ID, decided.ID}, memory.Conflict, "types"},
		"two pinned":         {[]string{a.ID, pinned.ID, pinnedToo.ID}, memory.Conflict, "pinned"},
		"too long":           {[]string{long.ID, longer.ID}, memory.Conflict, "bytes"},
		"forgotten":          {[]string{a.ID, gone.ID}, memory.NotFound, gone.ID},
		"merged away":        {[]string{a.ID, merged.ID}, memory.Conflict, survivor.ID},
		"one":                {[]string{a.ID}, memory.Invalid, ""},
		"one twice":          {[]string{a.ID, a.ID}, memory.Invalid, "twice"},
	} {
		_, err := l.Fold(t.Context(), step(memory.ActionMerge, name), c.ids)
		if memory.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %v, want %s and %q", name, err, c.code, c.names)
		}
	}
	for _, id := range ids {
		if h := history(t, l, id); h.Memory.State == memory.Merged {
			t.Errorf("%s was merged all the same", id)
		}
	}
}

// TestSyncFollowsMerges names one end of a merge only: the other end, and a
// twin that nobody named, are brought in step too.
func TestSyncFollowsMerges(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	ids := storeAll(t, l, rec(memory.Memories, "One."), rec(memory.Memories, "Two.", 0, 1, 0, 0), rec(memory.Memories, "One. Two.", 0, 0, 1, 0))
	sync(t, l)
	g := merge(t, l, "m", ids[0], ids[1]) // its text is the third one's
	if d := get(t, l, ids[2]); d.State != memory.Merged {
		t.Fatalf("the twin is %+v", d)
	}
	for _, id := range []string{g.SurvivorID, g.MergedIDs[0]} {
		var told []string
		err := l.SyncIndex(t.Context(), []string{id}, func(_ context.Context, changes []memory.IndexChange) error {
			for _, c := range changes {
				told = append(told, c.ID)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if id == g.SurvivorID && len(told) != 3 || id != g.SurvivorID && len(told) != 0 {
			t.Errorf("syncing %s told of %v", id, told)
		}
	}
	if left, err := l.Unindexed(t.Context(), 0); err != nil || len(left) != 0 {
		t.Errorf("not in step: %v, %v", left, err)
	}
}
