package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// changeOp is the only step of a change of its own.
func changeOp(action, workflow string) memory.Op {
	return memory.Op{WorkflowID: workflow, RunID: "run", Step: "step", User: "me", Action: action}
}

// noModel is for undos after which no text has another model.
func noModel(context.Context, []string) ([]memory.Vector, string, error) {
	return nil, "", errors.New("nothing was to be embedded")
}

// undoChange takes a whole change back, in pages of two, and returns what the pages came to.
func undoChange(t testing.TB, l *postgres.Ledger, of, by string) (memory.UndonePage, memory.UndoneLinks) {
	t.Helper()
	found, err := l.FindChange(t.Context(), of)
	if err != nil {
		t.Fatalf("find %s: %v", of, err)
	}
	scope := memory.UndoScope{Change: found.Change, Only: found.Only, Limit: 2}
	op := memory.Op{WorkflowID: by, RunID: "run", Chain: by, User: "me", Action: memory.ActionUndo}
	var all memory.UndonePage
	for more := true; more; more = scope.After != "" {
		op.Step = "memories/" + scope.After
		page, err := l.UndoPage(t.Context(), op, scope, noModel)
		if err != nil {
			t.Fatalf("undo %s: %v", of, err)
		}
		if page.Was != page.Is || len(page.Differ) > 0 {
			t.Errorf("undo %s: the hashes differ: %+v", of, page)
		}
		all.IDs, all.Left, all.Carried = append(all.IDs, page.IDs...), append(all.Left, page.Left...), all.Carried+page.Carried
		scope.After = page.Next
	}
	var links memory.UndoneLinks
	for more := true; more; more = scope.After != "" {
		op.Step = "links/" + scope.After
		page, err := l.UndoLinks(t.Context(), op, scope)
		if err != nil {
			t.Fatalf("undo links of %s: %v", of, err)
		}
		links.Links, links.Left = links.Links+page.Links, links.Left+page.Left
		scope.After = page.Next
	}
	return all, links
}

