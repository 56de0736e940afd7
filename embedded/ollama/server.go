// Package ollama is an HTTP server with Ollama's API and one model, mneme-static, in
// process. It stands in where no Ollama runs, so that everything above it speaks to an
// Ollama in any case. What it answers follows Ollama 0.17.4; calls beyond that (other
// models, chat) are refused by name.
//
// [Start] listens on loopback only. A request from a web page, or one that reached us
// through a foreign host name (DNS rebinding), is refused.
package ollama

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
)

// Version is what /api/version answers: the Ollama whose API this is, and whose server.
const Version = "0.17.4+mneme"

// Model is the name of the only model served.
const Model = static.Name

const (
	// stopTimeout is how long Stop waits for requests under way.
	stopTimeout = 5 * time.Second
	// headerTimeout and bodyTimeout keep a client that sends nothing from holding a
	// connection for ever.
	headerTimeout = 10 * time.Second
	bodyTimeout   = time.Minute
	idleTimeout   = 2 * time.Minute
)

// Options say where to listen. The zero value is a free port and no log.
type Options struct {
	// Addr is the address to listen on, host:port; port 0 picks a free one. A host
	// that is not loopback is refused. Empty means "127.0.0.1:0".
	Addr string
	// TLS makes it an https server, which decides by its ClientAuth who may connect at all.
	// Nil means http.
	TLS *tls.Config
	// Logger receives one debug line a request and what net/http complains about.
	// Nil means no log.
	Logger *slog.Logger
}

// Server is a running server. Make one with [Start]; [Server.Stop] ends it.
type Server struct {
	addr    string
	scheme  string // http or https
	http    *http.Server
	done    chan struct{} // closed when Serve has returned
	serving error         // why Serve returned; read after done
	stop    func() error  // runs once
}

// Start listens and serves until [Server.Stop]. ctx bounds only the start; its values
// are seen by requests. The model is loaded by the first request that needs it.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if opts.Addr == "" {
		opts.Addr = "127.0.0.1:0"
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	listener, err := listenLoopback(ctx, opts.Addr)
	if err != nil {
		return nil, err
	}
	base := context.WithoutCancel(ctx)
	s := &Server{addr: listener.Addr().String(), scheme: "http", done: make(chan struct{})}
	s.http = &http.Server{
		Handler:           newHandler(opts.Logger),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(opts.Logger.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return base },
	}
	if opts.TLS != nil {
		s.scheme, listener = "https", tls.NewListener(listener, opts.TLS)
	}
	s.stop = sync.OnceValue(func() error { return s.shutdown(base) })
	go func() {
		defer close(s.done)
		s.serving = s.http.Serve(listener)
	}()
	return s, nil
}

// listenLoopback listens on addr, or refuses when that is not loopback. The name is
// judged by what it was bound to: "localhost" may be anything in a hosts file.
func listenLoopback(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	if !isLoopbackName(host) {
		return nil, fmt.Errorf("listen on %q: only a loopback address is allowed, such as 127.0.0.1:11434", addr)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	bound, ok := listener.Addr().(*net.TCPAddr)
	if ok && bound.IP.IsLoopback() {
		return listener, nil
	}
	refused := fmt.Errorf("listen on %q: it resolves to %v, which is not loopback", addr, listener.Addr())
	return nil, errors.Join(refused, listener.Close())
}

// Addr returns the address the server listens on, host:port.
func (s *Server) Addr() string { return s.addr }

// URL returns the server's base URL, without a slash at the end.
func (s *Server) URL() string { return s.scheme + "://" + s.addr }

// Stop ends the server: requests under way get five seconds, then their connections are
// closed. It returns when nothing runs any more. It may be called again, from anywhere,
// and then returns what the first call returned.
func (s *Server) Stop() error { return s.stop() }

func (s *Server) shutdown(base context.Context) error {
	ctx, cancel := context.WithTimeout(base, stopTimeout)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.done
	if s.serving != nil && !errors.Is(s.serving, http.ErrServerClosed) {
		err = errors.Join(err, s.serving)
	}
	if err != nil {
		return fmt.Errorf("stop embedding server %s: %w", s.addr, err)
	}
	return nil
}
