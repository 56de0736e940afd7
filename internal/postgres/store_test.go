package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

func TestStoreNewIsLiveVersionedAuditedAndDirty(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "Go has no exceptions.")
	res := store(t, l, r)
	if res.ID != r.ID || res.Status != memory.Stored || res.Project != "p" || res.Collection != memory.Memories {
		t.Errorf("result %+v", res)
	}
	d := get(t, l, r.ID)
	if d.Text != r.Text || d.State != memory.Live || !d.CreatedAt.Equal(day0) || d.Confidence != 0.5 {
		t.Errorf("memory %+v", d)
	}
	h := history(t, l, r.ID)
	if len(h.Versions) != 1 || h.Versions[0].Before != nil || h.Versions[0].After.Text != r.Text {
		t.Errorf("versions %+v", h.Versions)
	}
	if len(h.Audit) != 1 || h.Audit[0].User != "me" || strings.Contains(fmt.Sprint(h.Audit[0].Details), "exceptions") {
		t.Errorf("audit %+v", h.Audit)
	}
	told := sync(t, l)
	if len(told) != 1 || told[0].ID != r.ID || told[0].IndexedIn != "" || len(told[0].Vector) != 4 {
		t.Errorf("index told %+v", told)
	}
	if again := sync(t, l); len(again) != 0 {
		t.Errorf("told again: %+v", again)
	}
}

func TestStoreTwiceConfirms(t *testing.T) {
	t.Parallel()
	later := day0.Add(time.Hour)
	l := open(t, later)
	r := rec(memory.Memories, "Tabs, not spaces.")
	store(t, l, r)
	again := r
	again.Source, again.Tags, again.Pinned, again.Importance = memory.SourceCLI, []string{"style"}, true, 0.9
	res := store(t, l, again)
	if res.ID != r.ID || res.Status != memory.MergedIn || res.Similarity != 1 {
		t.Errorf("result %+v", res)
	}
	d := get(t, l, r.ID)
	if d.Confidence != memory.Gain(0.5, memory.MergeGain) || !d.Pinned || d.Importance != 0.9 || len(d.Tags) != 1 || !d.LastAccessed.Equal(later) {
		t.Errorf("memory %+v", d)
	}
	if v := history(t, l, r.ID).Versions; len(v) != 2 {
		t.Errorf("%d versions, want 2: tags are content", len(v))
	}
}

func TestStoreOpOnce(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "Once.")
	first := store(t, l, r)
	second := store(t, l, r)
	if fmt.Sprint(first) != fmt.Sprint(second) {
		t.Errorf("first %+v, then %+v", first, second)
	}
	if d := get(t, l, r.ID); d.Confidence != 0.5 {
		t.Errorf("a retry counted: confidence %v", d.Confidence)
	}
}

func TestNearDuplicateIsAbsorbed(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	a := rec(memory.Memories, "The build uses `make`.", 1, 0, 0, 0)
	b := rec(memory.Memories, "Build uses make", 1, 0.1, 0, 0)
	other := rec(memory.Memories, "The build uses `just`.", 1, 0.05, 0, 0) // as near, but another fact
	store(t, l, other)
	store(t, l, a)
	res := store(t, l, b)
	if res.Status != memory.MergedIn || res.ID != a.ID || res.Similarity <= memory.DuplicateAbove {
		t.Fatalf("result %+v", res)
	}
	if d := get(t, l, b.ID); d.State != memory.Merged || d.MergedInto != a.ID {
		t.Errorf("absorbed %+v", d)
	}
	if d := get(t, l, a.ID); d.Confidence != memory.Gain(0.5, memory.MergeGain) {
		t.Errorf("survivor %+v", d)
	}
	if d := get(t, l, other.ID); d.Confidence != 0.5 {
		t.Errorf("another fact was touched: %+v", d)
	}
	if len(history(t, l, a.ID).Versions) != 2 || len(history(t, l, b.ID).Versions) != 1 {
		t.Error("both need a version")
	}
	// The absorbed text resolves at once, without asking the index.
	b.Source = memory.SourceCLI
	res, err := l.Store(t.Context(), step(memory.ActionStore, "again"), b, nil, func(context.Context, []string) ([]memory.Match, error) {
		return nil, errors.New("the index is down")
	})
	if err != nil || res.ID != a.ID || res.Status != memory.MergedIn {
		t.Errorf("again: %+v, %v", res, err)
	}
}

