package activities

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// embedBatch is how many texts one embedding call gets; a heartbeat follows.
const embedBatch = 64

// ImportOutcome counts what a batch did.
type ImportOutcome struct {
	Stored    int `json:"stored"`
	Existing  int `json:"existing"`
	Updated   int `json:"updated,omitempty"`
	Forgotten int `json:"forgotten,omitempty"`
	Kept      int `json:"kept,omitempty"`
	Linked    int `json:"linked,omitempty"`
	Unlinked  int `json:"unlinked,omitempty"`
}

// ImportBatch embeds and stores the memories of one batch, and forgets what is gone.
func (a *Activities) ImportBatch(ctx context.Context, in memory.ImportBatch) (ImportOutcome, error) {
	ctx = a.pin(ctx)
	records := make([]memory.Record, len(in.Items))
	texts := make([]string, len(in.Items))
	user, taken, was := in.User, map[string][]string{}, map[string]string{}
	for i, item := range in.Items {
		item, err := memory.Admit(a.Redactor, item)
		if err != nil {
			return ImportOutcome{}, fmt.Errorf("item %d of batch %d: %w", i, in.Number, err)
		}
		item.Source, user = memory.SourceImport, item.User
		records[i].Exported = item.Exported
		records[i].Memory, texts[i] = item.Memory(a.Now(), a.model(ctx)), item.Text
		taken[item.Project] = append(taken[item.Project], item.Redacted...)
		if item.WasRef != "" {
			was[records[i].ID] = item.WasRef
		}
	}
	if err := a.embedAll(ctx, records, texts); err != nil {
		return ImportOutcome{}, err
	}
	step := fmt.Sprintf("batch/%d", in.Number)
	importing := op(ctx, user, memory.ActionImport, step)
	importing.Chain = in.Chain
	done, err := a.Ledger.Import(ctx, importing, records, was)
	if err != nil {
		return ImportOutcome{}, err
	}
	if err := a.noteTaken(ctx, user, step, taken); err != nil {
		return ImportOutcome{}, err
	}
	if len(in.Gone) > 0 {
		importing.Step = step + "/gone"
		if _, err := a.Ledger.Forget(ctx, importing, in.Gone, false); err != nil {
			return ImportOutcome{}, err
		}
		done.Forgotten = append(done.Forgotten, in.Gone...)
	}
	linked, err := a.importLinks(ctx, importing, step, in.Links)
	if err != nil {
		return ImportOutcome{}, err
	}
	if err := a.SyncIndex(ctx, SyncInput{IDs: done.Changed()}); err != nil {
		return ImportOutcome{}, err
	}
	return ImportOutcome{
		Stored: len(done.Stored), Existing: len(done.Existing), Updated: len(done.Updated), Forgotten: len(done.Forgotten),
		Kept: len(done.Kept), Linked: linked.Added, Unlinked: linked.Without,
	}, nil
}

// importLinks adds the links of a batch.
func (a *Activities) importLinks(
	ctx context.Context, importing memory.Op, step string, links []memory.ExportedLink,
) (memory.ImportedLinks, error) {
	if len(links) == 0 {
		return memory.ImportedLinks{}, nil
	}
	importing.Step = step + "/links"
	return a.Ledger.ImportLinks(ctx, importing, links)
}

// noteTaken writes one audit row a project with the kinds of what was taken out
// of a batch's memories, each kind as often as a memory held it.
func (a *Activities) noteTaken(ctx context.Context, user, step string, taken map[string][]string) error {
	for _, project := range slices.Sorted(maps.Keys(taken)) {
		kinds := taken[project]
		if len(kinds) == 0 {
			continue
		}
		details := map[string]any{"redacted": kinds, "source": memory.SourceImport}
		row := op(ctx, user, memory.ActionImport, step+"/redacted/"+project)
		if err := a.Ledger.Note(ctx, row, project, "", details); err != nil {
			return err
		}
	}
	return nil
}

// embedAll fills in the vectors and prepares ledger and index for them.
func (a *Activities) embedAll(ctx context.Context, records []memory.Record, texts []string) error {
	for from := 0; from < len(texts); from += embedBatch {
		to := min(from+embedBatch, len(texts))
		vectors, err := a.embed(ctx, memory.ForDocument, texts[from:to])
		if err != nil {
			return err
		}
		if err := a.prepare(ctx, len(vectors[0])); err != nil {
			return err
		}
		for i, v := range vectors {
			records[from+i].Vector = v
		}
	}
	return nil
}
