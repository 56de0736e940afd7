package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// keep puts a text into the spool of the home folder, from which the daemon takes it. It returns
// the text as it is kept, without secrets.
func keep(load func() (config.Config, error), in memory.StoreInput) (memory.StoreInput, error) {
	cfg, err := load()
	if err != nil {
		return in, err
	}
	redactor, err := openRedactor(cfg)
	if err != nil {
		return in, err
	}
	if in, err = memory.Admit(redactor, in); err != nil {
		return in, err
	}
	return in, spool.Open(cfg.Home, redactor).Add(spool.Entry{Key: "mcp/" + rand.Text(), Store: &in})
}

// delivering bounds one delivery of the spooled texts.
const delivering = 2 * time.Minute

// deliver hands over what was kept while mneme was down. A daemon of this home does that itself;
// where Temporal is on another machine there may be none.
func deliver(cfg config.Config, to spool.Receiver, log *slog.Logger) {
	if _, ready, err := homestate.Running(cfg.Home); err == nil && ready {
		return
	}
	redactor, err := openRedactor(cfg)
	if err != nil {
		log.Warn("deliver what was kept", "err", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), delivering)
	defer cancel()
	if _, err := spool.Open(cfg.Home, redactor).Drain(ctx, to); err != nil {
		log.Warn("deliver what was kept", "err", err)
	}
}
