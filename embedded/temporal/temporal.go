// Package temporal runs a Temporal server inside this process, for a laptop that has no
// cluster: the real server (frontend, history, matching, worker) on one SQLite file, with
// the Temporal UI beside it. Clients dial Addr as they would dial a cluster.
//
// Everything listens on 127.0.0.1 and nothing calls out. What the server answered a client
// is on the disk, so it survives the death of the process and a power cut. A file that an
// older Temporal made is upgraded by the first start with a newer one.
//
//	srv, err := temporal.Start(ctx, temporal.Options{Dir: dir, Logger: log})
//	if err != nil {
//		return err
//	}
//	defer srv.Stop()
//	c, err := client.Dial(client.Options{HostPort: srv.Addr()})
package temporal

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/temporal"

	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

// Defaults for the fields of Options left zero.
const (
	DefaultNamespace = "default"
	// DefaultRetention is a day and a half: long enough to look at what happened
	// yesterday in the UI, short enough that the file stays small.
	DefaultRetention = 36 * time.Hour
)

// ErrPortTaken says that the port asked for clients belongs to somebody else.
var ErrPortTaken = errors.New("port is already in use")

// ErrDirInUse says that another Temporal server works on the same Dir.
var ErrDirInUse = folder.ErrInUse

// Options say where the server keeps its data and what it should look like.
type Options struct {
	// Dir holds temporal.db, and for the time of Retention what it was before an upgrade. It
	// is made if missing (0700). Required.
	Dir string

	// Port is where clients connect. Zero means a free one; see Server.Addr.
	Port int
	// UIPort is where the web interface answers if it can. Zero, or a port that is
	// taken, means a free one: the interface is for people, who are told Server.UIURL.
	UIPort int
	// UIGuard decides who may use the web interface. Nil admits every process that finds the
	// port.
	UIGuard func(http.Handler) http.Handler
	// UICodec makes the web interface show payloads that clients encrypt: it is Temporal's
	// "codec server", whose answers only those see whom UIGuard lets in. Nil shows them as
	// they are.
	UICodec http.Handler
	// Headless leaves the web interface out.
	Headless bool

	// TLS secures the ports of all four services, those between them too, so that only
	// who it lets in can call any. Nil means in the clear, for whoever finds a port.
	TLS *TLS

	// Namespace is created if missing. Defaults to DefaultNamespace.
	Namespace string
	// Retention is how long a finished workflow can be looked at before it is deleted.
	// At least an hour. Defaults to DefaultRetention.
	Retention time.Duration
	// SearchAttributes are registered in Namespace if missing, by name.
	SearchAttributes map[string]enumspb.IndexedValueType

	// Logger receives what Temporal logs at Warn and above. Nil means nowhere.
	Logger *slog.Logger

	// The tests shorten these; zero means the package's own values.
	retentionJitter time.Duration
	upkeepInterval  time.Duration
	// The tests put a disk that forgets between SQLite and its files.
	vfs     string
	syncLog func(*os.File) error
}

// TLS says how the services speak it, as servers and as callers of each other. Both are
// required. The server decides by its ClientAuth who is let in.
type TLS struct{ Server, Client *tls.Config }

// Server is a running Temporal server. Its methods are safe for concurrent use.
type Server struct {
	addr   string
	ui     *webUI // nil when headless
	stop   func() error
	once   sync.Once
	stopOK error
}

// Addr is the host:port clients dial.
func (s *Server) Addr() string { return s.addr }

// UIAddr is the host:port of the web interface, empty when headless.
func (s *Server) UIAddr() string {
	if s.ui == nil {
		return ""
	}
	return s.ui.addr
}

// UIURL is the address to open in a browser, empty when headless.
func (s *Server) UIURL() string {
	if s.ui == nil {
		return ""
	}
	return "http://" + s.ui.addr
}

// Version is the version of the Temporal server, such as "1.32.1".
func (s *Server) Version() string { return headers.ServerVersion }

// Stop ends the web interface, then the server, and returns when the ports are closed.
// It may be called more than once, and from several goroutines; all get the same answer.
func (s *Server) Stop() error {
	s.once.Do(func() { s.stopOK = s.stop() })
	return s.stopOK
}

