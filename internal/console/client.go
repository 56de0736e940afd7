package console

import (
	"context"

	"github.com/mneme-memory/mneme/internal/live"
	"github.com/mneme-memory/mneme/memory"
)

// Events tell what happens. See [live.Feed].
type Events interface {
	// Position is where the events end now.
	Position(ctx context.Context) (int64, error)
	Events(ctx context.Context, q memory.AuditQuery) ([]live.Event, error)
}

// Sessions lists what the audit knows of sessions of Claude Code.
type Sessions interface {
	Sessions(ctx context.Context, skip, limit int) ([]memory.SessionTrace, error)
}

// Client is what the pages need of the workflows client. Its errors are [memory.Error]s.
type Client interface {
	Stats(ctx context.Context) (memory.Stats, error)
	Census(ctx context.Context, in memory.CensusInput) (memory.Census, error)
	Waiting(ctx context.Context) ([]memory.Waiting, error)
	Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error)
	List(ctx context.Context, page memory.Page) ([]memory.Memory, error)
	Get(ctx context.Context, ids []string) ([]memory.Details, error)
	History(ctx context.Context, id string) (memory.History, error)
	Related(ctx context.Context, id string, depth, limit int) ([]memory.Related, error)
	Update(ctx context.Context, in memory.UpdateInput) (memory.Memory, error)
	Merge(ctx context.Context, ids []string) (memory.MergedGroup, error)
	Forget(ctx context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error)
	Changes(ctx context.Context, limit int) ([]memory.Change, error)
	Undo(ctx context.Context, in memory.UndoInput, progress func(memory.UndoReport)) (memory.UndoReport, error)
	Organize(ctx context.Context, in memory.OrganizeInput, progress func(memory.OrganizeReport)) (memory.OrganizeReport, error)
	Plan(ctx context.Context, q memory.PlanQuery) (memory.PlanPage, error)
	CancelOrganize(ctx context.Context, id string) ([]string, error)
	Runs(ctx context.Context, limit int) ([]memory.Run, error)
	Run(ctx context.Context, id string) (memory.RunState, error)
	Restore(ctx context.Context, id, user string) (memory.Memory, error)
}
