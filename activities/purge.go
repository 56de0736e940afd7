package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// NotePurgeInput names the memories of one page of a purge.
type NotePurgeInput struct {
	IDs  []string `json:"ids"`
	Page int      `json:"page"`
	User string   `json:"user,omitempty"`
}

// purges returns what keeps the receipts.
func (a *Activities) purges() (Purges, error) {
	if a.Purges == nil {
		return nil, memory.Errorf(memory.Invalid, `run it where "mneme up" or mneme-worker runs`, "this worker has no home to look for texts in")
	}
	return a.Purges, nil
}

// NotePurge writes into the receipt how the texts of memories can be found, and returns its path. It
// comes before they are taken away.
func (a *Activities) NotePurge(ctx context.Context, in NotePurgeInput) (string, error) {
	p, err := a.purges()
	if err != nil {
		return "", err
	}
	texts, err := a.Ledger.PurgeTexts(ctx, in.IDs)
	if err != nil {
		return "", err
	}
	return p.Note(activity.GetInfo(ctx).WorkflowExecution.ID, in.User, in.Page, in.IDs, texts)
}

// stepKey names the step that runs, the same for each of its tries.
func stepKey(ctx context.Context) string {
	info := activity.GetInfo(ctx)
	return info.WorkflowExecution.RunID + "/" + info.ActivityID
}

// CleanLedger takes the texts of a receipt from the archive of conversations, in ledger and index, from
// the pinned questions and from the audit.
func (a *Activities) CleanLedger(ctx context.Context, path string) error {
	defer alive(ctx)()
	p, err := a.purges()
	if err != nil {
		return err
	}
	if err := p.Mark(ctx, path, a.Ledger.EachText); err != nil {
		return err
	}
	if err := p.CleanLedger(ctx, path, stepKey(ctx), a.sweeps(), func() { activity.RecordHeartbeat(ctx) }); err != nil {
		return err
	}
	if err := a.dropForgotten(ctx); err != nil {
		return err
	}
	return a.reindexArchive(ctx)
}

// CleanHome takes the texts of a receipt from the files of the home.
func (a *Activities) CleanHome(ctx context.Context, path string) error {
	p, err := a.purges()
	if err != nil {
		return err
	}
	if err := p.Mark(ctx, path, a.Ledger.EachText); err != nil {
		return err
	}
	return p.Clean(ctx, path, stepKey(ctx))
}

// HistoriesGone counts the histories that a purge deleted from Temporal, and names those
// that it had to leave.
type HistoriesGone struct {
	Deleted int      `json:"deleted"`
	Open    []string `json:"open,omitempty"` // workflows that hold some of the texts and still run
}

// DeleteHistories deletes the histories that hold texts of a receipt.
func (a *Activities) DeleteHistories(ctx context.Context, path string) (HistoriesGone, error) {
	var out HistoriesGone
	p, err := a.purges()
	if err != nil {
		return out, err
	}
	out.Deleted, out.Open, err = p.Forget(ctx, path, stepKey(ctx), func() { activity.RecordHeartbeat(ctx) })
	return out, err
}

// CompactStores has ledger and index write their files anew.
func (a *Activities) CompactStores(ctx context.Context, path string) error {
	p, err := a.purges()
	if err != nil {
		return err
	}
	return p.Compact(ctx, path, a.Ledger.Rewrite)
}

// SearchInput names a receipt.
type SearchInput struct {
	Receipt string `json:"receipt"`
	Finish  bool   `json:"finish,omitempty"` // write into the receipt what was found
}

// SearchTexts looks for the texts of a receipt everywhere.
func (a *Activities) SearchTexts(ctx context.Context, in SearchInput) (memory.PurgeReport, error) {
	p, err := a.purges()
	if err != nil {
		return memory.PurgeReport{}, err
	}
	backups, err := a.Ledger.Backups(ctx)
	if err != nil {
		return memory.PurgeReport{}, err
	}
	return p.Search(ctx, in.Receipt, in.Finish, backups, a.Ledger.EachText, func() { activity.RecordHeartbeat(ctx) })
}