// everything is all that is kept of each memory and link, but for where its point is.
func everything(t *testing.T, url string) map[string]string {
	t.Helper()
	conn := connect(t, url)
	defer conn.Close(context.WithoutCancel(t.Context()))
	rows, err := conn.Query(t.Context(), `select id::text, (to_jsonb(m) - '{dirty,indexed_in,revision,changed_at,updated_at,vector}'::text[])::text || md5(vector) from memories m
union all select id::text, to_jsonb(k)::text from memory_links k`)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	var id, all string
	for rows.Next() {
		if err := rows.Scan(&id, &all); err != nil {
			t.Fatal(err)
		}
		out[id] = all
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// checkState compares two states. A new memory may remain as a forgotten one: rows of the
// ledger are never deleted.
func checkState(t testing.TB, what string, want, got map[string]string) {
	t.Helper()
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if was, ok := want[id]; ok && was != got[id] {
			t.Errorf("%s: %s is\n%s\nnot\n%s", what, id, got[id], was)
		} else if !ok && !strings.Contains(got[id], `"state": "forgotten"`) {
			t.Errorf("%s: %s is there: %s", what, id, got[id])
		}
	}
	for id := range want {
		if _, ok := got[id]; !ok {
			t.Errorf("%s: %s is gone: %s", what, id, want[id])
		}
	}
}

// world makes random changes.
type world struct {
	*testing.T
	l   *postgres.Ledger
	rnd *rand.Rand
	n   int
}

// live returns some live memories of one kind, at most as many as wanted.
func (w *world) live(want int) []string {
	records, err := w.l.Records(w.Context(), memory.Page{Collection: memory.Memories})
	if err != nil {
		w.Fatal(err)
	}
	var ids []string
	for _, i := range w.rnd.Perm(len(records))[:min(want, len(records))] {
		ids = append(ids, records[i].ID)
	}
	return ids
}

func (w *world) record(collection string) memory.Record {
	n := w.rnd.IntN(10)
	v := memory.Vector{0.1, 0.1, 0.1, 0.1}
	v[n%4] = float32(n + 1)
	wording := []string{"The API listens on port 844%d behind the proxy.", "API listens on port 844%d, behind the proxy"}[w.rnd.IntN(2)]
	r := rec(collection, fmt.Sprintf(wording, n), v...)
	r.Tags = []string{fmt.Sprintf("t%d", w.rnd.IntN(3))}
	return r
}

// sourced is a record from one of few places.
func (w *world) sourced() memory.Record {
	r := w.record(memory.Memories)
	r.SourceRef = fmt.Sprintf("file:a.md#%d", w.rnd.IntN(4))
	return r
}

// everyone says that some live memories are near.
func (w *world) everyone(ctx context.Context, _ []string) ([]memory.Match, error) {
	var out []memory.Match
	for _, id := range w.live(4) {
		out = append(out, memory.Match{ID: id, Cosine: 1})
	}
	return out, nil
}

// change makes one random change and returns its workflow, or "" if it made none.
func (w *world) change() string {
	w.n++
	var err error
	id := ""
	name := func(action string) memory.Op {
		id = fmt.Sprintf("%s/%d", action, w.n)
		return changeOp(action, id)
	}
	scope := memory.Scope{Now: day0.AddDate(0, w.n, 0), Limit: 1000}
	switch w.rnd.IntN(13) {
	case 0, 1, 2:
		var links []memory.LinkRequest
		for _, other := range w.live(1) {
			links = append(links, memory.LinkRequest{TargetID: other, Type: memory.LinkBuildsOn})
		}
		_, err = w.l.Store(w.Context(), name(memory.ActionStore), w.record(memory.Memories), links, w.everyone)
	case 3:
		r := w.record(memory.ShortTerm)
		r.ExpiresAt = &[]time.Time{day0.AddDate(0, 3, 0)}[0]
		_, err = w.l.Import(w.Context(), name(memory.ActionImport), []memory.Record{r, w.record(memory.Memories), w.sourced(), w.sourced()}, nil)
	case 4:
		for _, one := range w.live(1) {
			r := w.record(memory.Memories)
			tags := r.Tags
			_, err = w.l.Update(w.Context(), name(memory.ActionUpdate), memory.UpdateInput{ID: one, Text: &r.Text, Tags: &tags}, r.Vector, model)
			if memory.CodeOf(err) == memory.Conflict {
				return ""
			}
		}
	case 5:
		if ids := w.live(3); len(ids) > 1 {
			_, err = w.l.Fold(w.Context(), name(memory.ActionMerge), ids)
		}
	case 6:
		if ids := w.live(2); len(ids) > 0 {
			_, err = w.l.Forget(w.Context(), name(memory.ActionForget), ids, false)
		}
	case 7:
		if ids := w.live(2); len(ids) == 2 {
			link := memory.Link{SourceID: ids[0], TargetID: ids[1], Type: memory.LinkClarifies}
			_, err = w.l.Link(w.Context(), name(memory.ActionLink), link)
		}
	case 8:
		_, err = w.l.Decay(w.Context(), name("organize-"+memory.ActionDecay), scope)
	case 9:
		_, err = w.l.Expire(w.Context(), name("organize-"+memory.ActionExpire), scope)
	case 10:
		_, err = w.l.Announce(w.Context(), name("organize-"+memory.ActionAnnounce), scope)
		if err == nil {
			first := id
			op := changeOp(memory.ActionPrune, first)
			op.Step = "prune"
			scope.Now = scope.Now.AddDate(0, 2, 0)
			_, err = w.l.Prune(w.Context(), op, scope)
		}
	case 11:
		_, err = w.l.Store(w.Context(), name(memory.ActionStore), w.record(memory.ShortTerm), nil, nothingNear)
	case 12:
		_, err = w.l.Promote(w.Context(), name("organize-"+memory.ActionPromote), scope)
	}
	if err != nil {
		w.Fatalf("%s: %v", id, err)
	}
	return id
}

// TestUndoOfAnySequence makes random changes, takes them back one by one, and
// then takes the undos back: each time all rows must be the same as before.
func TestUndoOfAnySequence(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			url := testkit.Schema(t, server)
			w := &world{T: t, l: openAt(t, url, day0), rnd: rand.New(rand.NewPCG(seed, 14))}
			if err := w.l.UseModel(t.Context(), model, 4); err != nil {
				t.Fatal(err)
			}
			type point struct {
				workflow      string
				before, after map[string]string
			}
			var past []point
			for len(past) < 18 && w.n < 200 {
				before := everything(t, url)
				id := w.change()
				if id == "" {
					continue
				}
				after := everything(t, url)
				if maps.Equal(before, after) {
					continue // it found nothing to do
				}
				past = append(past, point{id, before, after})
			}
			if len(past) < 18 {
				t.Fatalf("only %d changes in %d tries: the test shows little", len(past), w.n)
			}
			for i, p := range slices.Backward(past) {
				undoChange(t, w.l, p.workflow, fmt.Sprintf("undo/%d", i))
				checkState(t, "undo of "+p.workflow, p.before, everything(t, url))
				if t.Failed() {
					t.FailNow() // all that follows would differ too
				}
			}
			for i, p := range past {
				undoChange(t, w.l, fmt.Sprintf("undo/%d", i), fmt.Sprintf("redo/%d", i))
				checkState(t, "undo of the undo of "+p.workflow, p.after, everything(t, url))
				if t.Failed() {
					t.FailNow()
				}
			}
		})
	}
}

