package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mneme-memory/mneme/internal/bearer"
	"github.com/mneme-memory/mneme/memory"
)

// Path is where the streamable HTTP server answers.
const Path = "/mcp"

// ProjectHeader names the project of calls that name none: over HTTP the
// server does not know where its client works.
const ProjectHeader = "Mneme-Project"

// HTTPOptions configure [Server.ServeHTTP].
type HTTPOptions struct {
	Addr        string // host:port; port 0 picks a free one
	AllowRemote bool   // permit an address beyond loopback
	Token       string // what requests must bear; required
	// Listening is told the address once requests are accepted. May be nil.
	Listening func(net.Addr)
}

// ServeHTTP serves streamable HTTP until ctx ends (nil) or serving fails.
func (s *Server) ServeHTTP(ctx context.Context, opts HTTPOptions) error {
	if opts.Token == "" {
		return memory.Errorf(memory.Invalid, "unset MNEME_MCP_TOKEN for the home's own", "MCP over HTTP needs a token")
	}
	host, _, err := net.SplitHostPort(opts.Addr)
	if err != nil {
		return memory.Errorf(memory.Invalid, "write it as host:port, such as 127.0.0.1:7433", "the address %q: %w", opts.Addr, err)
	}
	if !opts.AllowRemote && !bearer.Loopback(host) {
		return memory.Errorf(memory.Invalid, "use 127.0.0.1, or allow remote clients explicitly, over a network that nobody else reads",
			"%s is reachable from other machines", opts.Addr)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", opts.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", opts.Addr, err)
	}
	if opts.Listening != nil {
		opts.Listening(l.Addr())
	}
	srv := &http.Server{
		Handler: s.Handler(opts), BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	// What is being answered is answered, then the rest is cut off.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		return errors.Join(fmt.Errorf("stop HTTP: %w", err), srv.Close())
	}
	return nil
}

// Handler returns the HTTP handler with all its guards.
func (s *Server) Handler(opts HTTPOptions) http.Handler {
	// Without sessions nothing is lost when the server restarts, and without
	// the GET stream, which has nothing to tell, no request outlives its answer.
	streamable := server.NewStreamableHTTPServer(s.mcp,
		server.WithEndpointPath(Path), server.WithStateLess(true), server.WithDisableStreaming(true), server.WithStreamableHTTPLogger(s.opts.Logger),
		server.WithHTTPContextFunc(func(ctx context.Context, r *http.Request) context.Context {
			return withProject(ctx, r.Header.Get(ProjectHeader))
		}))
	mux := http.NewServeMux()
	mux.Handle(Path, new(bounds).messages(streamable))
	return guard(opts, mux)
}

// guard refuses requests of web pages (which carry another Host or Origin when
// a name was rebound to this machine) and those without the token.
func guard(opts HTTPOptions, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !opts.AllowRemote && !bearer.Loopback(bearer.HostOnly(r.Host)):
			http.Error(w, "forbidden: the Host header is not this machine", http.StatusForbidden)
		case !bearer.OriginAllowed(r):
			http.Error(w, "forbidden: the Origin header is another site", http.StatusForbidden)
		case !bearer.Authorized(opts.Token, r.Header.Get("Authorization")):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "unauthorized: send the token as \"Authorization: Bearer …\"", http.StatusUnauthorized)
		case strings.ContainsFunc(r.Header.Get(ProjectHeader), func(c rune) bool { return c < ' ' }),
			len(r.Header.Get(ProjectHeader)) > memory.MaxNameBytes:
			http.Error(w, "bad "+ProjectHeader+" header", http.StatusBadRequest)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// pass hands a message that was read on to its answer.
func pass(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
	var e envelope
	if json.Unmarshal(body, &e) == nil && e.Method == methodDiscover && e.ID != nil {
		writeJSON(w, refuseDiscover(e.ID))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	next.ServeHTTP(w, r)
}

func writeJSON(w http.ResponseWriter, message mcp.JSONRPCMessage) {
	b, err := json.Marshal(message)
	if err != nil {
		http.Error(w, "the answer could not be encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(b); err != nil {
		return // the client has gone, nobody is left to tell
	}
}
