package activities

import (
	"context"
	"fmt"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// forgetParts is how many parts are blanked in one transaction.
const forgetParts = 1000

// ForgetConversations blanks what a filter selects, takes it out of the index and looks whether it is
// gone. A worker that goes on for a killed one finds in the ledger what is left to be done.
func (a *Activities) ForgetConversations(ctx context.Context, in conversation.ForgetInput) (bool, error) {
	filter, err := a.cleanFilter(ctx, in.Filter)
	if err != nil {
		return false, err
	}
	for {
		n, err := a.Ledger.ArchiveForget(ctx, filter, forgetParts)
		if err != nil {
			return false, err
		}
		if n == 0 {
			break
		}
	}
	if err := a.dropForgotten(ctx); err != nil {
		return false, err
	}
	left, err := a.Ledger.ArchiveCount(ctx, filter)
	if err != nil {
		return false, err
	}
	details := map[string]any{"verified": left.Messages == 0}
	if err := a.Ledger.Note(ctx, op(ctx, in.User, memory.ActionForget, "conversations"), filter.Project, "", details); err != nil {
		return false, err
	}
	return left.Messages == 0, nil
}

// dropForgotten deletes the points of all that is forgotten, and fails unless they are gone.
func (a *Activities) dropForgotten(ctx context.Context) error {
	a.known.forget()
	for {
		kept, err := a.Ledger.ArchiveLeaving(ctx, archivePage)
		if err != nil || len(kept) == 0 {
			return err
		}
		var ids []string
		for _, k := range kept {
			for n := range k.Points {
				ids = append(ids, conversation.PassageID(k.ID, k.Part, n))
			}
		}
		for _, index := range a.indexes(ctx) {
			if err := dropPassages(ctx, index, ids); err != nil {
				return err
			}
		}
		if err := a.Ledger.ArchiveLeft(ctx, kept); err != nil {
			return err
		}
	}
}

// dropPassages deletes points from a generation of the index, and fails unless they are gone.
func dropPassages(ctx context.Context, index Index, ids []string) error {
	if err := index.DeletePassages(ctx, ids); err != nil {
		return err
	}
	missing, err := index.MissingPassages(ctx, ids)
	if err != nil {
		return err
	}
	if n := len(ids) - len(missing); n > 0 {
		return memory.Down("Qdrant", `run "mneme doctor" to see every part`, fmt.Errorf("it still holds %d points that were deleted", n))
	}
	return nil
}
