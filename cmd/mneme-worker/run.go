package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

// The waits between two tries to start while a part is down.
const (
	firstWait = time.Second
	mostWait  = 15 * time.Second
)

// askTimeout bounds the question whether the model is there.
const askTimeout = 5 * time.Second

// settings reads the configuration and refuses one in which an address is
// missing: this program starts no server in its place.
func settings(env func(string) string) (config.Config, error) {
	cfg, err := config.Load(config.Sources{Env: env})
	if err != nil {
		return cfg, err
	}
	var missing []string
	for _, need := range []struct{ name, value string }{
		{"MNEME_TEMPORAL_ADDRESS", cfg.Temporal.Address},
		{"MNEME_POSTGRES_URL", cfg.Postgres.URL},
		{"MNEME_QDRANT_ADDRESS", cfg.Qdrant.Address},
		{"MNEME_OLLAMA_URL", cfg.Ollama.URL},
	} {
		if need.value == "" {
			missing = append(missing, need.name)
		}
	}
	if len(missing) > 0 {
		return cfg, memory.Errorf(memory.Invalid, `set it; or let "mneme up" start the servers that have no address`,
			"no value for %s", strings.Join(missing, ", "))
	}
	return cfg, nil
}

// run works until ctx ends. A part that is down or refuses at the start is waited
// for: in a stack of containers all begin at once, and a key is mended meanwhile.
func run(ctx context.Context, cfg config.Config, log *slog.Logger) error {
	for wait := firstWait; ; wait = min(2*wait, mostWait) {
		err := work(ctx, cfg, log)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if !memory.Waits(err) {
			return err
		}
		log.WarnContext(ctx, "a part is down or refuses, trying again", "part", memory.PartOf(err), "err", err, "hint", memory.HintOf(err), "in", wait)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// work connects everything, works until ctx ends, and lets what runs finish.
func work(ctx context.Context, cfg config.Config, log *slog.Logger) error {
	ledger, err := assembly.OpenLedger(ctx, cfg.Postgres.URL, log)
	if err != nil {
		return err
	}
	defer ledger.Close()
	identity, err := assembly.Identity(ctx, cfg, ledger)
	if err != nil {
		return err
	}
	embedder, err := openEmbedder(ctx, cfg, ledger, log)
	if err != nil {
		return err
	}
	index, err := assembly.OpenIndex(cfg.Qdrant, ledger, false, nil)
	if err != nil {
		return err
	}
	defer index.Close()
	// The rules of a project's CLAUDE.md were applied at its door; those of this
	// user hold here too. A container has no home folder, and no rules then.
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	redactor, err := dial.Redactor(cfg.Temporal, home, "")
	if err != nil {
		return err
	}
	chat, err := assembly.OpenChat(cfg.Home, homestate.Service{Address: cfg.Ollama.URL, Mode: homestate.Given}, cfg.Ollama.ChatModel)
	if err != nil {
		return err
	}
	parts := assembly.Parts{
		Embedder: embedder, Ledger: ledger, Index: index, Redactor: redactor,
		Chat: chat, Snapshots: assembly.Snapshots(cfg.Home, ledger),
		Models: &assembly.Models{Open: func(_ context.Context, model string) (*ollama.Embedder, error) {
			return ollama.New(ollama.Options{URL: cfg.Ollama.URL, Model: model})
		}},
		Backups: &assembly.Backups{Ledger: ledger, Config: cfg},
	}
	worker, err := assembly.StartWorker(ctx, assembly.WorkerOptions{
		Temporal: cfg.Temporal, Ledger: ledger, Logger: log, Home: cfg.Home,
		Unreached:       assembly.Unreached(homestate.Service{Mode: homestate.Given}, homestate.Service{Mode: homestate.Given}),
		ProjectRedactor: func(dir string) (memory.Redactor, error) { return dial.Redactor(cfg.Temporal, home, dir) },
	}, parts.Activities())
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "working", "ledger", identity, "temporal", cfg.Temporal.Address, "namespace", cfg.Temporal.Namespace,
		"postgres", config.MaskURL(cfg.Postgres.URL), "qdrant", cfg.Qdrant.Address,
		"ollama", config.MaskURL(cfg.Ollama.URL), "model", embedder.Model())
	reading := readSessions(ctx, cfg, identity, chat, redactor, log)
	<-ctx.Done()
	log.Info("stopping")
	reading.Wait()
	worker.Stop()
	return nil
}

// openEmbedder chooses the model: the one that was set, else the one whose
// vectors the ledger holds, else the usual one.
func openEmbedder(ctx context.Context, cfg config.Config, ledger *postgres.Ledger, log *slog.Logger) (*ollama.Embedder, error) {
	stats, err := ledger.Stats(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	model := cmp.Or(assembly.InForce(cfg.Ollama.EmbedModel, stats), assembly.DefaultModel)
	e, err := ollama.New(ollama.Options{URL: cfg.Ollama.URL, Model: model, Timeout: cfg.Ollama.Timeout})
	if err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	has, err := e.HasModel(asking)
	if err == nil && !has {
		log.InfoContext(ctx, "pulling the embedding model", "model", model)
		err = e.Pull(ctx, nil)
	}
	if err != nil {
		// Not the end: stores are accepted and wait, recalls use keywords.
		log.WarnContext(ctx, "the embedding model is not ready", "model", model, "err", err)
	}
	return e, nil
}
