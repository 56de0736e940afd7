package daemon

import (
	"context"
	"errors"
	"path/filepath"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/converter"

	embeddedtemporal "github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/homekey"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/internal/uilink"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// temporalServer is the Temporal in use. The worker makes its own connection to it.
type temporalServer struct {
	homestate.Service
	ui    string     // URL of its user interface; empty if we started none
	uiKey uilink.Key // of the links into it
}

// startTemporal takes the given Temporal, else starts the embedded one.
func (d *daemon) startTemporal(ctx context.Context) (temporalServer, error) {
	cfg := d.opts.Config
	if cfg.Temporal.Address != "" {
		return temporalServer{Service: homestate.Service{Address: cfg.Temporal.Address, Mode: homestate.Given}}, nil
	}
	attributes := map[string]enumspb.IndexedValueType{}
	for _, name := range workflows.SearchAttributes() {
		attributes[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	uiKey := uilink.NewKey()
	security, err := temporalTLS(cfg.Home)
	if err != nil {
		return temporalServer{}, err
	}
	codec, err := temporal.Codec(cfg.Temporal)
	if err != nil {
		return temporalServer{}, err
	}
	s, err := embeddedtemporal.Start(ctx, embeddedtemporal.Options{
		Dir: filepath.Join(cfg.Home, "temporal"), Namespace: cfg.Temporal.Namespace, UIPort: cfg.UI.Port,
		UIGuard:          uilink.NewGate(uilink.Page{Name: "Temporal UI", Command: "mneme ui"}, uiKey, nil).Guard,
		UICodec:          converter.NewPayloadCodecHTTPHandler(codec),
		SearchAttributes: attributes, TLS: security, Logger: d.opts.Logger,
	})
	if errors.Is(err, embeddedtemporal.ErrNewerFile) {
		return temporalServer{}, memory.Refusal("Temporal",
			"start the newer mneme; without it, move "+filepath.Join(cfg.Home, "temporal")+
				" away: what is stored stays, what was accepted and still waits is lost", err)
	}
	if err != nil {
		return temporalServer{}, err
	}
	d.stops.push(s.Stop)
	return temporalServer{
		Service: homestate.Service{Address: s.Addr(), Mode: homestate.Embedded, Secured: true}, ui: s.UIURL(), uiKey: uiKey,
	}, nil
}

// temporalTLS lets only who holds the home's key call the server's parts.
func temporalTLS(home string) (*embeddedtemporal.TLS, error) {
	server, err := homekey.Server(home)
	if err != nil {
		return nil, err
	}
	client, err := homekey.Client(home)
	return &embeddedtemporal.TLS{Server: server, Client: client}, err
}
