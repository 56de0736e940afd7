// Package qdrant is a server of Qdrant's own gRPC protocol inside the process,
// for a machine on which no Qdrant runs. It answers as Qdrant 1.17.1 does for
// the calls a memory needs, searches exactly, and keeps every write that it
// acknowledged with wait=true through a kill of the process. All other calls
// are refused with Unimplemented.
//
// Start it, dial Addr with Qdrant's client, Stop it. A client in the same process needs no
// connection: see [Server.Local].
package qdrant

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/gofrs/flock"
	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // clients may compress
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// maxMessage bounds requests and responses.
const maxMessage = 64 << 20

// Options of Start. Only Dir is required.
type Options struct {
	// Dir holds the data. It is made if missing, readable by its owner only,
	// and locked while the server runs.
	Dir string

	// Addr is the loopback host:port to listen on. Empty means 127.0.0.1 and
	// a free port.
	Addr string

	// APIKey must come with every call but health checks, as "api-key" in the
	// metadata. Empty means that no key is asked for.
	APIKey string

	// ReadOnlyAPIKey is good for reading only. Empty means that there is none.
	ReadOnlyAPIKey string

	// TLS encrypts the port, and decides by its ClientAuth who may connect at all. Nil means
	// in the clear.
	TLS *tls.Config

	// Logger receives warnings that belong to no call, such as a torn log. Nil
	// discards.
	Logger *slog.Logger
}

// A Server is a running server.
type Server struct {
	addr  string
	grpc  *grpc.Server
	local *local
	store *store
	lock  *flock.Flock

	serving sync.WaitGroup
	once    sync.Once
	stopErr error
}

// Start opens the data in opts.Dir and serves it. The context bounds the
// start only; Stop ends the server.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if err := checkAddr(&opts); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	lock := flock.New(filepath.Join(opts.Dir, "LOCK"), flock.SetPermissions(0o600))
	free, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	if !free {
		return nil, fmt.Errorf("data folder %s is in use by another server", opts.Dir)
	}
	st, err := openStore(ctx, opts.Dir, opts.Logger)
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", opts.Addr)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen: %w", err), st.close(), lock.Unlock())
	}
	g := &guard{key: opts.APIKey, readOnly: opts.ReadOnlyAPIKey, logger: opts.Logger}
	s := &Server{addr: listener.Addr().String(), store: st, lock: lock, grpc: newGRPC(opts, g)}
	s.local = &local{guard: g, methods: map[string]localMethod{}}
	register(s.grpc, st)
	register(s.local, st)
	s.serving.Go(func() {
		if err := s.grpc.Serve(listener); err != nil {
			opts.Logger.Error("qdrant server ended", "error", err)
		}
	})
	return s, nil
}

// checkAddr refuses to listen where others could reach.
func checkAddr(opts *Options) error {
	if opts.Dir == "" {
		return errors.New("qdrant: Options.Dir is required")
	}
	if opts.Addr == "" {
		opts.Addr = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(opts.Addr)
	if err != nil {
		return fmt.Errorf("address %q: %w", opts.Addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("address %q: must be on loopback", opts.Addr)
	}
	return nil
}

// Addr is the host:port of gRPC.
func (s *Server) Addr() string { return s.addr }

// Compact writes the logs of all collections anew: what was deleted or written over is in no
// file afterwards. Readers go on meanwhile, writers wait.
func (s *Server) Compact(ctx context.Context) error {
	for _, name := range s.store.names() {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := s.store.find(name)
		if err != nil {
			continue // deleted meanwhile, and its log with it
		}
		if err := c.compact(); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends the server and waits until its data are on disk. It may be called
// again and says the same again.
func (s *Server) Stop() error {
	s.once.Do(func() {
		s.local.close()
		s.grpc.Stop() // waits for running calls
		s.serving.Wait()
		s.stopErr = errors.Join(s.store.close(), s.lock.Unlock())
	})
	return s.stopErr
}

func newGRPC(opts Options, g *guard) *grpc.Server {
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
		grpc.ChainUnaryInterceptor(g.unary), grpc.WaitForHandlers(true),
	}
	if opts.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(opts.TLS)))
	}
	return grpc.NewServer(options...)
}

