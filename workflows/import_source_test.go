package workflows_test

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestImportAgainAndUndo imports notes, imports them again after they have changed, and takes the
// second import back: a single undo reverts every memory that the second import edited, added or
// forgot.
func TestImportAgainAndUndo(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	note := func(place, text string) memory.StoreInput {
		return memory.StoreInput{Text: text, Project: "p", SourceRef: "file:a.md#" + place, Source: memory.SourceImport}
	}
	scope := memory.ImportScope{Prefixes: []string{"file:a.md#"}, Sync: true}
	bring := func(id string, gone []string, items ...memory.StoreInput) memory.ImportProgress {
		t.Helper()
		_, err := r.ImportStart(t.Context(), id)
		check(t, err)
		_, err = r.ImportBatch(t.Context(), id, memory.ImportBatch{Items: items, Gone: gone})
		check(t, err)
		done, err := r.ImportFinish(t.Context(), id)
		check(t, err)
		return done
	}
	kept := note("Mail me", "Ask ada.okafor@example.org about the kiln.") // its place holds an address too
	kept.SourceRef = "file:a.md#Mail ada.okafor@example.org"
	bring("first", nil, note("Port", "The API listens on port 8443."), note("Old", "The fax is in the cellar."), kept)
	items := []memory.StoreInput{note("Port", "The API listens on port 9443."), note("New", "The lift is slow."), kept}
	plan, err := r.ImportPlan(t.Context(), items, scope)
	check(t, err)
	if plan.Count(memory.ImportChanged) != 1 || plan.Count(memory.ImportNew) != 1 || plan.Count(memory.ImportSame) != 1 || len(plan.Gone) != 1 {
		t.Fatalf("planned %+v", plan)
	}
	done := bring("second", []string{plan.Gone[0].ID}, items[:2]...)
	if done.Updated != 1 || done.Stored != 1 || done.Forgotten != 1 {
		t.Errorf("done %+v", done)
	}
	again, err := r.ImportPlan(t.Context(), items, scope)
	check(t, err)
	if again.Count(memory.ImportSame) != len(items) || len(again.Gone) > 0 {
		t.Errorf("planned again: %+v", again)
	}
	report, err := r.Undo(t.Context(), memory.UndoInput{Of: done.Change}, nil)
	check(t, err)
	if report.Restored != 3 || !report.Verified {
		t.Errorf("undone %+v", report)
	}
	found, err := r.List(t.Context(), memory.Page{Project: "p", FromRef: "file:a.md#", Limit: 10})
	check(t, err)
	texts := map[string]bool{}
	for _, m := range found {
		texts[m.Text] = true
	}
	if len(found) != 3 || !texts["The API listens on port 8443."] || !texts["The fax is in the cellar."] {
		t.Errorf("after the undo: %v", texts)
	}
}
