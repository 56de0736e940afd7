// Package daemon is what "mneme up" runs: it starts a local server for every
// address that was not given, connects the adapters to them, and runs the
// worker. Other processes find it through the state file in the home folder.
package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/postgres"
)

// Options say how the daemon runs.
type Options struct {
	Config   config.Config                        // required
	Version  string                               // of mneme
	Redactor activities.Redactor                  // required
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
	held, err := lock(home)
	if err != nil {
		return err
	}
	d := &daemon{opts: opts, state: config.Daemon{
		PID: os.Getpid(), Version: opts.Version, StartedAt: time.Now().UTC(), Services: map[string]config.Service{},
	}}
	d.onStop(held.Unlock)
	defer func() {
		if stopErr := d.stop(); err == nil {
			err = stopErr
		}
	}()
	if err := d.start(ctx); err != nil {
		return err
	}
	if err := config.WriteDaemon(home, d.state); err != nil {
		return err
	}
	d.onStop(func() error { return config.RemoveDaemon(home) })
	if opts.Ready != nil {
		opts.Ready(d.state)
	}
	<-ctx.Done()
	return nil
}

// daemon is one running "mneme up".
type daemon struct {
	opts  Options
	state config.Daemon

	mu    sync.Mutex
	stops []func() error // in the order of starting
}

func (d *daemon) onStop(f func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stops = append(d.stops, f)
}

// stop undoes what was started, last first, and returns the first error.
func (d *daemon) stop() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var first error
	for _, f := range slices.Backward(d.stops) {
		if err := f(); err != nil && first == nil {
			first = err
		}
	}
	d.stops = nil
	return first
}

// start brings up the four services, then the adapters and the worker.
func (d *daemon) start(ctx context.Context) error {
	if err := d.startServices(ctx); err != nil {
		return err
	}
	ledger, err := d.openLedger(ctx)
	if err != nil {
		return err
	}
	stats, err := ledger.Stats(ctx)
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	embedder, err := d.startOllama(ctx, stats.Model)
	if err != nil {
		return err
	}
	index, err := assembly.OpenIndex(d.state.Services["qdrant"].Address, d.state.QdrantAPIKey)
	if err != nil {
		return err
	}
	d.onStop(index.Close)
	chat, err := assembly.OpenChat(d.chatURL(ctx), d.opts.Config.Ollama.ChatModel)
	if err != nil {
		return err
	}
	parts := assembly.Parts{Embedder: embedder, Ledger: ledger, Index: index, Redactor: d.opts.Redactor, Chat: chat}
	if err := d.startWorker(ctx, parts.Activities()); err != nil {
		return err
	}
	return d.startSpool(ctx)
}

func (d *daemon) openLedger(ctx context.Context) (*postgres.Ledger, error) {
	ledger, err := assembly.OpenLedger(ctx, d.postgresURL(), d.opts.Logger)
	if err != nil {
		return nil, err
	}
	d.onStop(func() error { ledger.Close(); return nil })
	return ledger, nil
}

// startWorker connects to Temporal and starts the worker.
func (d *daemon) startWorker(ctx context.Context, acts *activities.Activities) error {
	w, err := assembly.StartWorker(ctx, assembly.WorkerOptions{
		Address: d.state.Services["temporal"].Address, Namespace: d.opts.Config.Temporal.Namespace, Logger: d.opts.Logger,
	}, acts)
	if err != nil {
		return err
	}
	d.onStop(func() error { w.Stop(); return nil })
	return nil
}
