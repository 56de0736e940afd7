package activities

import (
	"context"
	"errors"
	"fmt"

	"github.com/mneme-memory/mneme/memory"
)

// FindChange returns the change that is to be undone.
func (a *Activities) FindChange(ctx context.Context, of string) (memory.FoundChange, error) {
	return a.Ledger.FindChange(ctx, of)
}

// UndoPageInput is one page of an undo.
type UndoPageInput struct {
	Scope memory.UndoScope `json:"scope"`
	User  string           `json:"user,omitempty"`
	Step  string           `json:"step"`
}

// UndoPageOutput is what a page of an undo came to, with the first of its texts.
type UndoPageOutput struct {
	Restored int               `json:"restored"`
	Page     memory.UndonePage `json:"page"` // without its ids
	Left     []memory.Left     `json:"left,omitempty"`
	Examples []memory.Undo     `json:"examples,omitempty"`
	Verified bool              `json:"verified"`
}

// UndoPage takes back what a change did to some memories: in the ledger, which
// compares each with its pre-image, then in the index, which is compared with the ledger.
func (a *Activities) UndoPage(ctx context.Context, in UndoPageInput) (UndoPageOutput, error) {
	page, err := a.Ledger.UndoPage(ctx, chained(ctx, in.User, memory.ActionUndo, in.Step), in.Scope, a.embedForLedger)
	if err != nil {
		return UndoPageOutput{}, err
	}
	out := UndoPageOutput{Restored: len(page.IDs), Page: page}
	if out.Examples, err = a.turns(ctx, page.Turns); err != nil {
		return out, err
	}
	if out.Left, err = a.left(ctx, page.Left); err != nil {
		return out, err
	}
	ids := page.IDs
	out.Page.IDs, out.Page.Turns = nil, nil
	out.Page.Left = out.Page.Left[:min(len(out.Page.Left), memory.ReportMost)]
	if in.Scope.DryRun {
		return out, nil
	}
	if err := a.SyncIndex(ctx, SyncInput{IDs: ids}); err != nil {
		return out, err
	}
	inStep, err := a.inStep(ctx, ids)
	out.Verified = inStep && len(page.Differ) == 0 && page.Was == page.Is
	return out, err
}

// embedForLedger embeds texts that come back, and makes sure that the ledger
// takes vectors of this model.
func (a *Activities) embedForLedger(ctx context.Context, texts []string) ([]memory.Vector, string, error) {
	ctx = a.pin(ctx)
	var out []memory.Vector
	for from := 0; from < len(texts); from += embedBatch {
		vectors, err := a.embed(ctx, memory.ForDocument, texts[from:min(from+embedBatch, len(texts))])
		if err != nil {
			return nil, "", err
		}
		if err := a.prepare(ctx, len(vectors[0])); err != nil {
			return nil, "", err
		}
		out = append(out, vectors...)
	}
	return out, a.model(ctx), nil
}

func (a *Activities) turns(ctx context.Context, turns []memory.Turn) ([]memory.Undo, error) {
	if len(turns) == 0 {
		return nil, nil
	}
	out, err := a.Ledger.TurnTexts(ctx, turns)
	for i := range out {
		out[i].Was, out[i].Becomes = excerpt(out[i].Was), excerpt(out[i].Becomes)
	}
	return out, err
}

// left adds the texts to the first memories that were left alone.
func (a *Activities) left(ctx context.Context, left []memory.LeftAlone) ([]memory.Left, error) {
	left = left[:min(len(left), memory.ReportMost)]
	if len(left) == 0 {
		return nil, nil
	}
	ids, reasons := make([]string, len(left)), map[string]string{}
	for i, l := range left {
		ids[i], reasons[l.ID] = l.ID, l.Reason
	}
	found, err := a.Ledger.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]memory.Left, len(found))
	for i, m := range found {
		out[i] = memory.Left{ID: m.ID, Project: m.Project, Text: excerpt(m.Text), Reason: reasons[m.ID]}
	}
	return out, nil
}

// inStep reports whether the index holds the live ones of ids as the ledger does,
// and none of the others.
func (a *Activities) inStep(ctx context.Context, ids []string) (bool, error) {
	if len(ids) == 0 {
		return true, nil
	}
	same := true
	err := a.Ledger.Settled(ctx, ids, func(ctx context.Context, records []memory.Record) error {
		byCollection := map[string][]memory.Record{}
		for _, r := range records {
			byCollection[r.Collection] = append(byCollection[r.Collection], r)
		}
		for collection, records := range byCollection {
			differs, err := a.index(ctx).Compare(ctx, collection, records)
			if err != nil {
				return fmt.Errorf("compare the index: %w", err)
			}
			same = same && len(differs.IDs()) == 0
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	gone, err := a.Ledger.Gone(ctx, ids)
	if err != nil || len(gone) == 0 {
		return same, err
	}
	for _, collection := range memory.Collections() {
		missing, err := a.index(ctx).Missing(ctx, collection, gone)
		if err != nil && !errors.Is(err, memory.ErrNoCollection) {
			return false, err
		}
		same = same && (err != nil || len(missing) == len(gone))
	}
	return same, nil
}

// UndoLinks takes back what a change did to some links.
func (a *Activities) UndoLinks(ctx context.Context, in UndoPageInput) (memory.UndoneLinks, error) {
	return a.Ledger.UndoLinks(ctx, chained(ctx, in.User, memory.ActionUndo, in.Step), in.Scope)
}

// RestoreInput names one memory to bring back.
type RestoreInput struct {
	ID   string `json:"id"`
	User string `json:"user,omitempty"`
}

// RestoreMemory makes one memory live again in the ledger and the index, and returns it.
func (a *Activities) RestoreMemory(ctx context.Context, in RestoreInput) (memory.Memory, error) {
	id, err := a.Ledger.Restore(ctx, op(ctx, in.User, memory.ActionRestore, "restore"), in.ID, a.embedForLedger)
	if err != nil {
		return memory.Memory{}, err
	}
	if err := a.SyncIndex(ctx, SyncInput{IDs: []string{id}}); err != nil {
		return memory.Memory{}, err
	}
	found, err := a.Ledger.Get(ctx, []string{id})
	if err != nil || len(found) == 0 {
		return memory.Memory{}, err
	}
	return found[0].Memory, nil
}
