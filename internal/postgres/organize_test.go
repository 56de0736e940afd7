package postgres_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

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
		did, err := l.Decay(t.Context(), step(memory.ActionDecay, "d"+string(rune('0'+i))), memory.Scope{Now: now})
		if err != nil || (len(did.All()) == 1) != (i != 1) {
			t.Fatalf("decay %d: %v, %v", i, did, err)
		}
	}
	if got, want := get(t, l, r.ID).Confidence, memory.Decay(0.5, 90*day); math.Abs(got-want) > 1e-9 {
		t.Errorf("confidence %v, want %v: two decays are one long one", got, want)
	}
	if get(t, l, pinned.ID).Confidence != 0.5 || len(history(t, l, r.ID).Versions) != 1 {
		t.Error("pinned must not decay, and decay writes no version")
	}
	prune := func(name string, now time.Time) []string {
		t.Helper()
		did, err := l.Prune(t.Context(), step(memory.ActionPrune, name), memory.Scope{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		return did.All()
	}
	if ids := prune("unannounced", end); len(ids) > 0 {
		t.Fatalf("%v were pruned unannounced", ids)
	}
	for range 2 { // the second returns what the first did
		did, err := l.Announce(t.Context(), step(memory.ActionAnnounce, "a"), memory.Scope{Now: end})
		if err != nil || !slices.Equal(did.All(), []string{r.ID}) || get(t, l, r.ID).AnnouncedAt == nil {
			t.Fatalf("announce: %v, %v", did, err)
		}
	}
	if ids := prune("at once", end.Add(memory.PruneNotice-time.Second)); len(ids) > 0 {
		t.Fatalf("%v were pruned right after they were announced", ids)
	}
	for range 2 {
		if ids := prune("p", end.Add(memory.PruneNotice)); !slices.Equal(ids, []string{r.ID}) {
			t.Fatalf("pruned %v", ids)
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
	bring(t, l, there)
	sync(t, l)
	for _, r := range []memory.Record{earns, twin} {
		r.Source = memory.SourceCLI
		store(t, l, r)
	}
	scope := memory.Scope{Now: soon.Add(day)}
	did, err := l.Expire(t.Context(), step(memory.ActionExpire, "e"), scope)
	if err != nil || !slices.Equal(did.IDs[memory.ShortTerm], []string{fades.ID}) {
		t.Fatalf("expired %v, %v", did, err)
	}
	did, err = l.Promote(t.Context(), step(memory.ActionPromote, "p"), scope)
	if err != nil || len(did.IDs[memory.ShortTerm]) != 2 {
		t.Fatalf("promoted %v, %v", did, err)
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

// TestImportedLongAgoIsNewHere imports what was said three years ago: it counts
// as unused from the import on.
func TestImportedLongAgoIsNewHere(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	old := rec(memory.Memories, "Said in 2023.")
	old.CreatedAt = day0.AddDate(-3, 0, 0)
	old.LastAccessed = old.CreatedAt
	if _, err := l.Import(t.Context(), step(memory.ActionImport, "i"), []memory.Record{old}, nil); err != nil {
		t.Fatal(err)
	}
	tidy := func(now time.Time) {
		scope := memory.Scope{Now: now}
		for action, does := range map[string]func(context.Context, memory.Op, memory.Scope) (memory.Tidied, error){
			memory.ActionDecay: l.Decay, memory.ActionAnnounce: l.Announce, memory.ActionPrune: l.Prune,
		} {
			if _, err := does(t.Context(), step(action, now.String()+action), scope); err != nil {
				t.Fatal(err)
			}
		}
	}
	tidy(day0.Add(time.Hour))
	d := get(t, l, old.ID)
	if d.Confidence < 0.499 || d.AnnouncedAt != nil || !d.ArrivedAt.Equal(day0) || !d.CreatedAt.Equal(old.CreatedAt) {
		t.Errorf("an hour later it stands at %+v", d)
	}
	for _, days := range []int{70, 75, 80, 85, 89} {
		tidy(day0.AddDate(0, 0, days))
	}
	if d := get(t, l, old.ID); d.State != memory.Live || d.AnnouncedAt == nil {
		t.Errorf("after 89 days it stands at %+v", d)
	}
	tidy(day0.AddDate(0, 0, 96))
	if d := get(t, l, old.ID); d.State != memory.Pruned {
		t.Errorf("after 96 days it stands at %+v", d)
	}
}

// TestHoldWaitsForAYes counts what would be pruned of each project.
func TestHoldWaitsForAYes(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	var recs []memory.Record
	for i := range 30 {
		r := rec(memory.Memories, fmt.Sprintf("Number %d.", i))
		r.Project = []string{"p", "q"}[i%2]
		r.ID = memory.NewID(r.Project, r.Collection, r.Text)
		if i%2 == 1 && i > 20 {
			r.Pinned = true // of q ten are left, which are no more than a handful
		}
		recs = append(recs, r)
	}
	if _, err := l.Import(t.Context(), step(memory.ActionImport, "i"), recs, nil); err != nil {
		t.Fatal(err)
	}
	now := day0.AddDate(1, 0, 0)
	scope := memory.Scope{Now: now}
	announced := memory.Scope{Now: now.Add(-memory.PruneNotice)}
	for _, does := range []func(context.Context, memory.Op, memory.Scope) (memory.Tidied, error){l.Decay, l.Announce} {
		if _, err := does(t.Context(), step("tidy", fmt.Sprintf("%p", does)), announced); err != nil {
			t.Fatal(err)
		}
	}
	want := []memory.HeldPrune{{Project: "p", Memories: 15, Live: 15, HeldAt: now}}
	for _, n := range []int{1, 1, 2} { // once more, and by a later run: it waits since the first
		held, err := l.Hold(t.Context(), step(memory.ActionTidy, fmt.Sprint("hold", n)), scope, false)
		if err != nil || !slices.EqualFunc(held, want, sameHold) {
			t.Fatalf("held %v, %v", held, err)
		}
		scope.Now = scope.Now.Add(time.Hour)
		if held, err = l.Held(t.Context()); err != nil || !slices.EqualFunc(held, want, sameHold) || !held[0].HeldAt.Equal(now) {
			t.Fatalf("the ledger holds back %v, %v", held, err)
		}
	}
	stats, err := l.Stats(t.Context())
	if err != nil || len(stats.Held) != 1 || stats.NearlyPruned != 25 {
		t.Errorf("the counts say %+v, %v", stats, err)
	}
	scope.Held = []string{"p"}
	did, err := l.Prune(t.Context(), step(memory.ActionPrune, "p"), scope)
	if err != nil || len(did.All()) != 10 {
		t.Errorf("pruned %v, %v", did, err)
	}
	scope.Project = "q" // which says nothing about p
	if held, err := l.Hold(t.Context(), step(memory.ActionTidy, "q"), scope, false); err != nil || len(held) > 0 {
		t.Errorf("held %v, %v", held, err)
	}
	if held, err := l.Held(t.Context()); err != nil || len(held) != 1 {
		t.Errorf("the ledger holds back %v, %v", held, err)
	}
	scope.Project = "p"
	if held, err := l.Hold(t.Context(), step(memory.ActionTidy, "yes"), scope, true); err != nil || len(held) > 0 {
		t.Errorf("after a yes %v, %v", held, err)
	}
	if held, err := l.Held(t.Context()); err != nil || len(held) > 0 {
		t.Errorf("after a yes the ledger holds back %v, %v", held, err)
	}
}

func sameHold(a, b memory.HeldPrune) bool {
	return a.Project == b.Project && a.Memories == b.Memories && a.Live == b.Live
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
	dry, err := l.Merge(t.Context(), step(memory.ActionMerge, "m"), ids, memory.Scope{DryRun: true})
	if err != nil || dry.SurvivorID != a.ID || get(t, l, b.ID).State != memory.Live {
		t.Fatalf("dry run %+v, %v", dry, err)
	}
	for range 2 {
		g, err := l.Merge(t.Context(), step(memory.ActionMerge, "m"), ids, memory.Scope{})
		if err != nil || g.SurvivorID != a.ID || !slices.Equal(g.MergedIDs, []string{b.ID}) || g.Text != dry.Text {
			t.Fatalf("%+v, %v", g, err)
		}
	}
	d := get(t, l, a.ID)
	if d.Confidence != 1 || d.AccessCount != 0 || len(d.Links) != 1 || d.Links[0].SourceID != a.ID || d.Links[0].TargetID != c.ID {
		t.Errorf("survivor %+v", d)
	}
	again, err := l.Merge(t.Context(), step(memory.ActionMerge, "m2"), ids, memory.Scope{})
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
