package cli

import (
	"context"
	"io"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/review"
)

// Client is what all commands together ask of the workflows' client. What one
// of them asks stands beside it. Errors carry their code and hint as
// [memory.Error].
type Client interface {
	storer
	recaller
	getter
	updater
	forgetter
	linker
	relater
	historian
	lister
	receiver
	organizer
	rebuilder
	snapshotter
	counter
	waiter
	review.Client
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
