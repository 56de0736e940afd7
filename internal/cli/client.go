package cli

import (
	"context"
	"io"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// Client is what the commands ask of the workflows' client. Errors carry
// their code and hint as [memory.Error].
type Client interface {
	Store(ctx context.Context, in memory.StoreInput) (memory.StoreResult, error)
	Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error)
	Forget(ctx context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error)
	Organize(ctx context.Context, in memory.OrganizeInput, progress func(memory.OrganizeReport)) (memory.OrganizeReport, error)
	Get(ctx context.Context, ids []string) ([]memory.Details, error)
	Update(ctx context.Context, in memory.UpdateInput) (memory.Memory, error)
	Merge(ctx context.Context, ids []string) (memory.MergedGroup, error)
	Link(ctx context.Context, link memory.Link) (memory.Link, error)
	Related(ctx context.Context, id string, depth, limit int) ([]memory.Related, error)
	History(ctx context.Context, id string) (memory.History, error)
	List(ctx context.Context, page memory.Page) ([]memory.Memory, error)
	ImportStart(ctx context.Context, importID string) (memory.ImportProgress, error)
	ImportBatch(ctx context.Context, importID string, b memory.ImportBatch) (memory.ImportProgress, error)
	ImportFinish(ctx context.Context, importID string) (memory.ImportProgress, error)
	Rebuild(ctx context.Context, in memory.RebuildInput, progress func(memory.RebuildReport)) (memory.RebuildReport, error)
	Stats(ctx context.Context) (memory.Stats, error)
	Snapshot(ctx context.Context, in memory.SnapshotInput, progress func(memory.SnapshotReport)) (memory.SnapshotReport, error)
	Close()
}

// Deps is what main hands to the commands, so that this package links neither
// servers nor adapters. Dial and Up are required.
type Deps struct {
	// Version of the program. Empty means "devel".
	Version string
	// Dial connects to the workflows.
	Dial func(ctx context.Context, cfg config.Config) (Client, error)
	// Up starts all parts, calls ready once and blocks until ctx is done, then
	// stops them and returns nil. When another process holds the home's lock
	// it returns a [memory.Error] of code Conflict.
	Up func(ctx context.Context, cfg config.Config, opts UpOptions) error
	// Project names the project that a folder belongs to. Nil means that every
	// folder is in the project _global.
	Project func(dir string) string
	// Checks are doctor's questions to the parts. Nil means none.
	Checks func(cfg config.Config) []Check
}

// UpOptions is how Up reports. Both fields are set.
type UpOptions struct {
	Progress io.Writer           // plain lines about what takes long
	Ready    func(config.Daemon) // called once, after the state file is written
}

// Check is one question of doctor.
type Check struct {
	Name string // short, such as "Qdrant"
	// Run answers with what is worth knowing. A [Warning] as error says that
	// something should be mended, any other that something is broken.
	Run func(ctx context.Context) (detail string, err error)
}

// Warning is a [Check]'s error for what works but should be mended.
type Warning struct{ Err error }

// Error returns the cause's text.
func (w Warning) Error() string { return w.Err.Error() }

// Unwrap returns the cause.
func (w Warning) Unwrap() error { return w.Err }
