package purge

import (
	"context"
	"path/filepath"

	"github.com/mneme-memory/mneme/memory"
)

// Run is one run of a workflow, whose history Temporal keeps.
type Run struct {
	WorkflowID string `json:"workflow_id"`
	RunID      string `json:"run_id"`
	Open       bool   `json:"open,omitempty"` // it is still running
}

// Histories are what Temporal keeps of a ledger's workflows.
type Histories interface {
	// Runs hands over every run that Temporal knows.
	Runs(ctx context.Context, each func(Run) error) error
	// Read hands the decrypted events of a run to look. It calls look for no event, and returns no
	// error, if Temporal has deleted the run.
	Read(ctx context.Context, run Run, look func(event []byte)) error
	// Texts hands the strings in the decrypted payloads of a run to look.
	Texts(ctx context.Context, run Run, look func(text string)) error
	// Delete deletes a run that has ended, and returns when it is gone.
	Delete(ctx context.Context, run Run) error
}

// Keeper keeps the receipts of a home, takes texts from its files and from Temporal, and looks
// for them. All fields but Unreached are required.
type Keeper struct {
	Home      string
	Histories Histories
	// Unreached lists the places that this mneme has no way to search, such as the files of a server
	// that somebody else runs.
	Unreached []memory.Unreached
	// OwnPostgres says that PostgreSQL is the embedded one.
	OwnPostgres bool
	// CompactIndex has the embedded index write its log anew, without what was deleted; nil if the
	// index is another one.
	CompactIndex func(ctx context.Context) error
	// Redaction returns the rules of today, with those of a project's folder; "" for none.
	Redaction func(dir, project string) (memory.Redaction, error)
}

// path returns where the receipt of a workflow is.
func (k *Keeper) path(workflowID string) string {
	return filepath.Join(Dir(k.Home), fileName(workflowID))
}

// Note adds a page of texts to the receipt of a workflow, once, before they are taken away.
func (k *Keeper) Note(workflowID, user string, page int, ids []string, texts []memory.PurgedText) (string, error) {
	path := k.path(workflowID)
	r, err := load(k.Home, path)
	if memory.CodeOf(err) == memory.NotFound {
		r = newReceipt(path, workflowID, user)
		err = nil
	}
	if err != nil {
		return "", err
	}
	r.note(page, ids, texts)
	return path, r.save(k.Home)
}