// bring takes a memory in as an import does, which keeps every text.
func bring(t *testing.T, l *postgres.Ledger, r memory.Record) {
	t.Helper()
	if _, err := l.Import(t.Context(), step(memory.ActionImport, "bring "+r.ID), []memory.Record{r}, nil); err != nil {
		t.Fatal(err)
	}
}

// elsewhere is a record in another project.
func elsewhere(project, collection, text string) memory.Record {
	r := rec(collection, text)
	r.Project, r.ID = project, memory.NewID(project, collection, text)
	return r
}

// One fact is one memory of a project, whichever collection it is told for; what
// holds everywhere is known in each.
func TestOneFactOnce(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	a := rec(memory.Memories, "Same text.")
	store(t, l, a)
	if res := store(t, l, elsewhere("q", memory.Memories, a.Text)); res.Status != memory.Stored {
		t.Errorf("another project: %+v", res)
	}
	if res := store(t, l, rec(memory.Learnings, a.Text)); res.Status != memory.MergedIn || res.ID != a.ID || res.Collection != memory.Memories {
		t.Errorf("another collection: %+v", res)
	}
	if res := store(t, l, rec(memory.Working, a.Text)); res.Status != memory.Stored {
		t.Errorf("the scratch of a session: %+v", res)
	}
	global := elsewhere(memory.Global, memory.Memories, "Holds everywhere.")
	store(t, l, global)
	if res := store(t, l, rec(memory.Memories, global.Text)); res.Status != memory.MergedIn || res.ID != global.ID {
		t.Errorf("known everywhere: %+v", res)
	}
}

func TestToldForGood(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	soon := day0.Add(14 * day)
	short := rec(memory.ShortTerm, "The proxy needs a client certificate.")
	short.ExpiresAt = &soon
	store(t, l, short)
	res := store(t, l, rec(memory.Learnings, "The proxy needs the client certificate."))
	d := get(t, l, short.ID)
	if res.ID != short.ID || d.Collection != memory.Learnings || d.ExpiresAt != nil || d.Text != short.Text {
		t.Errorf("stored as %+v, which is %+v", res, d)
	}
}

func TestStoreNamesWhatIsAlike(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	old := rec(memory.Memories, "The API listens on port 8080 behind the proxy.")
	store(t, l, old)
	res := store(t, l, rec(memory.Learnings, "The API listens on port 9090 behind the proxy."))
	if res.Status != memory.Stored || len(res.Alike) != 1 || res.Alike[0].ID != old.ID || res.Alike[0].Text != old.Text || !res.Alike[0].Over {
		t.Errorf("got %+v", res)
	}
	if h := history(t, l, res.ID); strings.Contains(fmt.Sprint(h.Audit), "8080") {
		t.Error("the audit keeps a text")
	}
	if res := store(t, l, rec(memory.Memories, "Lunch is at noon.")); len(res.Alike) != 0 {
		t.Errorf("nothing alike: %+v", res)
	}
}

func TestForgottenIsRevived(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "Forget me.")
	store(t, l, r)
	sync(t, l)
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{r.ID}, false); err != nil {
		t.Fatal(err)
	}
	r.Source = memory.SourceCLI
	if res := store(t, l, r); res.Status != memory.Stored || res.ID != r.ID {
		t.Errorf("result %+v", res)
	}
	if d := get(t, l, r.ID); d.State != memory.Live || d.Text != r.Text {
		t.Errorf("memory %+v", d)
	}
}

func TestConcurrentStoresLeaveOne(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	const n = 20
	var wg gosync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			r := rec(memory.Memories, "Two sessions say this.", 1, float32(i)/1000, 0, 0)
			if i%2 == 1 { // nearly the same: other id and hash, same fact
				r.ID = memory.NewID("p", memory.Memories, fmt.Sprint(i))
				r.ContentHash = memory.ContentHash(fmt.Sprint(i))
			}
			for range 2 { // a retry counts once
				_, err := l.Store(t.Context(), step(memory.ActionStore, fmt.Sprint("s", i)), r, nil, nothingNear)
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	recs, err := l.Records(t.Context(), memory.Page{})
	if err != nil || len(recs) != 1 {
		t.Fatalf("%d live memories, %v", len(recs), err)
	}
	want := 0.5
	for range n - 1 {
		want = memory.Gain(want, memory.MergeGain)
	}
	if got := recs[0].Confidence; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("confidence %v, want %v: each store counts once", got, want)
	}
}

func TestPositions(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	for i := range 3 {
		r := rec(memory.Memories, fmt.Sprint("turn ", i), 1, float32(10*i), 0, 0)
		r.Session = "s"
		store(t, l, r)
		if d := get(t, l, r.ID); d.Position != i+1 {
			t.Errorf("turn %d at %d", i, d.Position)
		}
	}
}

