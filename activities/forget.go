package activities

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// SelectInput asks for one page of the ids that a filter selects.
type SelectInput struct {
	Filter memory.Filter `json:"filter"`
	After  string        `json:"after,omitempty"`
	Limit  int           `json:"limit"`
}

// SelectMemories returns ids of live memories that a filter selects.
func (a *Activities) SelectMemories(ctx context.Context, in SelectInput) ([]string, error) {
	return a.Ledger.Select(ctx, in.Filter, in.After, in.Limit)
}

// ForgetInput names memories to forget in one step.
type ForgetInput struct {
	IDs   []string `json:"ids"`
	Purge bool     `json:"purge"`
	User  string   `json:"user,omitempty"`
	Step  string   `json:"step"`
}

// ForgetMemories takes memories and their links from the ledger and returns
// how many links went.
func (a *Activities) ForgetMemories(ctx context.Context, in ForgetInput) (int, error) {
	return a.Ledger.Forget(ctx, op(ctx, in.User, memory.ActionForget, in.Step), in.IDs, in.Purge)
}

// VerifyForgotten looks for memories in ledger and index and reports whether
// all are gone.
func (a *Activities) VerifyForgotten(ctx context.Context, in SyncInput) (bool, error) {
	found, err := a.Ledger.Get(ctx, in.IDs)
	if err != nil {
		return false, err
	}
	for _, m := range found {
		if m.State == memory.Live || m.Text != "" {
			return false, nil
		}
	}
	for _, collection := range memory.Collections() {
		missing, err := a.Index.Missing(ctx, collection, in.IDs)
		if err != nil {
			return false, err
		}
		if len(missing) != len(in.IDs) {
			return false, nil
		}
	}
	return true, nil
}
