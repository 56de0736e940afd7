// Package assembly puts the adapters behind four addresses and a worker in
// front of them. The daemon and the worker that runs alone are both made of
// it, so that a memory is kept in the same way by either.
package assembly

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/internal/keyword"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/worker"
)

// DefaultModel is the embedding model of a real Ollama when none was chosen.
const DefaultModel = "nomic-embed-text"

// OpenLedger connects to PostgreSQL and brings the schema up to date. Several
// may do so at once: one migrates and the others wait for it.
func OpenLedger(ctx context.Context, url string, log *slog.Logger) (*postgres.Ledger, error) {
	ledger, err := postgres.Open(ctx, postgres.Options{URL: url, Logger: log})
	if err != nil {
		return nil, err
	}
	if err := ledger.Migrate(ctx); err != nil {
		ledger.Close()
		return nil, err
	}
	return ledger, nil
}

// OpenIndex prepares the connection to Qdrant; the first call makes it.
func OpenIndex(address, apiKey string) (*qdrant.Index, error) {
	return qdrant.Open(qdrant.Options{
		Address: address, APIKey: apiKey, Document: keyword.Vector, Query: keyword.Query,
	})
}

// OpenChat prepares the chat model for summaries; nil when none is named.
func OpenChat(url, model string) (activities.Chatter, error) {
	if model == "" {
		return nil, nil
	}
	return ollama.NewChat(ollama.Options{URL: url, Model: model})
}

// Snapshots keeps the file for analysis below the data folder of home.
func Snapshots(home string, ledger *postgres.Ledger) activities.Snapshotter {
	return &analytics.Snapshots{Dir: filepath.Join(home, "analytics"), Source: ledger}
}

// Parts are what the steps of a worker need. All but Chat and Snapshots are
// required.
type Parts struct {
	Embedder *ollama.Embedder
	Ledger   activities.Ledger
	Index    activities.Index
	Redactor activities.Redactor
	Chat     activities.Chatter // nil for extractive summaries

	Snapshots activities.Snapshotter // nil where no files are kept
}

// Activities returns the steps that work with the parts.
func (p Parts) Activities() *activities.Activities {
	return &activities.Activities{
		Embedder: embedder{p.Embedder}, Ledger: p.Ledger, Index: p.Index, Redactor: p.Redactor,
		Chat: p.Chat, Snapshots: p.Snapshots, Digest: qdrant.DigestOf, Now: time.Now,
	}
}

// embedder gives the adapter the words of the activities.
type embedder struct{ *ollama.Embedder }

func (e embedder) Embed(ctx context.Context, purpose activities.Purpose, texts []string) ([]memory.Vector, error) {
	kind := ollama.Document
	if purpose == activities.ForQuery {
		kind = ollama.Query
	}
	return e.Embedder.Embed(ctx, kind, texts)
}

// WorkerOptions say where a worker gets its work. All fields are required.
type WorkerOptions struct {
	Address   string // host:port of Temporal
	Namespace string
	Logger    *slog.Logger
}

// Worker is a running worker. Make one with [StartWorker].
type Worker struct {
	client client.Client
	worker sdkworker.Worker
}

// StartWorker connects to Temporal, registers what workflows need there
// (search attributes, the weekly schedule) and begins to work.
func StartWorker(ctx context.Context, o WorkerOptions, a *activities.Activities) (*Worker, error) {
	c, err := client.DialContext(ctx, client.Options{
		HostPort: o.Address, Namespace: o.Namespace, Logger: sdklog.NewStructuredLogger(o.Logger),
	})
	if err != nil {
		return nil, memory.Down("Temporal", "check MNEME_TEMPORAL_ADDRESS", fmt.Errorf("connect to Temporal at %s: %w", o.Address, err))
	}
	w := &Worker{client: c, worker: worker.New(c, a)}
	if err := w.start(ctx, o.Namespace); err != nil {
		c.Close()
		// A namespace that is still being made is the usual reason: worth another try.
		return nil, memory.Down("Temporal", "check MNEME_TEMPORAL_NAMESPACE, and that its search attributes and schedules may be changed", err)
	}
	return w, nil
}

func (w *Worker) start(ctx context.Context, namespace string) error {
	if err := worker.EnsureSearchAttributes(ctx, w.client, namespace); err != nil {
		return err
	}
	if err := worker.EnsureSchedule(ctx, w.client); err != nil {
		return err
	}
	if err := w.worker.Start(); err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	return nil
}

// Stop takes no more work and waits for the steps that run, then closes the
// connection. What was not done by then, another worker does.
func (w *Worker) Stop() {
	w.worker.Stop()
	w.client.Close()
}
