package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

func ptr[T any](v T) *T { return &v }

func update(t *testing.T, l *postgres.Ledger, name string, in memory.UpdateInput, v ...float32) (memory.Memory, error) {
	t.Helper()
	return l.Update(t.Context(), step(memory.ActionUpdate, name), in, v, model)
}

func TestUpdateIsVersionedAuditedAndOnce(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "The API listens on port 8080.")
	store(t, l, r)
	sync(t, l)
	in := memory.UpdateInput{
		ID: r.ID, Text: ptr("The API listens on port 8443."), Tags: ptr([]string{"api"}),
		Type: ptr(memory.TypeDecision), Importance: ptr(0.9), Pinned: ptr(true), Source: memory.SourceCLI,
	}
	for range 3 { // a worker that died after the commit, and one that comes late
		m, err := update(t, l, "u", in, 0, 1, 0, 0)
		if err != nil || m.ID != r.ID || m.Text != *in.Text || m.Type != memory.TypeDecision || !m.Pinned || m.Importance != .9 ||
			!slices.Equal(m.Tags, []string{"api"}) || m.ContentHash != memory.ContentHash(*in.Text) || m.Confidence != 0.5 {
			t.Fatalf("updated to %+v, %v", m, err)
		}
	}
	h := history(t, l, r.ID)
	if len(h.Versions) != 2 || h.Versions[1].Action != memory.ActionUpdate || h.Versions[1].Before.Text != r.Text {
		t.Errorf("versions %+v", h.Versions)
	}
	if len(h.Audit) != 2 || h.Audit[1].Action != memory.ActionUpdate || strings.Contains(fmt.Sprint(h.Audit), "8443") {
		t.Errorf("audit %+v", h.Audit)
	}
	told := sync(t, l)
	if len(told) != 1 || told[0].Text != *in.Text || told[0].Vector[1] != 1 {
		t.Errorf("the index was told %+v", told)
	}
}

func TestUpdateThatChangesNothingWritesNoVersion(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "As it is.")
	store(t, l, r)
	sync(t, l)
	if _, err := update(t, l, "u", memory.UpdateInput{ID: r.ID, Text: ptr(r.Text), Pinned: ptr(false)}, 0, 0, 1, 0); err != nil {
		t.Fatal(err)
	}
	if h := history(t, l, r.ID); len(h.Versions) != 1 || len(h.Audit) != 2 {
		t.Errorf("%d versions and %d audit rows, want 1 and 2", len(h.Versions), len(h.Audit))
	}
	if told := sync(t, l); len(told) != 0 {
		t.Errorf("the index was told %+v", told)
	}
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	a, b := rec(memory.Memories, "One."), rec(memory.Memories, "Two.", 0, 1, 0, 0)
	merged, survivor := rec(memory.Memories, "Go has no classes."), rec(memory.Memories, "Go has no classes", 1, 0, 0, 0)
	elsewhere := rec(memory.Learnings, "Two.", 0, 1, 0, 0)
	for _, r := range []memory.Record{a, b, survivor} {
		store(t, l, r)
	}
	bring(t, l, elsewhere)
	store(t, l, merged) // says the same as survivor, and is merged into it
	if d := get(t, l, merged.ID); d.State != memory.Merged {
		t.Fatalf("not merged: %+v", d)
	}
	for name, c := range map[string]struct {
		in    memory.UpdateInput
		code  memory.Code
		names string
	}{
		"another's text": {memory.UpdateInput{ID: a.ID, Text: ptr("Two.")}, memory.Conflict, b.ID},
		"merged away":    {memory.UpdateInput{ID: merged.ID, Pinned: ptr(true)}, memory.Conflict, survivor.ID},
		"unknown":        {memory.UpdateInput{ID: memory.NewID("", "", "x"), Pinned: ptr(true)}, memory.NotFound, ""},
	} {
		_, err := update(t, l, name, c.in, 0, 0, 0, 1)
		if memory.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %v, want %s and %q", name, err, c.code, c.names)
		}
	}
	if d := get(t, l, a.ID); d.Text != "One." {
		t.Errorf("changed all the same: %+v", d)
	}
	// The same text in another collection is another memory.
	if _, err := update(t, l, "free", memory.UpdateInput{ID: elsewhere.ID, Text: ptr("One.")}, 1, 0, 0, 0); err != nil {
		t.Errorf("a text of another place: %v", err)
	}
}

// TestStoreAfterEdit stores a text whose own id belongs to a memory that was
// edited: it must become a memory of its own, not be swallowed by the edited one.
func TestStoreAfterEdit(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "The API listens on port 8080.")
	store(t, l, r)
	if _, err := update(t, l, "u", memory.UpdateInput{ID: r.ID, Text: ptr("The API listens on port 8443.")}, 0, 1, 0, 0); err != nil {
		t.Fatal(err)
	}
	again := func(name string) memory.StoreResult {
		res, err := l.Store(t.Context(), step(memory.ActionStore, name), r, nil, nothingNear)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	first := again("again")
	if first.Status != memory.Stored || first.ID == r.ID || get(t, l, first.ID).Text != r.Text {
		t.Errorf("stored as %+v", first)
	}
	if retried := again("again"); retried.ID != first.ID || retried.Status != memory.Stored {
		t.Errorf("the retry says %+v", retried)
	}
	if second := again("once more"); second.Status != memory.MergedIn || second.ID != first.ID {
		t.Errorf("stored twice: %+v", second)
	}
	if d := get(t, l, r.ID); d.Text != "The API listens on port 8443." || d.Confidence != .5 {
		t.Errorf("the edited one became %+v", d)
	}
	// An import of the old text finds the new memory, and one of a text edited
	// away twice finds room too.
	done, err := l.Import(t.Context(), step(memory.ActionImport, "b"), []memory.Record{r}, nil)
	stored, existing := done.Stored, done.Existing
	if err != nil || len(stored) != 0 || !slices.Equal(existing, []string{first.ID}) {
		t.Errorf("import: %v new, %v there, %v", stored, existing, err)
	}
	if _, err := update(t, l, "u2", memory.UpdateInput{ID: first.ID, Text: ptr("The API listens on port 9000.")}, 0, 0, 1, 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		done, err = l.Import(t.Context(), step(memory.ActionImport, "b2"), []memory.Record{r}, nil)
		stored = done.Stored
		if err != nil || len(stored) != 1 || stored[0] == r.ID || stored[0] == first.ID || get(t, l, stored[0]).Text != r.Text {
			t.Errorf("import after two edits: %v, %v", stored, err)
		}
	}
}

// TestStoreAfterSurvivorWasEdited brings a merged memory back when its
// survivor no longer says what was merged into it.
func TestStoreAfterSurvivorWasEdited(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	survivor, merged := rec(memory.Memories, "Go has no classes"), rec(memory.Memories, "Go has no classes.")
	store(t, l, survivor)
	store(t, l, merged)
	if _, err := update(t, l, "u", memory.UpdateInput{ID: survivor.ID, Text: ptr("Go has no exceptions")}, 0, 1, 0, 0); err != nil {
		t.Fatal(err)
	}
	res, err := l.Store(t.Context(), step(memory.ActionStore, "again"), merged, nil, nothingNear)
	if err != nil || res.Status != memory.Stored || res.ID != merged.ID || get(t, l, merged.ID).State != memory.Live {
		t.Errorf("stored as %+v, %v", res, err)
	}
}
