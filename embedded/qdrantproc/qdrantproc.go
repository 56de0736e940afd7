// Package qdrantproc runs a qdrant binary that is found on the machine as a child process,
// for a user who has Qdrant but does not run it as a service. It listens on loopback only,
// asks for a key, keeps its data in a folder of its own, sends no telemetry, is started
// again when it dies, and ends when this process does, however that ends.
//
// It is told everything through the environment, as Qdrant documents it
// (QDRANT__SERVICE__GRPC_PORT and the like), so that no configuration file of the user's
// other Qdrants gets in the way and the key is on no command line.
package qdrantproc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mneme-memory/mneme/embedded/internal/child"
	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

// ErrDirInUse says that another live process, or the server it left behind, uses the same Dir.
var ErrDirInUse = folder.ErrInUse

// Options say what to run and where its data live.
type Options struct {
	// Binary is the program. Required; see Find.
	Binary string
	// Dir holds the data and the log. It is made if missing (0700). Required.
	Dir string
	// APIKey must come with every call. Required: loopback is open to every user of the
	// machine.
	APIKey string
	// PEM is a file with a private key and its certificate for 127.0.0.1. The server shows it on its
	// ports, and speaks TLS only. It asks callers for the key alone: Qdrant checks certificates of
	// callers on REST at most. Empty means that it speaks in the clear.
	PEM string
	// Logger is told about restarts. Nil means nowhere.
	Logger *slog.Logger
}

// Server is a running Qdrant. Its methods are safe for concurrent use.
type Server struct {
	opts    Options
	ports   ports
	hold    *os.File // the folder's lock, which the child holds too
	version atomic.Pointer[string]
	keeper  *child.Keeper

	once    sync.Once
	stopErr error
}

// Find returns the path of the qdrant binary that PATH leads to, or "".
func Find() string {
	path, err := exec.LookPath("qdrant")
	if err != nil {
		return ""
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return abs
}

// Addr is the host:port of gRPC. It stays the same over restarts.
func (s *Server) Addr() string { return address(s.ports.grpc) }

// Version is the server's own answer, such as "1.17.1".
func (s *Server) Version() string { return *s.version.Load() }

// PID is the process id, the newest one if it was restarted.
func (s *Server) PID() int { return s.keeper.Current().PID() }

// LogFile is the path of the server's log.
func (s *Server) LogFile() string { return logFile(s.opts.Dir) }

// Done is closed when the server has ended for good, which only Stop does: a server that
// dies of itself is started again.
func (s *Server) Done() <-chan struct{} { return s.keeper.Done() }

// How long each way to ask for the end is given. Qdrant flushes on SIGTERM;
// acknowledged writes are in its write-ahead log in any case.
const (
	gentleTimeout = 15 * time.Second
	forceTimeout  = 5 * time.Second
)

func stopSteps() []child.Step {
	return []child.Step{
		{Signal: syscall.SIGTERM, Timeout: gentleTimeout},
		{Signal: syscall.SIGKILL, Timeout: forceTimeout},
	}
}

// Stop ends the server and waits until it is gone. It may be called more than once, and
// from several goroutines; all get the same answer.
func (s *Server) Stop() error {
	s.once.Do(func() { s.stopErr = errors.Join(s.keeper.Stop(stopSteps()...), s.hold.Close()) })
	return s.stopErr
}

// Start runs the binary and returns when it answers. When ctx ends first, what had begun is
// stopped again. The server does not end with ctx: stop it with Stop.
func Start(ctx context.Context, opts Options) (*Server, error) {
	opts, err := opts.checked()
	if err != nil {
		return nil, fmt.Errorf("start qdrant: %w", err)
	}
	srv, err := start(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("start %s in %s: %w", opts.Binary, opts.Dir, err)
	}
	return srv, nil
}

func (o Options) checked() (Options, error) {
	if o.Binary == "" || o.Dir == "" || o.APIKey == "" {
		return o, errors.New("options Binary, Dir and APIKey are required")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	for _, path := range []*string{&o.Binary, &o.Dir, &o.PEM} {
		if *path == "" {
			continue
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return o, fmt.Errorf("find %s: %w", *path, err)
		}
		*path = abs
	}
	return o, nil
}

func start(ctx context.Context, opts Options) (*Server, error) {
	for _, dir := range []string{opts.Dir, storage(opts.Dir), snapshots(opts.Dir)} {
		if err := folder.Private(dir); err != nil {
			return nil, err
		}
	}
	if opts.PEM != "" {
		if err := splitPEM(opts.PEM, opts.Dir); err != nil {
			return nil, err
		}
	}
	hold, err := holdFolder(ctx, filepath.Join(opts.Dir, "qdrant.lock"))
	if err != nil {
		return nil, err
	}
	srv := &Server{opts: opts, hold: hold}
	first, err := srv.first(ctx)
	if err != nil {
		return nil, errors.Join(err, hold.Close())
	}
	srv.keeper = child.Keep("qdrant", first, srv.launch, opts.Logger)
	return srv, nil
}

// first tries a few pairs of free ports, because between choosing a port and the server
// listening on it somebody else may take it. Later starts keep the ports: clients know them.
func (s *Server) first(ctx context.Context) (*child.Process, error) {
	const attempts = 3
	var errs []error
	for range attempts {
		var err error
		if s.ports, err = choosePorts(); err != nil {
			return nil, err
		}
		process, err := s.launch(ctx)
		if err == nil {
			return process, nil
		}
		errs = append(errs, err)
		if !errors.Is(err, errEnded) || ctx.Err() != nil {
			break // it runs but does not answer: other ports would not help
		}
	}
	return nil, errs[len(errs)-1]
}