// Start brings the server up and returns when Namespace can be used. When ctx ends first,
// or a part fails, what had begun is stopped again. The server does not end with ctx: stop
// it with Stop.
func Start(ctx context.Context, opts Options) (*Server, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("start temporal: %w", err)
	}
	srv, err := start(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("start temporal in %s: %w", opts.Dir, err)
	}
	return srv, nil
}

func (o Options) withDefaults() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("option Dir is required")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("find %s: %w", o.Dir, err)
	}
	o.Dir = dir
	if o.Namespace == "" {
		o.Namespace = DefaultNamespace
	}
	if o.Retention == 0 {
		o.Retention = DefaultRetention
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.retentionJitter == 0 {
		o.retentionJitter = defaultRetentionJitter
	}
	if o.upkeepInterval == 0 {
		o.upkeepInterval = defaultUpkeepInterval
	}
	if o.syncLog == nil {
		o.syncLog = (*os.File).Sync
	}
	return o, nil
}

// start holds what must be undone as a stack, so that any failure unwinds it in reverse.
func start(ctx context.Context, opts Options) (_ *Server, err error) {
	var undo unwinder
	defer func() {
		if err != nil {
			err = errors.Join(err, undo.run())
		}
	}()

	unlock, err := lockDir(opts.Dir)
	if err != nil {
		return nil, err
	}
	undo.push(unlock)

	db, err := openDatabase(ctx, opts)
	if err != nil {
		return nil, err
	}
	undo.push(db.close)

	addr, stopServer, err := startServer(ctx, opts, db)
	if err != nil {
		return nil, err
	}
	undo.push(stopServer)

	if err := ensureNamespace(ctx, addr, opts); err != nil {
		return nil, err
	}

	srv := &Server{addr: addr, stop: undo.run}
	if opts.Headless {
		return srv, nil
	}
	if srv.ui, err = startUI(opts, addr); err != nil {
		return nil, err
	}
	undo.push(srv.ui.stop)
	srv.stop = undo.run
	return srv, nil
}

// unwinder remembers how to take back what was done.
type unwinder struct{ steps []func() error }

func (u *unwinder) push(step func() error) { u.steps = append(u.steps, step) }

// run takes everything back, newest first, and reports every step that failed.
func (u *unwinder) run() error {
	var errs []error
	for i := len(u.steps) - 1; i >= 0; i-- {
		errs = append(errs, u.steps[i]())
	}
	u.steps = nil
	return errors.Join(errs...)
}

// lockDir keeps a second server off the file: two Temporals on one SQLite file would both
// believe they own the only shard.
func lockDir(dir string) (unlock func() error, err error) {
	if err := folder.Private(dir); err != nil {
		return nil, err
	}
	return folder.Lock(filepath.Join(dir, "temporal.lock"))
}

// startServer tries a few sets of free ports, because between choosing a port and the
// server listening on it somebody else may take it. A port the user asked for is final.
func startServer(ctx context.Context, opts Options, db *database) (addr string, stop func() error, err error) {
	const attempts = 5
	for range attempts {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		var p ports
		if p, err = choosePorts(opts.Port); err != nil {
			return "", nil, err
		}
		if stop, err = runServer(opts, db, p); err == nil {
			return p.frontendAddr(), stop, nil
		}
		if opts.Port != 0 && p.frontendTaken() {
			return "", nil, fmt.Errorf("listen on %s: %w", p.frontendAddr(), ErrPortTaken)
		}
	}
	return "", nil, err
}

// runServer builds and starts the four services. Temporal reports some failures only by
// its logger's Fatal, which must not return; ours panics with a fatalError, and here, on
// the goroutine that builds the server, it becomes an error again.
func runServer(opts Options, db *database, p ports) (stop func() error, err error) {
	defer func() {
		if r := recover(); r != nil {
			fatal, ok := r.(fatalError)
			if !ok {
				panic(r)
			}
			stop, err = nil, fatal
		}
	}()
	logger, mute := newLogger(opts.Logger)
	srv, err := temporal.NewServer(serverOptions(opts, db, p, logger)...)
	if err != nil {
		return nil, fmt.Errorf("build server: %w", err)
	}
	if err := srv.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start services: %w", err), srv.Stop())
	}
	return func() error { mute(); return srv.Stop() }, nil
}
