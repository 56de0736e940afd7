package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mneme-memory/mneme/internal/autostart"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
)

// firstCall is how long a call waits for a daemon that is being started: an ordinary start
// takes a second, the first one of all a few.
const firstCall = 30 * time.Second

// daemon starts "mneme up" in the background once, and lets the first calls wait for it.
type daemon struct {
	start   func() (*autostart.Attempt, error)
	settled atomic.Bool // it came up or it did not: no further call waits
}

func newDaemon(load func() (config.Config, error), log *slog.Logger) *daemon {
	return &daemon{start: sync.OnceValues(func() (*autostart.Attempt, error) {
		cfg, err := load()
		if err != nil {
			return nil, err
		}
		a, err := autostart.Start(cfg, autostart.OS())
		switch {
		case err != nil:
			log.Warn("start mneme in the background", "err", err)
		case a.Outcome == autostart.Waiting:
			log.Warn("mneme could not be started lately; see \"mneme doctor\"", "log", homestate.LogPath(cfg.Home))
		}
		return a, err
	})}
}

// wait returns when the daemon is ready, or at once when none is being started: then the
// connection tells what is wrong.
func (d *daemon) wait(ctx context.Context) error {
	if d.settled.Load() {
		return nil
	}
	a, err := d.start()
	if err != nil || a.Outcome != autostart.Started && a.Outcome != autostart.Starting {
		d.settled.Store(true)
		return nil //nolint:nilerr // logged, and the connection has its own words for it
	}
	ctx, cancel := context.WithTimeout(ctx, firstCall)
	defer cancel()
	if err = a.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		d.settled.Store(true)
	}
	return err
}
