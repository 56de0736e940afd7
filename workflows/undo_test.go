package workflows_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// all returns every live memory with its vector, and checks that the index holds
// exactly that.
func (r *rig) all(t *testing.T) map[string]memory.Record {
	t.Helper()
	out := map[string]memory.Record{}
	for _, collection := range memory.Collections() {
		records, err := r.ledger.Records(t.Context(), memory.Page{Collection: collection})
		check(t, err)
		for _, rec := range records {
			out[rec.ID] = rec
		}
		differs, err := r.acts.Index.Compare(t.Context(), collection, records)
		check(t, err)
		points, err := r.acts.Index.IDs(t.Context(), collection, "", 1000)
		check(t, err)
		if len(differs.IDs()) > 0 || len(points) != len(records) {
			t.Errorf("%s: %d memories, %d points, these differ: %v", collection, len(records), len(points), differs.IDs())
		}
	}
	return out
}

func sameMemories(a, b map[string]memory.Record) bool {
	return maps.EqualFunc(a, b, func(x, y memory.Record) bool {
		x.AnnouncedAt, y.AnnouncedAt = nil, nil // pointers
		expires := x.ExpiresAt == nil && y.ExpiresAt == nil || x.ExpiresAt != nil && y.ExpiresAt != nil && x.ExpiresAt.Equal(*y.ExpiresAt)
		x.ExpiresAt, y.ExpiresAt = nil, nil
		same := slices.Equal(x.Vector, y.Vector) && slices.Equal(x.Tags, y.Tags)
		x.Vector, y.Vector, x.Tags, y.Tags = nil, nil, nil, nil
		return same && expires && x.ID == y.ID && x.Text == y.Text && x.Collection == y.Collection && x.Confidence == y.Confidence &&
			x.LastAccessed.Equal(y.LastAccessed) && x.CreatedAt.Equal(y.CreatedAt) && x.AccessCount == y.AccessCount && x.Pinned == y.Pinned
	})
}

// undo runs an undo past the client, so that a test can say how long its runs and pages are.
func (r *rig) undo(t *testing.T, id string, in memory.UndoInput, state workflows.UndoState) memory.UndoReport {
	t.Helper()
	run, err := r.temporal.ExecuteWorkflow(t.Context(), startOptions(id), workflows.UndoChange, in, state)
	check(t, err)
	var report memory.UndoReport
	check(t, run.Get(t.Context(), &report))
	return report
}

// undoOrganized takes back an organize run that did everything: expired, promoted, merged, faded and pruned.
func undoOrganized(state workflows.UndoState) func(t *testing.T) recorded {
	return func(t *testing.T) recorded {
		r := newRig(t)
		r.untidy(t)
		before := r.all(t)
		_, id := r.organize(t, memory.OrganizeInput{}, workflows.OrganizeState{})
		after := r.all(t)
		if sameMemories(before, after) {
			t.Fatal("organize changed nothing")
		}
		report := r.undo(t, "undo/test", memory.UndoInput{Of: id, User: "me"}, state)
		if !report.Verified || report.Restored == 0 || report.LeftCount != 0 || report.Was != report.Is || report.Was == "" {
			t.Errorf("undone: %+v", report)
		}
		if now := r.all(t); !sameMemories(before, now) {
			t.Errorf("not what it was:\n%+v\n%+v", before, now)
		}
		again := r.undo(t, "undo/again", memory.UndoInput{Of: "undo/test"}, state)
		if now := r.all(t); !again.Verified || !sameMemories(after, now) {
			t.Errorf("the undo of the undo, %+v, is not what it was:\n%+v\n%+v", again, after, now)
		}
		return recorded{r, "undo/test"}
	}
}

