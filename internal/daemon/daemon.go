// Package daemon is what "mneme up" runs: it starts a local server for every
// address that was not given, connects the adapters to them, and runs the
// worker. Other processes find it through the state file in the home folder.
package daemon

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/autostart"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// Options say how the daemon runs.
type Options struct {
	Config   config.Config       // required
	Version  string              // of mneme
	Redactor activities.Redactor // required; with the user's rules, the doors add the project's

	// ProjectRedactor returns the redactor of a project's folder, for sessions that
	// the daemon reads itself. Nil means Redactor for all.
	ProjectRedactor func(dir string) (activities.Redactor, error)

	Logger   *slog.Logger                         // required
	Progress func(done, total int64, what string) // of downloads; may be nil
	Ready    func(config.Daemon)                  // called once, when everything is up; may be nil
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
	d := &daemon{opts: opts, state: config.Daemon{
		PID: os.Getpid(), Version: opts.Version, StartedAt: time.Now().UTC(), Services: map[string]config.Service{},
	}}
	d.onStop(release)
	defer func() {
		if stopErr := d.stop(); err == nil {
			err = stopErr
		}
	}()
	if err := config.RemoveDaemon(home); err != nil { // of one that was killed
		return err
	}
	if err := d.start(ctx); err != nil {
		if ctx.Err() != nil { // what was cut off says so in many ways
			return ctx.Err()
		}
		return err
	}
	if err := config.WriteDaemon(home, d.state); err != nil {
		return err
	}
	d.onStop(func() error { return config.RemoveDaemon(home) })
	if err := autostart.Clear(home); err != nil {
		return err
	}
	if opts.Ready != nil {
		opts.Ready(d.state)
	}
	<-ctx.Done()
	return nil
}

// daemon is one running "mneme up".
type daemon struct {
	opts Options

	// Set while starting, each by one goroutine that the next step waits for.
	state       config.Daemon
	postgresURL string // with its password: the state holds a masked one
	ledger      *postgres.Ledger
	index       *qdrant.Index
	embedder    *ollama.Embedder
	stats       memory.Stats // of the ledger, when it was opened

	mu    sync.Mutex     // guards stops and state.Services
	stops []func() error // in the order of starting
}

// set notes where a service is.
func (d *daemon) set(name string, s config.Service) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state.Services[name] = s
}

func (d *daemon) onStop(f func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stops = append(d.stops, f)
}

// stop undoes what was started, last first, and returns the first error.
func (d *daemon) stop() error {
	d.mu.Lock()
	stops := d.stops
	d.stops = nil
	d.mu.Unlock()
	var first error
	for _, f := range slices.Backward(stops) {
		if err := f(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// start brings up the four services, then the worker.
func (d *daemon) start(ctx context.Context) error {
	if err := d.startServices(ctx); err != nil {
		return err
	}
	chat, err := assembly.OpenChat(d.chatURL(ctx), d.opts.Config.Ollama.ChatModel)
	if err != nil {
		return err
	}
	parts := assembly.Parts{
		Embedder: d.embedder, Ledger: d.ledger, Index: d.index, Redactor: d.opts.Redactor,
		Chat: chat, Snapshots: assembly.Snapshots(d.opts.Config.Home, d.ledger),
	}
	temporal := d.state.Services[config.TemporalService].Address
	var stale []string
	var known bool
	var both errgroup.Group
	both.Go(func() error { return d.startWorker(ctx, temporal, parts.Activities()) })
	both.Go(func() error { stale, known = d.prepareIndex(ctx); return nil })
	if err := both.Wait(); err != nil {
		return err
	}
	if known {
		if err := d.startRefill(ctx, stale); err != nil {
			return err
		}
	}
	d.startSweeper(ctx, chat)
	return d.startSpool(ctx)
}

// startWorker connects to Temporal and starts the worker.
func (d *daemon) startWorker(ctx context.Context, address string, acts *activities.Activities) error {
	cfg := d.opts.Config.Temporal
	cfg.Address = address
	w, err := assembly.StartWorker(ctx, assembly.WorkerOptions{Temporal: cfg, Logger: d.opts.Logger}, acts)
	if err != nil {
		return err
	}
	d.onStop(func() error { w.Stop(); return nil })
	return nil
}
