package rest

import (
	"context"
	"net/http"

	"github.com/mneme-memory/mneme/internal/live"
	"github.com/mneme-memory/mneme/memory"
)

// Client is what the API needs of the workflows client. Its errors are [memory.Error]s.
type Client interface {
	Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error)
	Store(ctx context.Context, in memory.StoreInput) (memory.StoreResult, error)
	StoreOnce(ctx context.Context, key string, in memory.StoreInput) (memory.StoreResult, error)
	List(ctx context.Context, page memory.Page) ([]memory.Memory, error)
	Get(ctx context.Context, ids []string) ([]memory.Details, error)
	History(ctx context.Context, id string) (memory.History, error)
	Related(ctx context.Context, id string, depth, limit int) ([]memory.Related, error)
	Census(ctx context.Context, in memory.CensusInput) (memory.Census, error)
	Changes(ctx context.Context, limit int) ([]memory.Change, error)
	Restore(ctx context.Context, id, user string) (memory.Memory, error)
	Organize(ctx context.Context, in memory.OrganizeInput, progress func(memory.OrganizeReport)) (memory.OrganizeReport, error)
	Plan(ctx context.Context, q memory.PlanQuery) (memory.PlanPage, error)
	CancelOrganize(ctx context.Context, id string) ([]string, error)
	Rebuild(ctx context.Context, in memory.RebuildInput, progress func(memory.RebuildReport)) (memory.RebuildReport, error)
	Runs(ctx context.Context, limit int) ([]memory.Run, error)
	Run(ctx context.Context, id string) (memory.RunState, error)
	Keyable
}

// Keyable are the changes that a key makes idempotent.
type Keyable interface {
	Update(ctx context.Context, in memory.UpdateInput) (memory.Memory, error)
	Forget(ctx context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error)
	Link(ctx context.Context, link memory.Link) (memory.Link, error)
	Merge(ctx context.Context, ids []string) (memory.MergedGroup, error)
	Undo(ctx context.Context, in memory.UndoInput, progress func(memory.UndoReport)) (memory.UndoReport, error)
}

// Events tell what happens. See [live.Feed].
type Events interface {
	http.Handler
	Events(ctx context.Context, q memory.AuditQuery) ([]live.Event, error)
	Position(ctx context.Context) (int64, error)
}

// Sessions lists what the audit knows of sessions.
type Sessions interface {
	Sessions(ctx context.Context, skip, limit int) ([]memory.SessionTrace, error)
}
