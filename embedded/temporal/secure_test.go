package temporal

import (
	"context"
	"crypto/tls"
	"log/slog"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/homekey"
)

// security is what a new home gives its server.
func security(t testing.TB) *TLS {
	t.Helper()
	home := t.TempDir()
	if err := homekey.Ensure(home); err != nil {
		t.Fatal(err)
	}
	server, err := homekey.Server(home)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := homekey.Client(home)
	if err != nil {
		t.Fatal(err)
	}
	return &TLS{Server: server, Client: caller}
}

// connect dials with or without TLS, as a door does.
func connect(ctx context.Context, srv *Server, security *tls.Config) (client.Client, error) {
	return client.DialContext(ctx, client.Options{
		HostPort: srv.Addr(), Logger: slog.New(slog.DiscardHandler), ConnectionOptions: client.ConnectionOptions{TLS: security},
	})
}

// TestOnlyTheKeyGetsIn runs a workflow on a secured server, whose services call each other for
// it, and tries to connect in other ways. All its ports are tried in internal/test/endtoend.
func TestOnlyTheKeyGetsIn(t *testing.T) {
	t.Parallel()
	opts := testOptions(t)
	opts.TLS = security(t)
	srv := begin(t, opts)
	c, err := connect(t.Context(), srv, opts.TLS.Client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	startWorker(t, c)
	if got, err := ask(t.Context(), c, "store/1", "ab"); err != nil || got != "abab" {
		t.Errorf("with the key: %q, %v", got, err)
	}
	for name, other := range map[string]*tls.Config{"in the clear": nil, "another key": security(t).Client} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if c, err := connect(ctx, srv, other); err == nil {
			c.Close()
			t.Errorf("%s: connected", name)
		}
	}
}

// BenchmarkConnect is what every hook does first: a connection and the first question, with
// TLS and without.
func BenchmarkConnect(b *testing.B) {
	for name, secure := range map[string]*TLS{"clear": nil, "tls": security(b)} {
		b.Run(name, func(b *testing.B) {
			opts := testOptions(b)
			opts.Headless, opts.TLS = true, secure
			srv := begin(b, opts)
			var caller *tls.Config
			if secure != nil {
				caller = secure.Client
			}
			for b.Loop() {
				c, err := connect(b.Context(), srv, caller)
				if err != nil {
					b.Fatal(err)
				}
				c.Close()
			}
		})
	}
}
