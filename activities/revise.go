package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// ConfirmDuplicate looks for the memory that holds the same fact, by the rule
// by which a store would find it, and gives it its step of confidence.
func (a *Activities) ConfirmDuplicate(ctx context.Context, in SaveInput) (memory.DuplicateResult, error) {
	ctx = a.pin(ctx)
	in, rec, err := a.admit(ctx, in)
	if err != nil {
		return memory.DuplicateResult{}, err
	}
	step := op(ctx, in.Store.User, memory.ActionDuplicate, "confirm")
	step.Notes = a.notes(in)
	return a.Ledger.Confirm(ctx, step, rec, a.near(rec))
}

// CreditMemories raises or lowers the confidence of memories that were tried.
func (a *Activities) CreditMemories(ctx context.Context, in memory.CreditInput) (memory.CreditResult, error) {
	in, err := memory.Admit(a.Redactor, in)
	if err != nil {
		return memory.CreditResult{}, err
	}
	ids, err := a.Ledger.Credit(ctx, op(ctx, in.User, memory.ActionCredit, "credit"), in)
	return memory.CreditResult{IDs: ids}, err
}

// ReviseInput is an edit, with the vector of its text if it has one.
type ReviseInput struct {
	Update    memory.UpdateInput `json:"update"`
	Embedding Embedding          `json:"embedding"`
}

// ReviseMemory edits one memory in the ledger.
func (a *Activities) ReviseMemory(ctx context.Context, in ReviseInput) (memory.Memory, error) {
	ctx = a.pin(ctx)
	update, err := memory.Admit(a.Redactor, in.Update)
	if err != nil {
		return memory.Memory{}, err
	}
	if update.Text != nil {
		if in.Embedding, err = a.current(ctx, in.Embedding, *update.Text); err != nil {
			return memory.Memory{}, err
		}
		if err := a.prepare(ctx, len(in.Embedding.Vector)); err != nil {
			return memory.Memory{}, err
		}
	}
	step := op(ctx, update.User, memory.ActionUpdate, "update")
	return a.Ledger.Update(ctx, step, update, in.Embedding.Vector, in.Embedding.Model)
}

// FoldInput names memories to make one of.
type FoldInput struct {
	IDs  []string `json:"ids"`
	User string   `json:"user,omitempty"`
}

// FoldMemories makes one memory of those named, or refuses.
func (a *Activities) FoldMemories(ctx context.Context, in FoldInput) (memory.MergedGroup, error) {
	if err := memory.CheckMerge(in.IDs); err != nil {
		return memory.MergedGroup{}, err
	}
	return a.Ledger.Fold(ctx, op(ctx, in.User, memory.ActionMerge, "merge"), in.IDs)
}

// Recorded counts the events that a call of RecordEvents wrote; those that
// were written before are not among them.
type Recorded struct {
	Written int `json:"written"`
}

// RecordEvents writes audit rows that change no memory.
func (a *Activities) RecordEvents(ctx context.Context, events []memory.Event) (Recorded, error) {
	events, err := memory.AdmitEvents(a.Redactor, events)
	if err != nil {
		return Recorded{}, err
	}
	n, err := a.Ledger.Record(ctx, activity.GetInfo(ctx).WorkflowExecution.ID, events)
	return Recorded{Written: n}, err
}
