package activities

import (
	"context"
	"fmt"

	"github.com/mneme-memory/mneme/memory"
)

// embedBatch is how many texts one embedding call gets; a heartbeat follows.
const embedBatch = 64

// ImportOutcome counts what a batch did.
type ImportOutcome struct {
	Stored   int `json:"stored"`
	Existing int `json:"existing"`
}

// ImportBatch embeds and stores the memories of one batch.
func (a *Activities) ImportBatch(ctx context.Context, in memory.ImportBatch) (ImportOutcome, error) {
	records := make([]memory.Record, len(in.Items))
	texts := make([]string, len(in.Items))
	user := ""
	for i, item := range in.Items {
		item, _ = a.redact(item)
		item, err := item.Clean()
		if err != nil {
			return ImportOutcome{}, fmt.Errorf("item %d of batch %d: %w", i, in.Number, err)
		}
		item.Source, user = memory.SourceImport, item.User
		records[i].Memory, texts[i] = item.Memory(a.Now(), a.Embedder.Model()), item.Text
	}
	if err := a.embedAll(ctx, records, texts); err != nil {
		return ImportOutcome{}, err
	}
	step := fmt.Sprintf("batch/%d", in.Number)
	stored, existing, err := a.Ledger.Import(ctx, op(ctx, user, memory.ActionImport, step), records)
	if err != nil {
		return ImportOutcome{}, err
	}
	if err := a.SyncIndex(ctx, SyncInput{IDs: stored}); err != nil {
		return ImportOutcome{}, err
	}
	return ImportOutcome{Stored: len(stored), Existing: len(existing)}, nil
}

// embedAll fills in the vectors and prepares ledger and index for them.
func (a *Activities) embedAll(ctx context.Context, records []memory.Record, texts []string) error {
	for from := 0; from < len(texts); from += embedBatch {
		to := min(from+embedBatch, len(texts))
		vectors, err := a.embed(ctx, ForDocument, texts[from:to])
		if err != nil {
			return err
		}
		for i, v := range vectors {
			records[from+i].Vector = v
			if err := a.prepare(ctx, len(v)); err != nil {
				return err
			}
		}
	}
	return nil
}
