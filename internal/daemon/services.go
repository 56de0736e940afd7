package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	enumspb "go.temporal.io/api/enums/v1"
	"golang.org/x/sync/errgroup"

	embeddedpostgres "github.com/mneme-memory/mneme/embedded/postgres"
	embeddedtemporal "github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// startServices brings up the services and the adapters to them side by side.
// Only Ollama waits for another: the ledger names the model.
func (d *daemon) startServices(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return d.startTemporal(ctx) })
	group.Go(func() error { return d.startQdrant(ctx) })
	group.Go(func() error {
		if err := d.startPostgres(ctx); err != nil {
			return err
		}
		if err := d.openLedger(ctx); err != nil {
			return err
		}
		return d.startOllama(ctx)
	})
	return group.Wait()
}

func (d *daemon) startTemporal(ctx context.Context) error {
	cfg := d.opts.Config
	if cfg.Temporal.Address != "" {
		d.set(config.TemporalService, config.Service{Address: cfg.Temporal.Address, Mode: config.Given, OK: true})
		return nil
	}
	attributes := map[string]enumspb.IndexedValueType{}
	for _, name := range workflows.SearchAttributes() {
		attributes[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	s, err := embeddedtemporal.Start(ctx, embeddedtemporal.Options{
		Dir: filepath.Join(cfg.Home, "temporal"), Namespace: cfg.Temporal.Namespace, UIPort: cfg.UI.Port,
		SearchAttributes: attributes, Logger: d.opts.Logger,
	})
	if err != nil {
		return err
	}
	d.onStop(s.Stop)
	d.state.UI = s.UIURL()
	d.set(config.TemporalService, config.Service{Address: s.Addr(), Mode: config.Embedded, Version: s.Version(), OK: true})
	return nil
}

func (d *daemon) startPostgres(ctx context.Context) error {
	cfg := d.opts.Config
	if cfg.Postgres.URL != "" {
		d.postgresURL = cfg.Postgres.URL
		d.set(config.PostgresService, config.Service{Address: config.MaskURL(cfg.Postgres.URL), Mode: config.Given, OK: true})
		return nil
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
		return memory.Down("PostgreSQL", embeddedpostgres.InstallHint, err)
	}
	if err != nil {
		return err
	}
	d.onStop(s.Stop)
	d.postgresURL = s.URL()
	d.set(config.PostgresService, config.Service{Address: s.URL(), Mode: config.Embedded, Version: s.Version(), OK: true})
	return nil
}

func (d *daemon) openLedger(ctx context.Context) error {
	ledger, err := assembly.OpenLedger(ctx, d.postgresURL, d.opts.Logger)
	if err != nil {
		return err
	}
	d.onStop(func() error { ledger.Close(); return nil })
	d.ledger = ledger
	if d.stats, err = ledger.Stats(ctx); err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	return nil
}
