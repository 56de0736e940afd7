package mcpserver

import (
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// TestUndoShowsFirst checks that the first call only names the last change, and that the
// second call, given that name, undoes exactly this change.
func TestUndoShowsFirst(t *testing.T) {
	t.Parallel()
	var got []memory.UndoInput
	c := connect(t, newServer(t, &fake{undo: func(in memory.UndoInput) (memory.UndoReport, error) {
		got = append(got, in)
		return memory.UndoReport{
			WorkflowID: "undo/1", DryRun: in.DryRun, Restored: 1, Verified: !in.DryRun, LeftCount: 1,
			Change:   memory.Change{WorkflowID: "forget/1", Chain: "run-1", Action: memory.ActionForget, At: time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC), Memories: 2},
			Examples: []memory.Undo{{ID: idA, Project: "shop", From: memory.Forgotten, To: memory.Live, Becomes: "We use tabs."}},
			Left:     []memory.Left{{ID: idB, Project: "shop", Text: "We use spaces.", Reason: "it was changed since"}},
		}, nil
	}}))
	out := mustCall(t, c, "memory_undo", map[string]any{})
	if out["status"] != "shown" || out["of"] != "run-1" || out["undo"] != nil {
		t.Errorf("answered %v", out)
	}
	wantText(t, out["message"].(string), "nothing was changed yet")
	wantText(t, out["message"].(string), `of: "run-1"`)
	out = mustCall(t, c, "memory_undo", map[string]any{"of": "run-1"})
	if out["status"] != "done" || out["verified"] != true || out["undo"] != "undo/1" {
		t.Errorf("answered %v", out)
	}
	wantText(t, out["message"].(string), "1 memory left alone")
	one := newUndone(memory.UndoReport{DryRun: true, Only: idA, Change: memory.Change{Chain: "run-1"}, Restored: 1})
	if one.Of != idA {
		t.Errorf("shown of one memory, and to be called again for %q", one.Of)
	}
	if len(got) != 2 || !got[0].DryRun || got[1].DryRun || got[1].Of != "run-1" || got[1].User != "me" {
		t.Errorf("asked for %+v", got)
	}
}