// register adds what the server offers.
func register(server grpc.ServiceRegistrar, st *store) {
	pb.RegisterQdrantServer(server, qdrantService{})
	pb.RegisterCollectionsServer(server, &collectionsService{store: st})
	pb.RegisterPointsServer(server, &pointsService{store: st})
	pb.RegisterSnapshotsServer(server, &snapshotsService{store: st})
	grpc_health_v1.RegisterHealthServer(server, healthService{})
}

// A guard stands before every call.
type guard struct {
	key, readOnly string
	logger        *slog.Logger
}

// unary asks for the key, and turns a panic into an error of that one call.
func (g *guard) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
	defer func() {
		if p := recover(); p != nil {
			g.logger.Error("qdrant call panicked", "method", info.FullMethod, "panic", p, "stack", string(debug.Stack()))
			err = status.Errorf(codes.Internal, "Service internal error: %v", p)
		}
	}()
	if err := g.admit(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

// readers are the methods a read-only key is good for.
var readers = [...]string{
	"Collections/Get", "Collections/List", "Collections/ListAliases", "Collections/ListCollectionAliases",
	"Collections/CollectionExists", "Collections/CollectionClusterInfo", "Collections/ListShardKeys",
	"Points/Get", "Points/Scroll", "Points/Count", "Points/Query", "Points/QueryBatch", "Points/QueryGroups",
	"Points/Search", "Points/SearchBatch", "Points/SearchGroups", "Points/Facet", "Points/Recommend",
	"Snapshots/List",
}

func (g *guard) admit(ctx context.Context, method string) error {
	if g.key == "" || strings.HasSuffix(method, "/HealthCheck") || strings.HasPrefix(method, "/grpc.health.") {
		return nil
	}
	given := metadata.ValueFromIncomingContext(ctx, "api-key")
	if len(given) == 0 {
		return status.Error(codes.Unauthenticated, "Must provide an API key or an Authorization bearer token")
	}
	if same(given[0], g.key) {
		return nil
	}
	if g.readOnly == "" || !same(given[0], g.readOnly) {
		return status.Error(codes.Unauthenticated, "Invalid API key or JWT")
	}
	for _, reader := range readers {
		if method == "/qdrant."+reader {
			return nil
		}
	}
	return status.Error(codes.PermissionDenied, "Forbidden: Global manage access is required")
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

type qdrantService struct{ pb.UnimplementedQdrantServer }

// HealthCheck names the version whose answers this server gives.
func (qdrantService) HealthCheck(context.Context, *pb.HealthCheckRequest) (*pb.HealthCheckReply, error) {
	return &pb.HealthCheckReply{Title: "mneme embedded vector index", Version: Version}, nil
}

type healthService struct {
	grpc_health_v1.UnimplementedHealthServer
}

// Check says that the server serves, whatever service is asked for.
func (healthService) Check(context.Context, *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}, nil
}

// snapshotsService has none to offer: the folder of a stopped server is one.
type snapshotsService struct {
	pb.UnimplementedSnapshotsServer
	store *store
}

// Create refuses.
func (s *snapshotsService) Create(_ context.Context, r *pb.CreateSnapshotRequest) (*pb.CreateSnapshotResponse, error) {
	if _, err := s.store.find(r.GetCollectionName()); err != nil {
		return nil, err
	}
	return nil, unsupported("a snapshot")
}

// List has nothing to list.
func (s *snapshotsService) List(_ context.Context, r *pb.ListSnapshotsRequest) (*pb.ListSnapshotsResponse, error) {
	_, err := s.store.find(r.GetCollectionName())
	return &pb.ListSnapshotsResponse{}, err
}
