package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/mneme-memory/mneme/internal/console"
	"github.com/mneme-memory/mneme/internal/live"
	"github.com/mneme-memory/mneme/internal/uilink"
	"github.com/mneme-memory/mneme/workflows"
)

// consoleServer is the console that this daemon serves.
type consoleServer struct {
	address string     // its URL
	key     uilink.Key // of the links into it
}

// How long a request to the console may take, from its first byte to the last of its answer.
const (
	consoleHeaders  = 5 * time.Second
	consolePatience = time.Minute
)

// startConsole serves the console on a free port of loopback. Every user of the machine can reach the
// port: the guard lets in only the holder of a link that was signed with the key.
func (d *daemon) startConsole(ctx context.Context, client *workflows.Client) (consoleServer, error) {
	pages, err := console.New(console.Options{
		Client: client, Events: live.NewFeed(d.services.postgres.ledger, d.opts.Logger), User: d.opts.Config.User, Version: d.opts.Version, Logger: d.opts.Logger,
	})
	if err != nil {
		return consoleServer{}, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return consoleServer{}, fmt.Errorf("serve the console: %w", err)
	}
	c := consoleServer{address: "http://" + listener.Addr().String(), key: uilink.NewKey()}
	guard := uilink.NewGate(uilink.Page{Name: "mneme", Command: "mneme open"}, c.key, nil)
	server := &http.Server{
		Handler: guard.Guard(pages), ReadHeaderTimeout: consoleHeaders,
		ReadTimeout: consolePatience, WriteTimeout: consolePatience,
		MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	d.stops.push(func() error {
		if err := server.Close(); err != nil {
			return fmt.Errorf("stop the console: %w", err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve the console: %w", err)
		}
		return nil
	})
	return c, nil
}
