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
	"github.com/mneme-memory/mneme/memory"
)

// Qdrant learnt to weigh sparse vectors by how rare a word is, and the queries that we
// make, with this version.
const oldestMajor, oldestMinor = 1, 10

// startQdrant takes the given Qdrant, else runs the program that is there, else starts the
// embedded server; and connects to it.
func (d *daemon) startQdrant(ctx context.Context) error {
	cfg := d.opts.Config.Qdrant
	if cfg.Address != "" {
		d.state.QdrantAPIKey = cfg.APIKey
		return d.useQdrant(config.Service{Address: cfg.Address, Mode: config.Given, OK: true})
	}
	// Loopback is open to every user of the machine: the key keeps the others out.
	d.state.QdrantAPIKey = rand.Text()
	switch cfg.Binary {
	case config.None:
		return d.embedQdrant(ctx, "")
	case "":
		return d.tryQdrant(ctx, qdrantproc.Find())
	}
	service, err := d.runQdrant(ctx, cfg.Binary)
	if err != nil {
		return memory.Down("Qdrant", "mend it, or set MNEME_QDRANT_BINARY="+config.None+" for the embedded one", err)
	}
	return d.useQdrant(service)
}

// tryQdrant runs a program that nobody asked for. One that does not do is no reason not to
// start: the embedded server does.
func (d *daemon) tryQdrant(ctx context.Context, binary string) error {
	if binary == "" {
		return d.embedQdrant(ctx, "")
	}
	service, err := d.runQdrant(ctx, binary)
	if err == nil {
		return d.useQdrant(service)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.opts.Logger.WarnContext(ctx, "the qdrant that was found does not do, the embedded one does", "err", err)
	return d.embedQdrant(ctx, binary+" does not do: see the log")
}

// runQdrant runs the program as a child, on data of its own: it could not read the embedded
// server's.
func (d *daemon) runQdrant(ctx context.Context, binary string) (config.Service, error) {
	s, err := qdrantproc.Start(ctx, qdrantproc.Options{
		Binary: binary, Dir: filepath.Join(d.opts.Config.Home, "qdrant-server"),
		APIKey: d.state.QdrantAPIKey, Logger: d.opts.Logger,
	})
	if err != nil {
		return config.Service{}, err
	}
	if tooOld(s.Version()) {
		err := fmt.Errorf("%s is Qdrant %s; %d.%d or newer is needed", binary, s.Version(), oldestMajor, oldestMinor)
		return config.Service{}, errors.Join(err, s.Stop())
	}
	d.onStop(s.Stop)
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

func (d *daemon) embedQdrant(ctx context.Context, detail string) error {
	s, err := embeddedqdrant.Start(ctx, embeddedqdrant.Options{
		Dir: filepath.Join(d.opts.Config.Home, "qdrant"), APIKey: d.state.QdrantAPIKey, Logger: d.opts.Logger,
	})
	if err != nil {
		return err
	}
	d.onStop(s.Stop)
	return d.useQdrant(config.Service{Address: s.Addr(), Mode: config.Embedded, Version: embeddedqdrant.Version, OK: true, Detail: detail})
}

func (d *daemon) useQdrant(s config.Service) error {
	index, err := assembly.OpenIndex(config.Qdrant{Address: s.Address, APIKey: d.state.QdrantAPIKey, TLS: d.opts.Config.Qdrant.TLS})
	if err != nil {
		return err
	}
	d.onStop(index.Close)
	d.index = index
	d.set(config.QdrantService, s)
	return nil
}
