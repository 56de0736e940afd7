// Package postgres runs a private PostgreSQL for a laptop that has none to dial: it finds
// the binaries or fetches them once, makes a cluster in a folder of its own, runs it as a
// child process, restarts it when it dies, and takes it down again.
//
// Nothing but this user's processes can reach it. It listens on a Unix socket in a 0700
// folder and on no port; the server asks the kernel who is calling (peer), so there is no
// password anywhere. Its log holds no statement, parameter or error of a client.
//
// # Root
//
// PostgreSQL refuses to run as root, so a root caller's server runs as the user postgres,
// or nobody where there is none. The cluster still lives in Dir, which may be below a
// folder that user cannot enter (/root/.mneme): data and socket folder belong to that user
// and are handed to the server as open file descriptors, by which Linux lets it in
// (/proc/self/fd/N) without any parent's permissions being loosened. Other systems have no
// such door, and there Start refuses to work as root.
//
// # Death
//
// When the parent dies, however it dies, the kernel (or on other systems a tiny watcher)
// tells the server to shut down. A Start that still finds an old server on its folder
// stops that one first.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mneme-memory/mneme/embedded/internal/child"
	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

// MinVersion is the oldest major version of PostgreSQL that will do.
const MinVersion = 13

// ErrDirInUse says that another live process runs the cluster in the same Dir.
var ErrDirInUse = folder.ErrInUse

// name is the role that owns everything, and the database.
const name = "mneme"

// Options say where the cluster lives and where its binaries come from.
type Options struct {
	// Dir holds the cluster, its socket and its log. It is made if missing (0700). Required.
	Dir string

	// CacheDir is where binaries are fetched to when the machine has none. Empty means
	// that nothing is fetched.
	CacheDir string
	// BinDir is the folder with initdb and postgres. Empty means: look for them.
	BinDir string
	// OnlyFetched leaves what is installed on the machine out: binaries are fetched to
	// CacheDir, or used from there.
	OnlyFetched bool

	// Progress is told how fetching goes: done bytes, total bytes (-1 if not known) and
	// what is being done. It is called from one goroutine at a time. Nil means silence.
	Progress func(done, total int64, what string)

	// Logger is told about restarts. Nil means nowhere.
	Logger *slog.Logger
}

// Server is a running PostgreSQL. Its methods are safe for concurrent use.
type Server struct {
	bin     Binaries
	place   *place
	log     *slog.Logger
	keeper  *child.Keeper
	release func() error // gives back the folder's lock and the socket's folder

	once    sync.Once
	stopErr error
}

// URL is the connection string for pgx. It holds no password and stays the same over
// restarts and over later Starts on the same Dir.
func (s *Server) URL() string { return s.place.url(name) }

// Version is the version of the server, such as "15.18".
func (s *Server) Version() string { return s.bin.Version }

// BinDir is the folder of the binaries in use.
func (s *Server) BinDir() string { return s.bin.Dir }

// LogFile is the path of the server's log.
func (s *Server) LogFile() string { return s.place.logFile }

// PID is the process id of the postmaster, the newest one if it was restarted.
func (s *Server) PID() int { return s.keeper.Current().PID() }

// Done is closed when the server has ended for good, which only Stop does: a server that
// dies of itself is started again.
func (s *Server) Done() <-chan struct{} { return s.keeper.Done() }

// Stop shuts the server down: gently (connections are closed, a checkpoint is written),
// then harder if that takes too long. It may be called more than once, and from several
// goroutines; all get the same answer.
func (s *Server) Stop() error {
	s.once.Do(func() {
		s.stopErr = errors.Join(s.keeper.Stop(stopSteps()...), s.release())
	})
	return s.stopErr
}

// Start finds or fetches PostgreSQL, makes the cluster if there is none, starts it, and
// returns when it answers. When ctx ends first, what had begun is stopped again. The server
// does not end with ctx: stop it with Stop.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if opts.Dir == "" {
		return nil, errors.New("start postgres: Dir is required")
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("start postgres: find %s: %w", opts.Dir, err)
	}
	opts.Dir = dir
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	srv, err := start(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("start postgres in %s: %w", opts.Dir, err)
	}
	return srv, nil
}

func start(ctx context.Context, opts Options) (_ *Server, err error) {
	unlock, err := lockDir(opts.Dir)
	if err != nil {
		return nil, err
	}
	release := unlock
	defer func() {
		if err != nil {
			err = errors.Join(err, release())
		}
	}()

	account, err := serverAccount(ctx, opts.Logger)
	if err != nil {
		return nil, err
	}
	major, err := clusterMajor(opts.Dir)
	if err != nil {
		return nil, err
	}
	bin, err := binariesFor(ctx, opts, account, major)
	if err != nil {
		return nil, err
	}
	place, err := preparePlace(opts.Dir, account)
	if err != nil {
		return nil, err
	}
	release = func() error { return errors.Join(place.cleanup(), unlock()) }

	if err := place.stopOrphan(ctx); err != nil {
		return nil, err
	}
	if err := place.takeOver(opts.Logger); err != nil {
		return nil, err
	}
	if err := place.makeSocketDir(); err != nil {
		return nil, err
	}
	if major == 0 {
		if err := initCluster(ctx, bin, place); err != nil {
			return nil, err
		}
	}
	first, err := launch(ctx, bin, place)
	if err != nil {
		return nil, err
	}
	srv := &Server{bin: bin, place: place, log: opts.Logger, release: release}
	srv.keeper = child.Keep("postgres", first, srv.relaunch, opts.Logger)
	go srv.upkeep()
	return srv, nil
}

// lockDir lets one process at a time work on dir.
func lockDir(dir string) (unlock func() error, err error) {
	if err := folder.Private(dir); err != nil {
		return nil, err
	}
	return folder.Lock(filepath.Join(dir, "postgres.lock"))
}

// url names every part that the PG* environment variables could otherwise change.
func (p *place) url(database string) string {
	query := url.Values{"host": {p.socketDir}, "port": {socketPort}, "sslmode": {"disable"}}
	// pgx takes a plus sign in a query for what it is, not for a space.
	raw := strings.ReplaceAll(query.Encode(), "+", "%20")
	u := url.URL{Scheme: "postgres", User: url.User(name), Path: "/" + database, RawQuery: raw}
	return u.String()
}
