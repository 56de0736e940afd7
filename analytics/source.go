package analytics

import (
	"context"
	"iter"

	"github.com/mneme-memory/mneme/memory"
)

// Source is the ledger that snapshots copy from.
type Source interface {
	// AuditEnd returns the id up to which no audit row can come any more.
	AuditEnd(ctx context.Context) (int64, error)
	// AuditKey returns what makes the audit row with an id unique, "" if there is none.
	AuditKey(ctx context.Context, id int64) (string, error)
	// EachAudit yields the audit rows with after < id <= end, in the order of ids.
	EachAudit(ctx context.Context, after, end int64) iter.Seq2[memory.AuditRow, error]
	// EachMemory yields every memory's state.
	EachMemory(ctx context.Context) iter.Seq2[memory.MemoryRow, error]
}
