package workflows_test

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestKeyedChangesAreMadeOnce asks for each kind of change twice with one key, as a program does that
// heard no answer: the second answer is the first one, and the change is made once. The same key for
// something else is refused.
func TestKeyedChangesAreMadeOnce(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	c := r.For("me")
	a, b := r.store(t, "Invoices are numbered by the year."), r.store(t, "Backups of the ledger run at four.")

	link := memory.Link{SourceID: a, TargetID: b, Type: memory.LinkBuildsOn}
	pinned := true
	edit := memory.UpdateInput{ID: a, Pinned: &pinned}
	forget := memory.ForgetInput{Filter: memory.Filter{IDs: []string{b}}}
	var links, edits, forgets, undos []string
	for range 2 {
		l, err := c.Keyed("k").Link(t.Context(), link)
		check(t, err)
		m, err := c.Keyed("k").Update(t.Context(), edit)
		check(t, err)
		links, edits = append(links, l.ID), append(edits, m.ID)
	}
	for range 2 { // after a second forget there would be nothing to forget, and an error
		f, err := c.Keyed("k").Forget(t.Context(), forget)
		check(t, err)
		if f.Count != 1 {
			t.Errorf("forgot %d", f.Count)
		}
		forgets = append(forgets, f.WorkflowID)
	}
	for range 2 {
		u, err := c.Keyed("k").Undo(t.Context(), memory.UndoInput{Of: forgets[0]}, nil)
		check(t, err)
		if u.Restored != 1 {
			t.Errorf("restored %d", u.Restored)
		}
		undos = append(undos, u.WorkflowID)
	}
	for what, ids := range map[string][]string{"link": links, "update": edits, "forget": forgets, "undo": undos} {
		if ids[0] != ids[1] || ids[0] == "" {
			t.Errorf("%s: answers of %v", what, ids)
		}
	}
	h, err := r.ledger.History(t.Context(), a)
	check(t, err)
	seen := map[string]int{}
	for _, row := range h.Audit {
		seen[row.Action]++
	}
	if seen[memory.ActionLink] != 1 || seen[memory.ActionUpdate] != 1 {
		t.Errorf("the audit has %v", seen)
	}

	edit.ID = b
	if _, err := c.Keyed("k").Update(t.Context(), edit); memory.CodeOf(err) != memory.Conflict {
		t.Errorf("the key of another edit: %v", err)
	}
	if _, err := c.Keyed("k").Undo(t.Context(), memory.UndoInput{Of: undos[0]}, nil); memory.CodeOf(err) != memory.Conflict {
		t.Errorf("the key of another undo: %v", err)
	}
	if _, err := c.Keyed("k2").Update(t.Context(), edit); err != nil {
		t.Errorf("another key: %v", err)
	}
	runs, err := c.Runs(t.Context(), 10)
	check(t, err)
	state, err := c.Run(t.Context(), undos[0])
	check(t, err)
	if len(runs) > 0 && runs[0].ID != undos[0] || state.Kind != memory.ActionUndo || state.Status != "completed" {
		t.Errorf("runs %+v, the undo %+v", runs, state)
	}
	if _, err := c.Run(t.Context(), "update/nothing"); memory.CodeOf(err) != memory.NotFound {
		t.Errorf("an unknown run: %v", err)
	}
}
