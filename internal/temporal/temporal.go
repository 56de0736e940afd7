// Package temporal connects to the Temporal server that the settings name, in
// the clear or over TLS, and encrypts what it is told to keep. The doors and the workers all do it here, so that one
// setting is enough for all of them.
package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/payload"
	"github.com/mneme-memory/mneme/memory"
)

// Dial connects to the server at cfg.Address. It fails with
// [memory.Unavailable] when nobody answers there before ctx ends, and with
// [memory.Refused] when the server lets nobody in with this key. A nil log
// drops what the client says of its own accord; every error is returned.
func Dial(ctx context.Context, cfg config.Temporal, log *slog.Logger) (client.Client, error) {
	options, err := Options(cfg, log)
	if err != nil {
		return nil, err
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

// Options returns how [Dial] connects, for who needs more of the connection than that.
func Options(cfg config.Temporal, log *slog.Logger) (client.Options, error) {
	security, err := cfg.TLS.Config()
	if err != nil {
		return client.Options{}, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	codec, err := Codec(cfg)
	if err != nil {
		return client.Options{}, err
	}
	encrypt, err := converter.NewPayloadCodecGRPCClientInterceptor(converter.PayloadCodecGRPCClientInterceptorOptions{
		Codecs: []converter.PayloadCodec{codec},
	})
	if err != nil {
		return client.Options{}, fmt.Errorf("encrypt what Temporal keeps: %w", err)
	}
	options := client.Options{
		HostPort: cfg.Address, Namespace: cfg.Namespace, Logger: sdklog.NewStructuredLogger(log),
		// Messages of failures may hold texts: they travel as payloads too.
		FailureConverter: temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{EncodeCommonAttributes: true}),
		// On the connection, and not as the client's converter: so that everything is opened
		// that comes over it, the failures of steps and the histories too that a door looks at.
		ConnectionOptions: client.ConnectionOptions{
			TLS: security, DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(encrypt)},
		},
	}
	if cfg.APIKey != "" {
		options.Credentials = client.NewAPIKeyStaticCredentials(cfg.APIKey)
	}
	return options, nil
}

// Codec returns what encrypts everything that is sent to the server at cfg.Address, and
// decrypts what comes from there.
func Codec(cfg config.Temporal) (payload.Codec, error) {
	keys, err := payload.Open(payload.Source{File: cfg.KeyFile, Given: cfg.KeyFileGiven, Command: cfg.KeyCommand})
	return payload.Codec{Keys: keys}, err
}

// denied reports whether a server knows who asks, or wants to, and says no.
func denied(err error) bool {
	var right *serviceerror.PermissionDenied
	return errors.As(err, &right) || status.Code(err) == codes.Unauthenticated
}