func TestStoreRefusesBadInput(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	nan := rec(memory.Memories, "x")
	nan.Importance = 7
	noVector := rec(memory.Memories, "y")
	noVector.Vector = nil
	nul := rec(memory.Memories, "z")
	nul.Project = "a\x00b"
	for name, r := range map[string]memory.Record{"importance": nan, "vector": noVector, "NUL": nul} {
		_, err := l.Store(t.Context(), step(memory.ActionStore, name), r, nil, nothingNear)
		if memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := l.Store(t.Context(), step(memory.ActionStore, "link"), rec(memory.Memories, "w"),
		[]memory.LinkRequest{{TargetID: rec(memory.Memories, "none").ID, Type: memory.LinkBuildsOn}}, nothingNear)
	if memory.CodeOf(err) != memory.NotFound {
		t.Errorf("link to nothing: %v", err)
	}
	if s, err := l.Stats(t.Context()); err != nil || len(s.States) != 0 {
		t.Errorf("something was left: %+v, %v", s, err)
	}
}

func TestRecalledCountsOnceAndLosesNothing(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r, weak := rec(memory.Memories, "Recall me."), rec(memory.Memories, "Found beside it.")
	store(t, l, r)
	store(t, l, weak)
	const n = 20
	var wg gosync.WaitGroup
	errs := make([]error, n)
	at := day0.Add(24 * time.Hour)
	for i := range n {
		wg.Go(func() {
			seen := memory.Recalled{
				Query: memory.Query{Text: "secret question", Project: "p"}, At: at,
				Hits: []memory.Hit{{ID: r.ID, Text: r.Text, Score: 0.8, Strong: true}, {ID: weak.ID, Text: weak.Text, Score: 0.2}},
			}
			for range 2 {
				errs[i] = errors.Join(errs[i], l.Recalled(t.Context(), step(memory.ActionRecall, fmt.Sprint("r", i)), seen))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	d := get(t, l, r.ID)
	want := memory.Gain(0.5, memory.RecallGain) // once a day
	if d.AccessCount != n || d.Confidence < want-1e-9 || d.Confidence > want+1e-9 || !d.LastAccessed.Equal(at) {
		t.Errorf("memory %+v, want confidence %v", d, want)
	}
	if d := get(t, l, weak.ID); d.AccessCount != 0 || d.Confidence != 0.5 {
		t.Errorf("a weak hit counted: %+v", d)
	}
	h := history(t, l, r.ID)
	if len(h.Versions) != 1 || len(h.Audit) != n+1 {
		t.Errorf("%d versions, %d audit rows", len(h.Versions), len(h.Audit))
	}
	if s := fmt.Sprint(h.Audit); strings.Contains(s, "secret question") || strings.Contains(s, "Recall me") {
		t.Error("the audit holds a text")
	}
}

// TestTwinIndexedWhileTheIndexIsAsked has a memory reach the index just after
// the index was asked for duplicates of another one: it is neither in the
// index's answer nor behind the index any more, and must be found all the same.
func TestTwinIndexedWhileTheIndexIsAsked(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	first := rec(memory.Memories, "The API listens on port 8002 behind the proxy.")
	store(t, l, first)
	tooSoon := func(context.Context, []string) ([]memory.Match, error) {
		if told := sync(t, l); len(told) != 1 {
			t.Errorf("the index was told %+v meanwhile", told)
		}
		return nil, nil
	}
	second := rec(memory.Memories, "API listens on port 8002, behind the proxy")
	res, err := l.Store(t.Context(), step(memory.ActionStore, "second"), second, nil, tooSoon)
	if err != nil || res.Status != memory.MergedIn || res.ID != first.ID {
		t.Errorf("stored as %+v, %v; want it merged into %s", res, err, first.ID)
	}
}

// TestGone names forgotten memories, and neither live ones nor unknown ids.
func TestGone(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	kept, lost, never := rec(memory.Memories, "Go has no exceptions."), rec(memory.Memories, "Go has generics."), rec(memory.Memories, "Never stored.")
	store(t, l, kept)
	store(t, l, lost)
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "forget"), []string{lost.ID}, false); err != nil {
		t.Fatal(err)
	}
	gone, err := l.Gone(t.Context(), []string{kept.ID, lost.ID, never.ID})
	if err != nil || len(gone) != 1 || gone[0] != lost.ID {
		t.Errorf("gone: %v, %v; want %s", gone, err, lost.ID)
	}
}