func restored(t *testing.T) recorded {
	r := realRig(t)
	id := r.store(t, "The API listens on port 8443.")
	_, err := r.Forget(t.Context(), memory.ForgetInput{Filter: memory.Filter{IDs: []string{id}}})
	check(t, err)
	before := r.workflowIDs(t)
	m, err := r.Restore(t.Context(), id, "me")
	check(t, err)
	if m.Text != "The API listens on port 8443." || m.State != memory.Live {
		t.Errorf("restored %+v", m)
	}
	if all := r.all(t); len(all) != 1 {
		t.Errorf("there are %d memories", len(all))
	}
	for found := range r.workflowIDs(t) {
		if before[found] == "" && found[:8] == "restore/" {
			eventually(t, "the restore has ended", func() bool { return r.workflowIDs(t)[found] == "Completed" })
			return recorded{r, found[:len(found)-len(suffix(found))]}
		}
	}
	t.Fatal("no workflow restored it")
	return recorded{}
}

func TestUndoOfAnOrganizeRun(t *testing.T) {
	t.Parallel()
	undoOrganized(workflows.UndoState{})(t)
}

// TestUndoGoesOnInNewRuns takes the same back in pages of two, one in each run.
func TestUndoGoesOnInNewRuns(t *testing.T) {
	t.Parallel()
	id := undoOrganized(workflows.UndoState{PerRun: 1, Page: 2})(t)
	if n := id.rig.runs(t, id.workflow); n < 4 {
		t.Errorf("%d runs, want one a page", n)
	}
}

func TestRestoreBringsOneBack(t *testing.T) {
	t.Parallel()
	restored(t)
}

// TestUndoThroughTheClient shows the last change, takes it back, and finds the one before it next.
func TestUndoThroughTheClient(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	id := r.store(t, "The API listens on port 8443.")
	_, err := r.Update(t.Context(), memory.UpdateInput{ID: id, Text: ptr("The API listens on port 9443.")})
	check(t, err)
	shown, err := r.Undo(t.Context(), memory.UndoInput{DryRun: true}, nil)
	check(t, err)
	if shown.Change.Action != memory.ActionUpdate || shown.Restored != 1 || len(shown.Examples) != 1 || shown.Verified ||
		shown.Examples[0].Was != "The API listens on port 9443." || shown.Examples[0].Becomes != "The API listens on port 8443." {
		t.Errorf("shown: %+v", shown)
	}
	done, err := r.Undo(t.Context(), memory.UndoInput{Of: shown.Change.Chain}, nil)
	check(t, err)
	if !done.Verified || done.Restored != 1 {
		t.Errorf("undone: %+v", done)
	}
	next, err := r.Undo(t.Context(), memory.UndoInput{}, nil)
	check(t, err)
	if next.Change.Action != memory.ActionStore || next.Restored != 1 || len(r.all(t)) != 0 {
		t.Errorf("undone next: %+v", next)
	}
	if _, err := r.Undo(t.Context(), memory.UndoInput{}, nil); memory.CodeOf(err) != memory.NotFound {
		t.Errorf("nothing is left to undo: %v", err)
	}
	changes, err := r.Changes(t.Context(), 10)
	check(t, err)
	if len(changes) != 4 || changes[0].Undoes == "" || changes[3].UndoneBy != next.WorkflowID {
		t.Errorf("changes: %+v", changes)
	}
}

// TestRecallAsOf asks what was remembered before an edit, and is told that this is the past.
func TestRecallAsOf(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	id := r.store(t, "The API listens on port 8443.")
	then := time.Now()
	_, err := r.Update(t.Context(), memory.UpdateInput{ID: id, Text: ptr("The API listens on port 9443.")})
	check(t, err)
	found, err := r.Recall(t.Context(), memory.Query{Text: "which port does the API use", Project: "p", AsOf: &then})
	check(t, err)
	if len(found.Hits) != 1 || found.Hits[0].Text != "The API listens on port 8443." || found.AsOf == nil || !found.AsOf.Equal(then) {
		t.Errorf("found %+v", found)
	}
	if rows := r.audit(t, id, memory.ActionRecall); len(rows) != 0 {
		t.Errorf("a recall of the past was counted: %+v", rows)
	}
}
