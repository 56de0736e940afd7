// Package temporal connects to the Temporal server that the settings name, in
// the clear or over TLS. The doors and the workers all do it here, so that one
// setting is enough for all of them.
package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// Dial connects to the server at cfg.Address. It fails with
// [memory.Unavailable] when nobody answers there before ctx ends, and with
// [memory.Refused] when the server lets nobody in with this key. A nil log
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
	if denied(err) {
		return nil, memory.Refusal("Temporal", "check MNEME_TEMPORAL_API_KEY and the certificates, and what they give a right to",
			fmt.Errorf("Temporal at %s: %w", cfg.Address, err))
	}
	if err != nil {
		return nil, memory.Down("Temporal", "check MNEME_TEMPORAL_ADDRESS, and the other settings of Temporal that \"mneme config\" shows",
			fmt.Errorf("no answer from Temporal at %s: %w", cfg.Address, err))
	}
	return c, nil
}

// denied reports whether a server knows who asks, or wants to, and says no.
func denied(err error) bool {
	var right *serviceerror.PermissionDenied
	return errors.As(err, &right) || status.Code(err) == codes.Unauthenticated
}
