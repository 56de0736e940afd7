package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	embeddedqdrant "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/embedded/qdrantproc"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// Qdrant learnt to weigh sparse vectors by how rare a word is, and the queries that we
// make, with this version.
const oldestMajor, oldestMinor = 1, 10

// qdrantServer is the Qdrant in use, with the index that it keeps.
type qdrantServer struct {
	config.Service
	apiKey string
	index  *qdrant.Index // of the ledger; set by [daemon.openIndex]
}

// startQdrant takes the given Qdrant, else runs the program that is there, else starts the
// embedded server.
func (d *daemon) startQdrant(ctx context.Context) (qdrantServer, error) {
	service, key, err := d.findQdrant(ctx)
	return qdrantServer{Service: service, apiKey: key}, err
}

// openIndex prepares the connection to the Qdrant that runs, for the index of a ledger.
func (d *daemon) openIndex(s qdrantServer, ledger *postgres.Ledger) (*qdrant.Index, error) {
	cfg := d.opts.Config.Qdrant
	cfg.Address, cfg.APIKey = s.Address, s.apiKey
	index, err := assembly.OpenIndex(cfg, ledger, s.Mode != config.Given)
	if err == nil {
		d.stops.push(index.Close)
	}
	return index, err
}

// findQdrant returns a server that runs, and the key that it asks for.
func (d *daemon) findQdrant(ctx context.Context) (service config.Service, key string, err error) {
	cfg := d.opts.Config.Qdrant
	if cfg.Address != "" {
		return config.Service{Address: cfg.Address, Mode: config.Given, OK: true}, cfg.APIKey, nil
	}
	key = rand.Text() // loopback is open to every user of the machine: the key keeps the others out
	switch cfg.Binary {
	case config.None:
		service, err = d.embedQdrant(ctx, key)
	case "":
		service, err = d.tryQdrant(ctx, qdrantproc.Find(), key)
	default:
		if service, err = d.runQdrant(ctx, cfg.Binary, key); err != nil {
			err = memory.Down("Qdrant", "mend it, or set MNEME_QDRANT_BINARY="+config.None+" for the embedded one", err)
		}
	}
	return service, key, err
}

// tryQdrant runs a program that nobody asked for. One that does not do is no reason not to
// start: the embedded server does.
func (d *daemon) tryQdrant(ctx context.Context, binary, key string) (config.Service, error) {
	if binary == "" {
		return d.embedQdrant(ctx, key)
	}
	service, err := d.runQdrant(ctx, binary, key)
	if err == nil {
		return service, nil
	}
	if ctx.Err() != nil {
		return service, ctx.Err()
	}
	d.opts.Logger.WarnContext(ctx, "the qdrant that was found does not do, the embedded one does", "err", err)
	service, err = d.embedQdrant(ctx, key)
	service.Detail = binary + " does not do: see the log"
	return service, err
}

// runQdrant runs the program as a child, on data of its own: it could not read the embedded
// server's.
func (d *daemon) runQdrant(ctx context.Context, binary, key string) (config.Service, error) {
	s, err := qdrantproc.Start(ctx, qdrantproc.Options{
		Binary: binary, Dir: filepath.Join(d.opts.Config.Home, "qdrant-server"),
		APIKey: key, Logger: d.opts.Logger,
	})
	if err != nil {
		return config.Service{}, err
	}
	if tooOld(s.Version()) {
		err := fmt.Errorf("%s is Qdrant %s; %d.%d or newer is needed", binary, s.Version(), oldestMajor, oldestMinor)
		return config.Service{}, errors.Join(err, s.Stop())
	}
	d.stops.push(s.Stop)
	return config.Service{Address: s.Addr(), Mode: config.Found, Version: s.Version(), OK: true}, nil
}

// tooOld reports whether a version is known to lack what we need. One that cannot be read
// is given a try.
func tooOld(version string) bool {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	if errMajor != nil || errMinor != nil {
		return false
	}
	return major < oldestMajor || major == oldestMajor && minor < oldestMinor
}

func (d *daemon) embedQdrant(ctx context.Context, key string) (config.Service, error) {
	s, err := embeddedqdrant.Start(ctx, embeddedqdrant.Options{
		Dir: filepath.Join(d.opts.Config.Home, "qdrant"), APIKey: key, Logger: d.opts.Logger,
	})
	if err != nil {
		return config.Service{}, err
	}
	d.stops.push(s.Stop)
	return config.Service{Address: s.Addr(), Mode: config.Embedded, Version: embeddedqdrant.Version, OK: true}, nil
}
