// Package assembly puts the adapters behind four addresses and a worker in
// front of them. The daemon and the worker that runs alone are both made of
// it, so that a memory is kept in the same way by either.
package assembly

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/keyword"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// DefaultModel is the embedding model of a real Ollama when none was chosen.
const DefaultModel = "nomic-embed-text"

// OpenLedger connects to PostgreSQL and brings the schema up to date. Several
// may do so at once: one process migrates and the others wait.
func OpenLedger(ctx context.Context, url string, log *slog.Logger) (*postgres.Ledger, error) {
	ledger, err := postgres.Open(ctx, postgres.Options{URL: url, Logger: log, Document: keyword.Vector, Query: keyword.Query})
	if err != nil {
		return nil, err
	}
	if err := ledger.Migrate(ctx); err != nil {
		ledger.Close()
		return nil, err
	}
	return ledger, nil
}

// Identity returns the identity of a ledger, and refuses one that is not the
// ledger that the settings name.
func Identity(ctx context.Context, cfg config.Config, ledger *postgres.Ledger) (string, error) {
	id, err := ledger.Identity(ctx)
	if err == nil && cfg.Ledger != "" && cfg.Ledger != id {
		return "", memory.Errorf(memory.Conflict, "correct MNEME_LEDGER or MNEME_POSTGRES_URL",
			"the settings name the ledger %s, and the one in PostgreSQL is %s", cfg.Ledger, id)
	}
	return id, err
}

// OpenIndex prepares the connection to the Qdrant at cfg.Address, for the index
// of a ledger; the first call makes it. Private is for a server that nobody
// else uses; local answers the calls when the server is in this process, and is
// nil otherwise.
func OpenIndex(
	cfg config.Qdrant, ledger qdrant.Ledger, private bool, local grpc.UnaryClientInterceptor,
) (*qdrant.Index, error) {
	security, err := cfg.TLS.Config()
	if err != nil {
		return nil, err
	}
	return qdrant.Open(qdrant.Options{
		Address: cfg.Address, APIKey: cfg.APIKey, TLS: security, Document: keyword.Vector, Query: keyword.Query,
		Ledger: ledger, Prefix: cfg.Prefix, Private: private, Local: local,
		Timeout: cfg.Timeout, LongTimeout: 12 * cfg.Timeout, // zero: as the index thinks right
	})
}

// OpenEmbedder prepares the connection to an embedding server at url, which is the service's
// address with its password; the first call makes it. A server that a home's daemon started is
// called with the home's key; one that was found only as long as it is ours, see [CheckFound].
// Timeout bounds one call; zero means that of package ollama.
func OpenEmbedder(
	home string, service homestate.Service, url, model string, timeout time.Duration,
) (*ollama.Embedder, error) {
	options := ollama.Options{URL: url, Model: model, Timeout: timeout}
	switch {
	case service.Secured:
		security, err := config.HomeTLS(home).Config()
		if err != nil {
			return nil, err
		}
		options.HTTPClient = &http.Client{Transport: &http.Transport{TLSClientConfig: security}}
	case service.Mode == homestate.Found:
		options.HTTPClient = foundClient(home, url)
	}
	return ollama.New(options)
}

// OpenChat prepares the chat model for summaries; nil when none is named. A server that was
// found is called only as long as it is ours, see [CheckFound].
func OpenChat(home string, service homestate.Service, model string) (activities.Chatter, error) {
	if model == "" {
		return nil, nil
	}
	options := ollama.Options{URL: service.Address, Model: model}
	if service.Mode == homestate.Found {
		options.HTTPClient = foundClient(home, service.Address)
	}
	return ollama.NewChat(options)
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
	Index    *qdrant.Index
	Redactor memory.Redactor
	Chat     activities.Chatter // nil for extractive summaries

	// Models opens the embedders of other models than Embedder's. Nil means that the model cannot be
	// changed while memories are stored and recalled.
	Models *Models

	Snapshots activities.Snapshotter // nil where no files are kept
	Backups   activities.Backuper    // nil where no files are kept
}

// Activities returns the steps that work with the parts.
func (p Parts) Activities() *activities.Activities {
	a := &activities.Activities{
		Embedder: embedder{p.Embedder}, Ledger: p.Ledger, Index: p.Index, Redactor: p.Redactor,
		Chat: p.Chat, Snapshots: p.Snapshots, Backups: p.Backups, Now: time.Now,
	}
	if p.Models != nil {
		a.IndexOf = generationsOf(p.Index)
		a.EmbedderOf = p.Models.Of
	}
	return a
}

// generationsOf returns a function that gives the index of a generation. Each index is opened once and
// kept, because an index remembers the owner of its collections.
func generationsOf(index *qdrant.Index) func(name string) activities.Index {
	var mu sync.Mutex
	open := map[string]*qdrant.Index{}
	return func(name string) activities.Index {
		mu.Lock()
		defer mu.Unlock()
		if open[name] == nil {
			open[name] = index.Of(name)
		}
		return open[name]
	}
}

// embedder gives the adapter the words of the activities.
type embedder struct{ *ollama.Embedder }

func (e embedder) Embed(ctx context.Context, purpose memory.Purpose, texts []string) ([]memory.Vector, error) {
	kind := ollama.Document
	if purpose == memory.ForQuery {
		kind = ollama.Query
	}
	return e.Embedder.Embed(ctx, kind, texts)
}
