package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	embeddedpostgres "github.com/mneme-memory/mneme/embedded/postgres"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

// postgresServer is the PostgreSQL in use, with the ledger that it keeps.
type postgresServer struct {
	homestate.Service
	ledger   *postgres.Ledger
	identity string       // of the ledger
	stats    memory.Stats // of the ledger, when it was opened
}

// startPostgres takes the given PostgreSQL, else starts one; and opens the ledger.
func (d *daemon) startPostgres(ctx context.Context) (postgresServer, error) {
	service, url, err := d.findPostgres(ctx)
	if err != nil {
		return postgresServer{}, err
	}
	ledger, err := assembly.OpenLedger(ctx, url, d.opts.Logger)
	if err != nil {
		return postgresServer{}, err
	}
	d.stops.push(func() error { ledger.Close(); return nil })
	identity, err := assembly.Identity(ctx, d.opts.Config, ledger)
	if err != nil {
		return postgresServer{}, err
	}
	stats, err := ledger.Stats(ctx)
	if err != nil {
		return postgresServer{}, fmt.Errorf("read the ledger: %w", err)
	}
	return postgresServer{Service: service, ledger: ledger, identity: identity, stats: stats}, nil
}

// findPostgres returns a server that runs, and its URL with the password in it, which the
// address of the service hides.
func (d *daemon) findPostgres(ctx context.Context) (service homestate.Service, url string, err error) {
	cfg := d.opts.Config
	if given := cfg.Postgres.URL; given != "" {
		return homestate.Service{Address: config.MaskURL(given), Mode: homestate.Given}, given, nil
	}
	opts := embeddedpostgres.Options{
		Dir: filepath.Join(cfg.Home, "postgres"), CacheDir: filepath.Join(cfg.Home, "cache"),
		Progress: d.opts.Progress, Logger: d.opts.Logger,
	}
	if cfg.Postgres.Bin == config.Fetched {
		opts.OnlyFetched = true
	} else {
		opts.BinDir = cfg.Postgres.Bin
	}
	s, err := embeddedpostgres.Start(ctx, opts)
	if errors.Is(err, embeddedpostgres.ErrNotFound) && ctx.Err() == nil {
		return service, "", memory.Down("PostgreSQL", embeddedpostgres.InstallHint, err)
	}
	if err != nil {
		return service, "", err
	}
	d.stops.push(s.Stop)
	return homestate.Service{Address: s.URL(), Mode: homestate.Embedded}, s.URL(), nil
}
