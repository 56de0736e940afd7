package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/console"
	"github.com/mneme-memory/mneme/internal/homekey"
	"github.com/mneme-memory/mneme/internal/live"
	"github.com/mneme-memory/mneme/internal/rest"
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
	ledger, log := d.services.postgres.ledger, d.opts.Logger
	feed := live.NewFeed(ledger, log)
	api, err := rest.New(rest.Options{
		Client: client, Keyed: func(key string) rest.Keyable { return client.Keyed(key) }, Events: feed, Sessions: ledger,
		User: d.opts.Config.User, Version: d.opts.Version, Logger: log,
	})
	if err != nil {
		return consoleServer{}, err
	}
	token, _, err := homekey.APIToken(d.opts.Config.Home)
	if err != nil {
		return consoleServer{}, err
	}
	pages, err := console.New(console.Options{
		Client: client, Settings: shownSettings(d.opts.Config), Events: feed, Sessions: ledger, API: api, User: d.opts.Config.User, Version: d.opts.Version, Logger: log,
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
		Handler: entrance(rest.Guard(token, api), guard.Guard(pages)), ReadHeaderTimeout: consoleHeaders,
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

// entrance sends programs, which bear a token, to the API, and browsers, which bear a cookie, to the pages.
func entrance(programs, browsers http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" && strings.HasPrefix(r.URL.Path, rest.Root+"/") {
			programs.ServeHTTP(w, r)
			return
		}
		browsers.ServeHTTP(w, r)
	})
}

// shownSettings are the settings in force, as a page shows them.
func shownSettings(cfg config.Config) []console.Setting {
	about := map[string]config.Description{}
	for _, d := range config.Describe() {
		about[d.Setting] = d
	}
	var out []console.Setting
	for _, s := range cfg.Settings() {
		out = append(out, console.Setting{Name: s.Name, Value: s.Value, Source: s.Source, Env: about[s.Name].Env, About: about[s.Name].Usage})
	}
	return out
}
