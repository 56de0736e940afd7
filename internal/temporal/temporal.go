// Package temporal connects to the Temporal server that the settings name, in
// the clear or over TLS. The doors and the workers all do it here, so that one
// setting is enough for all of them.
package temporal

import (
	"context"
	"fmt"
	"log/slog"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// Dial connects to the server at cfg.Address. It fails with
// [memory.Unavailable] when nobody answers there before ctx ends. A nil log
// drops what the client says of its own accord; every error is returned.
func Dial(ctx context.Context, cfg config.Temporal, log *slog.Logger) (client.Client, error) {
	security, err := cfg.TLS.Config()
	if err != nil {
		return nil, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	options := client.Options{
		HostPort: cfg.Address, Namespace: cfg.Namespace, Logger: sdklog.NewStructuredLogger(log),
		ConnectionOptions: client.ConnectionOptions{TLS: security},
	}
	if cfg.APIKey != "" {
		options.Credentials = client.NewAPIKeyStaticCredentials(cfg.APIKey)
	}
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, memory.Down("Temporal", "check MNEME_TEMPORAL_ADDRESS, and the other settings of Temporal that \"mneme config\" shows",
			fmt.Errorf("no answer from Temporal at %s: %w", cfg.Address, err))
	}
	return c, nil
}
