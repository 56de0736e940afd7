package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"google.golang.org/grpc"

	embeddedqdrant "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/embedded/qdrantproc"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homekey"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// qdrantServer is the Qdrant in use, with the index that it keeps.
type qdrantServer struct {
	homestate.Service
	apiKey string
	local  grpc.UnaryClientInterceptor // answers calls of this process; nil if the server is another one
	index  *qdrant.Index               // of the ledger; set by [daemon.openIndex]

	compact func(context.Context) error // writes the files of the embedded server anew; nil if it is another one
}

// openIndex prepares the connection to the Qdrant that runs, for the index of a ledger.
func (d *daemon) openIndex(s qdrantServer, ledger *postgres.Ledger) (*qdrant.Index, error) {
	cfg := d.opts.Config.Qdrant
	cfg.Address, cfg.APIKey = s.Address, s.apiKey
	if s.Secured {
		cfg.TLS = config.HomeTLS(d.opts.Config.Home)
	}
	index, err := assembly.OpenIndex(cfg, ledger, s.Mode != homestate.Given, s.local)
	if err == nil {
		d.stops.push(index.Close)
	}
	return index, err
}

// startQdrant takes the given Qdrant, else runs the program that is there, else starts the
// embedded server.
func (d *daemon) startQdrant(ctx context.Context) (s qdrantServer, err error) {
	cfg := d.opts.Config.Qdrant
	if cfg.Address != "" {
		return qdrantServer{Service: homestate.Service{Address: cfg.Address, Mode: homestate.Given}, apiKey: cfg.APIKey}, nil
	}
	key := rand.Text() // loopback is open to every user of the machine: the key keeps the others out
	switch cfg.Binary {
	case config.None:
		return d.embedQdrant(ctx, key)
	case "":
		return d.tryQdrant(ctx, qdrantproc.Find(), key)
	}
	if s, err = d.runQdrant(ctx, cfg.Binary, key); err != nil {
		err = memory.Down("Qdrant", "mend it, or set MNEME_QDRANT_BINARY="+config.None+" for the embedded one", err)
	}
	return s, err
}

// tryQdrant runs a program that nobody asked for. One that does not do is no reason not to
// start: the embedded server does.
func (d *daemon) tryQdrant(ctx context.Context, binary, key string) (qdrantServer, error) {
	if binary == "" {
		return d.embedQdrant(ctx, key)
	}
	s, err := d.runQdrant(ctx, binary, key)
	if err == nil {
		return s, nil
	}
	if ctx.Err() != nil {
		return s, ctx.Err()
	}
	d.opts.Logger.WarnContext(ctx, "the qdrant that was found does not do, the embedded one does", "err", err)
	s, err = d.embedQdrant(ctx, key)
	s.Note = binary + " does not do: see the log"
	return s, err
}

// runQdrant runs the program as a child, on data of its own: it could not read the embedded
// server's.
func (d *daemon) runQdrant(ctx context.Context, binary, key string) (qdrantServer, error) {
	s, err := qdrantproc.Start(ctx, qdrantproc.Options{
		Binary: binary, Dir: filepath.Join(d.opts.Config.Home, "qdrant-server"),
		APIKey: key, PEM: config.HomeKeyPath(d.opts.Config.Home), Logger: d.opts.Logger,
	})
	if err != nil {
		return qdrantServer{}, err
	}
	if memory.Older(s.Version(), qdrant.Oldest) {
		err := fmt.Errorf("%s is Qdrant %s; %s or newer is needed", binary, s.Version(), qdrant.Oldest)
		return qdrantServer{}, errors.Join(err, s.Stop())
	}
	d.stops.push(s.Stop)
	return qdrantServer{Service: homestate.Service{Address: s.Addr(), Mode: homestate.Found, Secured: true}, apiKey: key}, nil
}

// embedQdrant starts the embedded server. This process calls it directly, all others over its port.
func (d *daemon) embedQdrant(ctx context.Context, key string) (qdrantServer, error) {
	security, err := homekey.Server(d.opts.Config.Home)
	if err != nil {
		return qdrantServer{}, err
	}
	s, err := embeddedqdrant.Start(ctx, embeddedqdrant.Options{
		Dir: filepath.Join(d.opts.Config.Home, "qdrant"), APIKey: key, TLS: security, Logger: d.opts.Logger,
	})
	if err != nil {
		return qdrantServer{}, err
	}
	d.stops.push(s.Stop)
	return qdrantServer{
		Service: homestate.Service{Address: s.Addr(), Mode: homestate.Embedded, Secured: true},
		apiKey:  key, local: s.Local(), compact: s.Compact,
	}, nil
}
