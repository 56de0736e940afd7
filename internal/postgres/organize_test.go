package postgres_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

const day = 24 * time.Hour

func TestDecayAndPrune(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "Never used.")
	pinned := rec(memory.Memories, "Pinned.", 0, 1, 0, 0)
	pinned.Pinned = true
	store(t, l, r)
	store(t, l, pinned)
	half, end := day0.Add(45*day), day0.Add(90*day)
	for i, now := range []time.Time{half, half, end} {
		ids, err := l.Decay(t.Context(), step(memory.ActionDecay, "d"+string(rune('0'+i))), activities.Scope{Now: now})
		if err != nil || (len(ids) == 1) != (i != 1) {
			t.Fatalf("decay %d: %v, %v", i, ids, err)
		}
	}
	if got, want := get(t, l, r.ID).Confidence, memory.Decay(0.5, 90*day); math.Abs(got-want) > 1e-9 {
		t.Errorf("confidence %v, want %v: two decays are one long one", got, want)
	}
	if get(t, l, pinned.ID).Confidence != 0.5 || len(history(t, l, r.ID).Versions) != 1 {
		t.Error("pinned must not decay, and decay writes no version")
	}
	scope := activities.Scope{Now: end, DryRun: true}
	ids, err := l.Prune(t.Context(), step(memory.ActionPrune, "p"), scope)
	if err != nil || !slices.Equal(ids, []string{r.ID}) || get(t, l, r.ID).State != memory.Live {
		t.Fatalf("dry run: %v, %v", ids, err)
	}
	scope.DryRun = false
	for range 2 { // the second returns what the first did
		ids, err = l.Prune(t.Context(), step(memory.ActionPrune, "p"), scope)
		if err != nil || !slices.Equal(ids, []string{r.ID}) {
			t.Fatalf("prune: %v, %v", ids, err)
		}
	}
	if h := history(t, l, r.ID); h.Memory.State != memory.Pruned || len(h.Versions) != 2 {
		t.Errorf("after prune: %+v", h)
	}
}

func TestExpireAndPromote(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	soon := day0.Add(14 * day)
	fades, earns, twin := rec(memory.ShortTerm, "Fades."), rec(memory.ShortTerm, "Earns.", 0, 1, 0, 0), rec(memory.ShortTerm, "Twin.", 0, 0, 1, 0)
	for _, r := range []*memory.Record{&fades, &earns, &twin} {
		r.ExpiresAt = &soon
		store(t, l, *r)
	}
	there := rec(memory.Memories, "Twin.", 0, 0, 1, 0)
	store(t, l, there)
	sync(t, l)
	for _, r := range []memory.Record{earns, twin} {
		r.Source = memory.SourceCLI
		store(t, l, r)
	}
	scope := activities.Scope{Now: soon.Add(day)}
	ids, err := l.Expire(t.Context(), step(memory.ActionExpire, "e"), scope)
	if err != nil || !slices.Equal(ids, []string{fades.ID}) {
		t.Fatalf("expired %v, %v", ids, err)
	}
	ids, err = l.Promote(t.Context(), step(memory.ActionPromote, "p"), scope)
	if err != nil || len(ids) != 2 {
		t.Fatalf("promoted %v, %v", ids, err)
	}
	if d := get(t, l, earns.ID); d.Collection != memory.Memories || d.ExpiresAt != nil || d.State != memory.Live {
		t.Errorf("promoted: %+v", d)
	}
	if d := get(t, l, twin.ID); d.State != memory.Merged || d.MergedInto != there.ID {
		t.Errorf("its twin: %+v", d)
	}
	for _, c := range sync(t, l) {
		if c.ID == earns.ID && (c.IndexedIn != memory.ShortTerm || c.Collection != memory.Memories) {
			t.Errorf("the index must learn that it moved: %+v", c)
		}
	}
}

func TestMergeMovesLinksAndRepeats(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	a, b, c := rec(memory.Memories, "A.", 1, 0, 0, 0), rec(memory.Memories, "B.", 1, 0.1, 0, 0), rec(memory.Memories, "C.", 0, 1, 0, 0)
	a.Pinned = true
	for _, r := range []memory.Record{a, b, c} {
		store(t, l, r)
	}
	for i, k := range []memory.Link{{SourceID: b.ID, TargetID: c.ID, Type: memory.LinkBuildsOn}, {SourceID: a.ID, TargetID: b.ID, Type: memory.LinkClarifies}} {
		if _, err := l.Link(t.Context(), step(memory.ActionLink, "k"+string(rune('0'+i))), k); err != nil {
			t.Fatal(err)
		}
	}
	ids := []string{a.ID, b.ID}
	dry, err := l.Merge(t.Context(), step(memory.ActionMerge, "m"), ids, activities.Scope{DryRun: true})
	if err != nil || dry.SurvivorID != a.ID || get(t, l, b.ID).State != memory.Live {
		t.Fatalf("dry run %+v, %v", dry, err)
	}
	for range 2 {
		g, err := l.Merge(t.Context(), step(memory.ActionMerge, "m"), ids, activities.Scope{})
		if err != nil || g.SurvivorID != a.ID || !slices.Equal(g.MergedIDs, []string{b.ID}) || g.Text != dry.Text {
			t.Fatalf("%+v, %v", g, err)
		}
	}
	d := get(t, l, a.ID)
	if d.Confidence != 1 || d.AccessCount != 0 || len(d.Links) != 1 || d.Links[0].SourceID != a.ID || d.Links[0].TargetID != c.ID {
		t.Errorf("survivor %+v", d)
	}
	again, err := l.Merge(t.Context(), step(memory.ActionMerge, "m2"), ids, activities.Scope{})
	if err != nil || len(again.MergedIDs) != 0 {
		t.Errorf("what is not live must be left alone: %+v, %v", again, err)
	}
	if h := history(t, l, b.ID); h.Memory.MergedInto != a.ID || len(h.Versions) != 2 {
		t.Errorf("merged: %+v", h)
	}
}

func TestRelatedGoesRoundCirclesOnce(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	var ids []string
	for i, s := range []string{"a", "b", "c", "d"} {
		v := make([]float32, 4)
		v[i] = 1
		r := rec(memory.Memories, s, v...)
		store(t, l, r)
		ids = append(ids, r.ID)
	}
	for i := range ids {
		op := step(memory.ActionLink, "k"+ids[i])
		if _, err := l.Link(t.Context(), op, memory.Link{SourceID: ids[i], TargetID: ids[(i+1)%4], Type: memory.LinkBuildsOn}); err != nil {
			t.Fatal(err)
		}
	}
	for depth, want := range map[int]int{0: 2, 1: 2, 2: 3, 9: 3} {
		got, err := l.Related(t.Context(), ids[0], depth, 0)
		if err != nil || len(got) != want {
			t.Errorf("depth %d: %d related, %v; want %d", depth, len(got), err, want)
		}
	}
	if _, err := l.Link(t.Context(), step(memory.ActionLink, "self"), memory.Link{SourceID: ids[0], TargetID: ids[0], Type: memory.LinkBuildsOn}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("link to itself: %v", err)
	}
	if links, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), ids[:1], false); err != nil || links != 2 {
		t.Errorf("%d links went, %v", links, err)
	}
	if _, err := l.Related(t.Context(), ids[0], 1, 0); memory.CodeOf(err) != memory.NotFound {
		t.Errorf("related to what is forgotten: %v", err)
	}
}
