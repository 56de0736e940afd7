package daemon

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"sync"

	enumspb "go.temporal.io/api/enums/v1"
	"golang.org/x/sync/errgroup"

	embeddedpostgres "github.com/mneme-memory/mneme/embedded/postgres"
	embeddedqdrant "github.com/mneme-memory/mneme/embedded/qdrant"
	embeddedtemporal "github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/workflows"
)

// startServices brings up Temporal, PostgreSQL and Qdrant side by side.
func (d *daemon) startServices(ctx context.Context) error {
	var mu sync.Mutex
	set := func(name string, s config.Service) {
		mu.Lock()
		defer mu.Unlock()
		d.state.Services[name] = s
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return d.startTemporal(ctx, set) })
	group.Go(func() error { return d.startPostgres(ctx, set) })
	group.Go(func() error { return d.startQdrant(ctx, set) })
	return group.Wait()
}

type setter func(name string, s config.Service)

func (d *daemon) startTemporal(ctx context.Context, set setter) error {
	cfg := d.opts.Config
	if cfg.Temporal.Address != "" {
		set("temporal", config.Service{Address: cfg.Temporal.Address, Mode: config.Given, OK: true})
		return nil
	}
	attributes := map[string]enumspb.IndexedValueType{}
	for _, name := range workflows.SearchAttributes() {
		attributes[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	s, err := embeddedtemporal.Start(ctx, embeddedtemporal.Options{
		Dir: filepath.Join(cfg.Home, "temporal"), Namespace: cfg.Temporal.Namespace,
		SearchAttributes: attributes, Logger: d.opts.Logger,
	})
	if err != nil {
		return err
	}
	d.onStop(s.Stop)
	d.state.UI = s.UIURL()
	set("temporal", config.Service{Address: s.Addr(), Mode: config.Embedded, Version: s.Version(), OK: true})
	return nil
}

func (d *daemon) startPostgres(ctx context.Context, set setter) error {
	cfg := d.opts.Config
	if cfg.Postgres.URL != "" {
		set("postgres", config.Service{Address: config.MaskURL(cfg.Postgres.URL), Mode: config.Given, OK: true})
		return nil
	}
	s, err := embeddedpostgres.Start(ctx, embeddedpostgres.Options{
		Dir: filepath.Join(cfg.Home, "postgres"), CacheDir: filepath.Join(cfg.Home, "cache"),
		Progress: d.opts.Progress, Logger: d.opts.Logger,
	})
	if err != nil {
		return err
	}
	d.onStop(s.Stop)
	set("postgres", config.Service{Address: s.URL(), Mode: config.Embedded, Version: s.Version(), OK: true})
	return nil
}

// postgresURL is the address with its password: the state holds a masked one.
func (d *daemon) postgresURL() string {
	if given := d.opts.Config.Postgres.URL; given != "" {
		return given
	}
	return d.state.Services["postgres"].Address
}

func (d *daemon) startQdrant(ctx context.Context, set setter) error {
	cfg := d.opts.Config
	if cfg.Qdrant.Address != "" {
		set("qdrant", config.Service{Address: cfg.Qdrant.Address, Mode: config.Given, OK: true})
		d.state.QdrantAPIKey = cfg.Qdrant.APIKey
		return nil
	}
	// Loopback is open to every user of the machine: the key keeps the others out.
	key := rand.Text()
	s, err := embeddedqdrant.Start(ctx, embeddedqdrant.Options{
		Dir: filepath.Join(cfg.Home, "qdrant"), APIKey: key, Logger: d.opts.Logger,
	})
	if err != nil {
		return err
	}
	d.onStop(s.Stop)
	d.state.QdrantAPIKey = key
	set("qdrant", config.Service{Address: s.Addr(), Mode: config.Embedded, Version: embeddedqdrant.Version, OK: true})
	return nil
}
