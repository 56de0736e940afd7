package cli

import (
	"context"
	"io"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/review"
	"github.com/mneme-memory/mneme/memory"
)

// Client is what all commands together ask of the workflows' client. A call of
// a single command is declared beside that command. Errors carry their code and
// hint as [memory.Error].
type Client interface {
	storer
	recaller
	getter
	resolver
	updater
	forgetter
	purger
	redacter
	linker
	relater
	historian
	lister
	censor
	receiver
	importPlanner
	organizer
	planner
	questioner
	rebuilder
	reembedder
	snapshotter
	counter
	undoer
	waiter
	backupPlanner
	review.Client
	archivist
	Close()
}

// Deps is what main hands to the commands, so that this package links neither
// servers nor adapters. Dial and Up are required.
type Deps struct {
	// Version of the program. Empty means "devel".
	Version string
	// Dial connects to the workflows.
	Dial func(ctx context.Context, cfg config.Config) (Client, error)
	// Ledger opens the database itself, for backups. Nil means that there are none.
	Ledger func(ctx context.Context, cfg config.Config) (Ledger, error)
	// Up starts all parts, calls ready once and blocks until ctx is done, then
	// stops them and returns nil. When another process holds the home's lock
	// it returns a [memory.Error] of code Conflict.
	Up func(ctx context.Context, cfg config.Config, opts UpOptions) error
	// Autostart starts the daemon in the background if the settings allow it and none runs, and
	// waits until it is ready; say is called when that takes a while. Nil starts nothing.
	Autostart func(ctx context.Context, cfg config.Config, say func(text string)) error
	// Project names the project that a folder belongs to. Nil means that every
	// folder is in the project _global.
	Project func(dir string) string
	// Redactor returns what takes secrets out, with the privacy rules of a project's folder; of no
	// project for "". Nil means that Claude Code's history cannot be imported.
	Redactor func(cfg config.Config, dir string) (memory.Redactor, error)
	// Keep puts a text where the next mneme that runs takes it from and stores it, and returns it
	// as it is kept, without secrets. Nil means that nothing can be kept while mneme is down.
	Keep func(cfg config.Config, in memory.StoreInput) (memory.StoreInput, error)
	// Servers asks the servers that the running daemon d uses, or without one (zero) those
	// whose address is set. Nil means that no server can be asked.
	Servers func(cfg config.Config, d homestate.Daemon) doctor.Servers
}

// UpOptions is how Up reports. Both fields are set.
type UpOptions struct {
	Progress io.Writer              // plain lines about what takes long
	Ready    func(homestate.Daemon) // called once, after the state file is written
}
