package activities

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// SelectInput asks for one page of the ids that a filter selects.
type SelectInput struct {
	Filter memory.Filter `json:"filter"`
	After  string        `json:"after,omitempty"`
	Limit  int           `json:"limit"`
}

// SelectMemories returns ids of live memories that a filter selects. An id that
// was merged away is refused, unless its survivor is named too: the text lives
// on there, so forgetting nothing would be wrong, and forgetting the survivor
// would take more than was asked for.
func (a *Activities) SelectMemories(ctx context.Context, in SelectInput) ([]string, error) {
	var err error
	if in.Filter, err = memory.Admit(a.Redactor, in.Filter); err != nil {
		return nil, err
	}
	if in.After == "" {
		if err := a.refuseMerged(ctx, in.Filter.IDs); err != nil {
			return nil, err
		}
	}
	return a.Ledger.Select(ctx, in.Filter, in.After, in.Limit)
}

// refuseMerged names the survivors of ids that were merged away.
func (a *Activities) refuseMerged(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	survivors, err := a.Ledger.Survivors(ctx, ids)
	if err != nil {
		return err
	}
	var where []string
	var others []string
	for _, id := range ids {
		end, merged := survivors[id]
		if merged && !slices.Contains(ids, end) {
			where, others = append(where, fmt.Sprintf("memory %s was merged into %s", id, end)), append(others, end)
		}
	}
	if len(where) == 0 {
		return nil
	}
	slices.Sort(others)
	return memory.Errorf(memory.Conflict,
		fmt.Sprintf("forget %s to forget all that was merged into it, or edit it", strings.Join(slices.Compact(others), ", ")),
		"%s; nothing was forgotten", strings.Join(where, ", "))
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
	links, err := a.Ledger.Forget(ctx, op(ctx, in.User, memory.ActionForget, in.Step), in.IDs, in.Purge)
	if err == nil {
		// Until the index has forgotten them too, this keeps them from answers.
		a.silent.over()
		a.silent.learn(nil, in.IDs)
	}
	return links, err
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
	a.known.forget()
	for _, index := range a.indexes(ctx) {
		for _, collection := range memory.Collections() {
			missing, err := index.Missing(ctx, collection, in.IDs)
			if err != nil {
				return false, err
			}
			if len(missing) != len(in.IDs) {
				return false, nil
			}
		}
	}
	return true, nil
}
