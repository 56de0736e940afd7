package main

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/sweep"
	"github.com/mneme-memory/mneme/memory"
)

// deliverEvery is how often the spool is emptied of what was found.
const deliverEvery = 5 * time.Second

// readSessions lets the chat model find what is worth keeping in the sessions of
// this machine's home, if one is set: hooks have no time to ask it. Where Claude
// Code runs elsewhere, there are no sessions and nothing happens. Wait for what
// it returns after the context has ended.
func readSessions(ctx context.Context, cfg config.Config, ledger string, chat activities.Chatter, redactor memory.Redactor, log *slog.Logger) *sync.WaitGroup {
	var working sync.WaitGroup
	model, ok := chat.(*ollama.Chat)
	if !ok {
		return &working
	}
	sweeper := &sweep.Sweeper{
		Config: cfg, Redactor: redactor, Chat: model.Structured, Now: time.Now,
		ProjectRedactor: func(dir string) (memory.Redactor, error) {
			home, err := os.UserHomeDir()
			if err != nil {
				home = ""
			}
			return dial.Redactor(cfg.Temporal, home, dir)
		},
	}
	working.Go(func() {
		sweeper.Run(ctx, sweep.Every, func(err error) {
			log.WarnContext(ctx, "read sessions with the chat model", "err", err)
		})
	})
	client, err := dial.OpenFor(ctx, cfg.Temporal, ledger, redactor)
	if err != nil {
		log.WarnContext(ctx, "what is found in sessions waits for the next hook or daemon", "err", err)
		return &working
	}
	working.Go(func() {
		defer client.Close()
		spool.Open(cfg.Home, redactor).Run(ctx, client.For(cfg.User), deliverEvery, func(err error) {
			log.WarnContext(ctx, "drain the hooks' spool", "err", err)
		})
	})
	return &working
}