func TestUndoLeavesAloneWhatWasChangedSince(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, day0)
	if err := l.UseModel(t.Context(), model, 4); err != nil {
		t.Fatal(err)
	}
	a, b := rec(memory.Memories, "The port is 80."), rec(memory.Memories, "The disk is full.", 0, 1, 0, 0)
	if _, err := l.Import(t.Context(), changeOp(memory.ActionImport, "import/1"), []memory.Record{a, b}, nil); err != nil {
		t.Fatal(err)
	}
	text := "The port is 81."
	if _, err := l.Update(t.Context(), changeOp(memory.ActionUpdate, "update/1"), memory.UpdateInput{ID: a.ID, Text: &text}, a.Vector, model); err != nil {
		t.Fatal(err)
	}
	page, _ := undoChange(t, l, "import/1", "undo/1")
	if len(page.Left) != 1 || page.Left[0].ID != a.ID || page.Left[0].Reason == "" || !slices.Equal(page.IDs, []string{b.ID}) {
		t.Errorf("undone: %+v; want %s left alone", page, a.ID)
	}
	if m := get(t, l, a.ID); m.Text != text || m.State != memory.Live {
		t.Errorf("the edited memory is %+v", m)
	}
}

// TestUndoCarriesRecallsOver takes back an edit after which the memory was
// recalled: the text goes back, what was counted stays.
func TestUndoCarriesRecallsOver(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	if err := l.UseModel(t.Context(), model, 4); err != nil {
		t.Fatal(err)
	}
	r := rec(memory.Memories, "The port is 80.")
	store(t, l, r)
	before := get(t, l, r.ID)
	text := "The port is 81."
	if _, err := l.Update(t.Context(), changeOp(memory.ActionUpdate, "update/1"), memory.UpdateInput{ID: r.ID, Text: &text}, r.Vector, model); err != nil {
		t.Fatal(err)
	}
	later := day0.AddDate(0, 0, 3)
	hit := memory.Recalled{At: later, Hits: []memory.Hit{{ID: r.ID, Strong: true}}}
	if err := l.Recalled(t.Context(), changeOp(memory.ActionRecall, "recall/1"), hit); err != nil {
		t.Fatal(err)
	}
	page, _ := undoChange(t, l, "", "undo/1") // a recall is no change: the last one is the edit
	m := get(t, l, r.ID)
	if page.Carried != 1 || m.Text != before.Text || m.AccessCount != 1 || !m.LastAccessed.Equal(later) || m.Confidence <= before.Confidence {
		t.Errorf("undone: %+v; the memory is %+v, was %+v", page, m.Memory, before.Memory)
	}
}

// TestUndoOfOneMemory undoes a change of many memories for one of them and for the memories
// merged into it, and checks that the others keep the change.
func TestUndoOfOneMemory(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	if err := l.UseModel(t.Context(), model, 4); err != nil {
		t.Fatal(err)
	}
	ids := storeAll(t, l, rec(memory.Memories, "One is red."), rec(memory.Memories, "Two is blue.", 0, 1, 0, 0),
		rec(memory.Memories, "Three is green.", 0, 0, 1, 0))
	op := changeOp(memory.ActionForget, "forget/1")
	if _, err := l.Forget(t.Context(), op, ids, false); err != nil {
		t.Fatal(err)
	}
	undoChange(t, l, ids[1], "undo/1")
	for i, want := range []memory.State{memory.Forgotten, memory.Live, memory.Forgotten} {
		if m := get(t, l, ids[i]); m.State != want {
			t.Errorf("memory %d is %s, want %s", i, m.State, want)
		}
	}
	found, err := l.FindChange(t.Context(), "")
	if err != nil || found.Change.WorkflowID != "forget/1" {
		t.Errorf("the last change is %+v, %v: only a part of it is undone", found, err)
	}
	page, _ := undoChange(t, l, "", "undo/2")
	if len(page.IDs) != 2 {
		t.Errorf("the rest: %+v", page)
	}
	found, err = l.FindChange(t.Context(), "")
	if err != nil || found.Change.WorkflowID == "forget/1" || found.Change.Action == memory.ActionUndo {
		t.Errorf("the last change is %+v, %v: the forget is undone", found, err)
	}
}

