package console

import (
	"context"
	"net/http"

	"github.com/mneme-memory/mneme/memory"
)

// changesShown is how many changes the page of changes shows.
const changesShown = 100

type changesView struct{ Changes []memory.Change }

func (s *server) changes(ctx context.Context, _ *http.Request) (answer, error) {
	all, err := s.Client.Changes(ctx, changesShown)
	if err != nil {
		return answer{}, err
	}
	return answer{page: "changes", view: view{Title: "Changes", Here: "changes", Data: changesView{all}, Follow: everything}}, nil
}

// undoView shows what an undo would do.
type undoView struct {
	Of     string
	Report memory.UndoReport
}

// askUndo shows what would come back, and changes nothing.
func (s *server) askUndo(ctx context.Context, r *http.Request) (answer, error) {
	of := r.FormValue("of")
	report, err := s.Client.Undo(ctx, memory.UndoInput{Of: of, DryRun: true, User: s.User}, func(memory.UndoReport) {})
	if err != nil {
		return answer{}, err
	}
	if of == "" { // the last change of all, which the next form must name
		of = report.Change.WorkflowID
	}
	return answer{page: "undo", view: view{Title: "Undo", Here: "changes", Data: undoView{of, report}}}, nil
}

// undo takes a change back that the question before it named.
func (s *server) undo(ctx context.Context, r *http.Request) (answer, error) {
	of := r.FormValue("of")
	if of == "" {
		return answer{}, memory.Errorf(memory.Invalid, "choose a change on the page of changes",
			"nothing was named to undo")
	}
	report, err := s.Client.Undo(ctx, memory.UndoInput{Of: of, User: s.User}, func(memory.UndoReport) {})
	if err != nil {
		return answer{}, err
	}
	return answer{goTo: told("/changes", "undone", report.Restored+report.Same, report.WorkflowID)}, nil
}
