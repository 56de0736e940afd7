// Package daemon is what "mneme up" runs: it starts a local server for every
// address that was not given, connects the adapters to them, and runs the
// worker. Other processes find it through the state file in the home folder.
package daemon

import (
	"context"
	"log/slog"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/autostart"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homekey"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// Options say how the daemon runs.
type Options struct {
	Config   config.Config   // required
	Version  string          // of mneme
	Redactor memory.Redactor // required; with the user's rules, the doors add the project's

	// ProjectRedactor returns the redactor of a project's folder, for sessions that
	// the daemon reads itself. Nil means Redactor for all.
	ProjectRedactor func(dir string) (memory.Redactor, error)

	Logger   *slog.Logger                         // required
	Progress func(done, total int64, what string) // of downloads; may be nil
	Ready    func(homestate.Daemon)               // called once, when everything is up; may be nil
	Getenv   func(string) string                  // for OLLAMA_HOST; nil means no environment
}

// Run starts everything, waits until ctx ends, and stops everything again. It
// returns [ErrRunning] when another process does the same for this home.
func Run(ctx context.Context, opts Options) (err error) {
	home := opts.Config.Home
	if err := config.EnsureHome(home); err != nil {
		return err
	}
	release, err := hold(ctx, home)
	if err != nil {
		return err
	}
	d := &daemon{opts: opts, startedAt: time.Now().UTC()}
	d.stops.push(release)
	defer func() {
		if stopErr := d.stops.run(); err == nil {
			err = stopErr
		}
	}()
	if err := homestate.Remove(home); err != nil { // of one that was killed
		return err
	}
	if err := homekey.Ensure(home); err != nil {
		return err
	}
	if err := d.start(ctx); err != nil {
		if ctx.Err() != nil { // what was cut off says so in many ways
			return ctx.Err()
		}
		return err
	}
	state := d.state()
	if err := homestate.Write(home, state); err != nil {
		return err
	}
	d.stops.push(func() error { return homestate.Remove(home) })
	if err := autostart.Clear(home); err != nil {
		return err
	}
	if opts.Ready != nil {
		opts.Ready(state)
	}
	<-ctx.Done()
	return nil
}

// daemon is one running "mneme up".
type daemon struct {
	opts      Options
	startedAt time.Time
	stops     stops

	// services is written once, when all four are there, by the goroutine that starts
	// everything else afterwards.
	services services
	console  consoleServer
}

// state is the daemon's description for other processes.
func (d *daemon) state() homestate.Daemon {
	s := d.services
	return homestate.Daemon{
		PID: os.Getpid(), Version: d.opts.Version, StartedAt: d.startedAt,
		Services: map[string]homestate.Service{
			homestate.TemporalService: s.temporal.Service, homestate.PostgresService: s.postgres.Service,
			homestate.QdrantService: s.qdrant.Service, homestate.OllamaService: s.ollama.Service,
		},
		UI: s.temporal.ui, UIKey: string(s.temporal.uiKey), Model: s.ollama.embedder.Model(), Ledger: s.postgres.identity, QdrantAPIKey: s.qdrant.apiKey,
		Console: d.console.address, ConsoleKey: string(d.console.key),
	}
}

// start brings up the four services, then the worker, then what runs in the background.
func (d *daemon) start(ctx context.Context) error {
	var err error
	if d.services, err = d.startServices(ctx); err != nil {
		return err
	}
	chat, err := assembly.OpenChat(d.opts.Config.Home, d.chatServer(ctx), d.opts.Config.Ollama.ChatModel)
	if err != nil {
		return err
	}
	var prepareErr error
	var both errgroup.Group
	both.Go(func() error { return d.startWorker(ctx, chat) })
	both.Go(func() error { prepareErr = d.prepareIndex(ctx); return nil })
	if err := both.Wait(); err != nil {
		return err
	}
	client, err := dial.OpenFor(ctx, d.settings().Temporal, d.services.postgres.identity, d.opts.Redactor)
	if err != nil {
		return err
	}
	client = client.For(d.opts.Config.User)
	d.stops.push(func() error { client.Close(); return nil })
	if prepareErr != nil { // no reason not to start: every workflow waits for Qdrant
		d.opts.Logger.WarnContext(ctx, "prepare the index", "err", prepareErr)
	} else if err := d.startRefill(ctx, client); err != nil {
		return err
	}
	d.startSweeper(ctx, chat)
	d.startSpool(ctx, client)
	d.startHistory(ctx, client)
	d.console, err = d.startConsole(ctx, client)
	return err
}

// settings are those of the user with the Temporal server that runs.
func (d *daemon) settings() config.Config {
	cfg := d.opts.Config
	cfg.Temporal.Address = d.services.temporal.Address
	if d.services.temporal.Secured {
		cfg.Temporal.TLS = config.HomeTLS(cfg.Home)
	}
	return cfg
}

// startWorker connects to Temporal and starts the worker.
func (d *daemon) startWorker(ctx context.Context, chat activities.Chatter) error {
	s := d.services
	parts := assembly.Parts{
		Embedder: s.ollama.embedder, Ledger: s.postgres.ledger, Index: s.qdrant.index, Redactor: d.opts.Redactor,
		Chat: chat, Snapshots: assembly.Snapshots(d.opts.Config.Home, s.postgres.ledger),
		Models:  &assembly.Models{Open: d.openModel},
		Backups: &assembly.Backups{Ledger: s.postgres.ledger, Config: d.opts.Config, Version: d.opts.Version},
	}
	w, err := assembly.StartWorker(ctx, assembly.WorkerOptions{
		Temporal: d.settings().Temporal, Ledger: s.postgres.ledger, Private: s.temporal.Mode == homestate.Embedded, Logger: d.opts.Logger,
		Home: d.opts.Config.Home, OwnPostgres: s.postgres.Mode == homestate.Embedded, CompactIndex: s.qdrant.compact,
		Unreached:       assembly.Unreached(s.temporal.Service, s.qdrant.Service),
		ProjectRedactor: d.opts.ProjectRedactor,
	}, parts.Activities())
	if err != nil {
		return err
	}
	d.stops.push(func() error { w.Stop(); return nil })
	return nil
}