func TestPurgedComesNotBack(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	if err := l.UseModel(t.Context(), model, 4); err != nil {
		t.Fatal(err)
	}
	r := rec(memory.Memories, "My dentist is Dr Xylander.")
	store(t, l, r)
	if _, err := l.Forget(t.Context(), changeOp(memory.ActionForget, "forget/1"), []string{r.ID}, true); err != nil {
		t.Fatal(err)
	}
	page, _ := undoChange(t, l, "forget/1", "undo/1")
	if len(page.IDs) != 0 || len(page.Left) != 1 || !strings.Contains(page.Left[0].Reason, "purged") {
		t.Errorf("undone: %+v", page)
	}
	if _, err := l.Restore(t.Context(), changeOp(memory.ActionRestore, "restore/1"), r.ID, noModel); memory.CodeOf(err) != memory.NotFound {
		t.Errorf("restored: %v", err)
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, day0)
	if err := l.UseModel(t.Context(), model, 4); err != nil {
		t.Fatal(err)
	}
	ids := storeAll(t, l, rec(memory.Memories, "One is red."), rec(memory.Memories, "Two is blue.", 0, 1, 0, 0))
	if _, err := l.Restore(t.Context(), changeOp(memory.ActionRestore, "restore/0"), ids[0], noModel); memory.CodeOf(err) != memory.Conflict {
		t.Errorf("restored what is live: %v", err)
	}
	merged := merge(t, l, "m", ids...)
	gone := merged.MergedIDs[0]
	if _, err := l.Restore(t.Context(), changeOp(memory.ActionRestore, "restore/1"), gone, noModel); err != nil {
		t.Fatal(err)
	}
	if m := get(t, l, gone); m.State != memory.Live || m.Text == "" || m.MergedInto != "" {
		t.Errorf("restored: %+v", m)
	}
	undoChange(t, l, "restore/1", "undo/1")
	if m := get(t, l, gone); m.State != memory.Merged {
		t.Errorf("the restore is undone, and the memory is %+v", m)
	}
}

// TestUndoEmbedsAnew takes a forget back after the embedding model was replaced.
func TestUndoEmbedsAnew(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	if err := l.UseModel(t.Context(), model, 4); err != nil {
		t.Fatal(err)
	}
	r := rec(memory.Memories, "One is red.")
	store(t, l, r)
	if _, err := l.Forget(t.Context(), changeOp(memory.ActionForget, "forget/1"), []string{r.ID}, false); err != nil {
		t.Fatal(err)
	}
	if err := l.ReplaceModel(t.Context(), changeOp(memory.ActionRebuild, "rebuild/1"), "another", 3); err != nil {
		t.Fatal(err)
	}
	found, err := l.FindChange(t.Context(), "forget/1")
	if err != nil {
		t.Fatal(err)
	}
	embed := func(_ context.Context, texts []string) ([]memory.Vector, string, error) {
		if !slices.Equal(texts, []string{r.Text}) {
			t.Errorf("to embed: %q", texts)
		}
		return []memory.Vector{{0, 1, 0}}, "another", nil
	}
	op := memory.Op{WorkflowID: "undo/1", Step: "memories/", Action: memory.ActionUndo}
	page, err := l.UndoPage(t.Context(), op, memory.UndoScope{Change: found.Change, Limit: 10}, embed)
	if err != nil || page.Embedded != 1 || page.Was != page.Is {
		t.Fatalf("undone: %+v, %v", page, err)
	}
	if m := get(t, l, r.ID); m.Text != r.Text || m.Model != "another" {
		t.Errorf("the memory is %+v", m)
	}
}
