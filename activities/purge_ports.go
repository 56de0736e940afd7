package activities

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// Purger is what a purge asks of the ledger, besides [Forgetter].
type Purger interface {
	// PurgeTexts returns all texts of memories: the present ones, those of earlier versions, and those of
	// memories that were merged into them.
	PurgeTexts(ctx context.Context, ids []string) ([]memory.PurgedText, error)
	// EachText hands every text that the ledger holds to look: of memories, of versions, of audit rows that are
	// compressed.
	EachText(ctx context.Context, look func(memory.LedgerText)) error
	// Rewrite writes the tables that hold texts into new files. With own, for mneme's own server, Rewrite
	// also starts a new write-ahead log. Of another server it returns the files that the rewrite leaves.
	Rewrite(ctx context.Context, own bool) ([]memory.Unreached, error)
}

// Sweeper goes through the texts that the ledger keeps beside the memories; see [memory.Sweep].
type Sweeper interface {
	SweepMessages(ctx context.Context, in memory.Cleaning) (int, error)
	SweepQuestions(ctx context.Context, in memory.Cleaning) (int, error)
	SweepAudit(ctx context.Context, in memory.Cleaning) (int, error)
	SweepVersions(ctx context.Context, in memory.Cleaning) (int, error)
	SweepPlans(ctx context.Context, in memory.Cleaning) (int, error)
	// EveryMemory returns memories of every state after an id, in the order of ids.
	EveryMemory(ctx context.Context, after string, limit int) ([]memory.Memory, error)
	// Redact rewrites memories that are still as they were, and merges into them live ones that hold the
	// same text by now. Ids, links and counters stay.
	Redact(ctx context.Context, op memory.Op, list []memory.Redacted) (memory.RedactedPage, error)
	// Backups returns where backups were written, the latest last.
	Backups(ctx context.Context) ([]memory.BackupPlace, error)
}

// Purges takes texts from the files of a home and from Temporal's histories, looks for them, and
// keeps receipts. Path is that of a receipt. Key names the step that calls, the same for each of its tries.
type Purges interface {
	// Note adds a page of texts to the receipt of a workflow, once, and returns its path.
	Note(workflowID, user string, page int, ids []string, texts []memory.PurgedText) (path string, err error)
	// Mark finds out which words of the texts are in memories that stay.
	Mark(ctx context.Context, path string, each func(context.Context, func(memory.LedgerText)) error) error
	// CleanLedger takes the texts from what the ledger keeps beside the memories.
	CleanLedger(ctx context.Context, path, key string, sweeps memory.Sweeps, progress func()) error
	// Clean takes the texts from spool, sessions and logs.
	Clean(ctx context.Context, path, key string) error
	// Forget deletes the histories of ended runs that hold some of the texts, and names the runs that
	// hold some and still run.
	Forget(ctx context.Context, path, key string, progress func()) (deleted int, open []string, err error)
	// Compact writes the files of ledger and index anew.
	Compact(ctx context.Context, path string, rewrite func(ctx context.Context, own bool) ([]memory.Unreached, error)) error
	// Search looks for the texts everywhere, and names the backups that may hold them. With finish the
	// receipt is told.
	Search(ctx context.Context, path string, finish bool, backups []memory.BackupPlace,
		each func(context.Context, func(memory.LedgerText)) error, progress func()) (memory.PurgeReport, error)
	// RedactionOf returns the rules of today.
	RedactionOf(in memory.RedactInput) (memory.Redaction, error)
	// BeginRedaction makes the receipt of a redaction, once.
	BeginRedaction(workflowID string, in memory.RedactInput) (path string, err error)
	// NoteRedacted adds to a receipt what is taken out of a page of memories, once.
	NoteRedacted(path string, page int, list []memory.Redacted) error
	// Survey counts what a redaction would change beside the memories.
	Survey(ctx context.Context, in memory.RedactInput, sweeps memory.Sweeps, progress func()) (memory.Swept, error)
}
