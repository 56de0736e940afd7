// Package dial connects a door (the CLI, the MCP server, a hook) to the
// running mneme: it finds Temporal's address and builds the redactor that
// everything passes on its way there.
package dial

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// defaultTimeout bounds the connection where the settings say nothing: a daemon on this machine
// answers at once.
const defaultTimeout = 3 * time.Second

// within bounds the connection to Temporal.
func within(ctx context.Context, cfg config.Temporal) (context.Context, context.CancelFunc) {
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	return context.WithTimeout(ctx, cfg.Timeout)
}

// Open connects to the workflows of the ledger that the settings or the home
// tell, see [Ledger]. It fails with [memory.Unavailable] when mneme does not run.
func Open(ctx context.Context, cfg config.Config, r memory.Redactor) (*workflows.Client, error) {
	server, err := homestate.TemporalServer(cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, cfg.Temporal)
	defer cancel()
	given := cfg.Temporal.Address != ""
	cfg.Temporal = server
	// The SDK would log to standard error, where it only frightens.
	c, err := temporal.Dial(ctx, cfg.Temporal, nil)
	switch {
	case memory.CodeOf(err) == memory.Unavailable && !given:
		return nil, memory.Down("Temporal", `start it with "mneme up", or run "mneme doctor" to see every part`, errors.Unwrap(err))
	case err != nil:
		return nil, err
	}
	ledger, err := Ledger(ctx, cfg, c)
	if err != nil {
		c.Close()
		return nil, err
	}
	return workflows.NewClient(c, r, ledger).For(cfg.User), nil
}

// OpenFor connects to the workflows of a ledger that is known, at a known Temporal.
func OpenFor(ctx context.Context, cfg config.Temporal, ledger string, r memory.Redactor) (*workflows.Client, error) {
	ctx, cancel := within(ctx, cfg)
	defer cancel()
	c, err := temporal.Dial(ctx, cfg, nil)
	if err != nil {
		return nil, err
	}
	return workflows.NewClient(c, r, ledger), nil
}

// Ledger returns the identity of the ledger whose workers a door asks: that of
// the home's daemon if it works with the Temporal at cfg's address, else the
// one that is set, else the only one in the namespace that c is connected to.
// It is "" for a daemon of a release that knew no identities.
func Ledger(ctx context.Context, cfg config.Config, c client.Client) (string, error) {
	d, err := homestate.Read(cfg.Home)
	if err == nil && d.Services[homestate.TemporalService].Address == cfg.Temporal.Address && (cfg.Ledger == "" || cfg.Ledger == d.Ledger) {
		if d.Ledger != "" {
			return d.Ledger, nil
		}
		if _, ready, err := homestate.Running(cfg.Home); err == nil && ready {
			return "", nil
		}
	}
	return workflows.FindLedger(ctx, c, cfg.Ledger)
}
