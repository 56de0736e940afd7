package qdrantproc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/mneme-memory/mneme/embedded/internal/child"
	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

const (
	loopback = "127.0.0.1"

	// readyTimeout covers loading large collections and recovery after a crash.
	readyTimeout = 2 * time.Minute
	// holdTimeout covers the moment a killed parent's server takes to die.
	holdTimeout = 5 * time.Second
	pollEvery   = 10 * time.Millisecond

	maxLog = 2 << 20 // a longer log starts anew with the next start
)

// errEnded says that the program ended before it answered.
var errEnded = errors.New("it ended while starting")

type ports struct{ http, grpc int }

func address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

// choosePorts finds two free ports. Both are held until both are chosen.
func choosePorts() (ports, error) {
	var found [2]int
	for i := range found {
		l, err := net.Listen("tcp", address(0))
		if err != nil {
			return ports{}, fmt.Errorf("find a free port: %w", err)
		}
		defer l.Close()
		found[i] = l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // a TCP listener's
	}
	return ports{http: found[0], grpc: found[1]}, nil
}

func storage(dir string) string   { return filepath.Join(dir, "storage") }
func snapshots(dir string) string { return filepath.Join(dir, "snapshots") }
func logFile(dir string) string   { return filepath.Join(dir, "qdrant.log") }

// environment is all that the program is told, and all that it gets: a variable of the
// user's other Qdrants could open it to the network.
func environment(opts Options, p ports) []string {
	vars := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + opts.Dir, "TZ=UTC",
		"QDRANT__SERVICE__HOST=" + loopback,
		"QDRANT__SERVICE__HTTP_PORT=" + strconv.Itoa(p.http),
		"QDRANT__SERVICE__GRPC_PORT=" + strconv.Itoa(p.grpc),
		"QDRANT__SERVICE__API_KEY=" + opts.APIKey,
		"QDRANT__SERVICE__ENABLE_STATIC_CONTENT=false", // no dashboard
		"QDRANT__CLUSTER__ENABLED=false",
		"QDRANT__STORAGE__STORAGE_PATH=" + storage(opts.Dir),
		"QDRANT__STORAGE__SNAPSHOTS_PATH=" + snapshots(opts.Dir),
		"QDRANT__TELEMETRY_DISABLED=true",
		"QDRANT__LOG_LEVEL=WARN", // its access log would name collections and addresses
		"QDRANT_INIT_FILE_PATH=" + filepath.Join(opts.Dir, ".qdrant-initialized"),
		"QDRANT__SERVICE__ENABLE_TLS=" + strconv.FormatBool(opts.PEM != ""),
	}
	if opts.PEM == "" {
		return vars
	}
	return append(vars,
		"QDRANT__TLS__CERT="+certFile(opts.Dir), "QDRANT__TLS__KEY="+keyFile(opts.Dir),
		"QDRANT__TLS__CA_CERT="+certFile(opts.Dir), // older ones do not start without it
	)
}

// launch starts the program and returns when it answers.
func (s *Server) launch(ctx context.Context) (*child.Process, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	log, from, err := openLog(logFile(s.opts.Dir))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(s.opts.Binary) //nolint:noctx,gosec // the user's own program; Stop ends it
	cmd.Dir = s.opts.Dir               // it looks for ./config there and finds none
	cmd.Env = environment(s.opts, s.ports)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{s.hold}
	// When we die it is killed at once: acknowledged writes are in its write-ahead log, and
	// a slow shutdown would delay the next server.
	process, err := child.Start(cmd, syscall.SIGKILL)
	if err := errors.Join(err, log.Close()); err != nil {
		return nil, err
	}
	version, err := s.waitReady(ctx, process)
	if err != nil {
		err = fmt.Errorf("%w; its log %s ends: %s", err, s.LogFile(), child.LogTail(s.LogFile(), from))
		return nil, errors.Join(err, process.Stop(stopSteps()...))
	}
	s.version.Store(&version)
	return process, nil
}

// waitReady asks until the server answers a call for which it wants the key, so that it is
// ours that answers, and returns its version.
func (s *Server) waitReady(ctx context.Context, process *child.Process) (version string, err error) {
	security := insecure.NewCredentials()
	if s.opts.PEM != "" {
		config, err := clientTLS(s.opts.Dir)
		if err != nil {
			return "", err
		}
		security = credentials.NewTLS(config)
	}
	conn, err := grpc.NewClient("passthrough:///"+s.Addr(),
		grpc.WithTransportCredentials(security),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: time.Second}))
	if err != nil {
		return "", fmt.Errorf("connect to %s: %w", s.Addr(), err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		version, asked := s.ask(ctx, conn)
		select {
		case <-process.Exited():
			return "", fmt.Errorf("%w: %w", errEnded, errors.Join(process.Err(), asked))
		default:
		}
		if asked == nil {
			return version, nil
		}
		conn.ResetConnectBackoff() // or it would wait a second between two tries
		select {
		case <-process.Exited():
		case <-ctx.Done():
			return "", fmt.Errorf("wait until it answers: %w", errors.Join(ctx.Err(), asked))
		case <-tick.C:
		}
	}
}

func (s *Server) ask(ctx context.Context, conn *grpc.ClientConn) (version string, err error) {
	ctx = metadata.AppendToOutgoingContext(ctx, "api-key", s.opts.APIKey)
	if _, err := pb.NewCollectionsClient(conn).List(ctx, &pb.ListCollectionsRequest{}); err != nil {
		return "", err
	}
	reply, err := pb.NewQdrantClient(conn).HealthCheck(ctx, &pb.HealthCheckRequest{})
	return reply.GetVersion(), err
}

// holdFolder locks the folder by an open file that the server inherits: it stays locked
// until neither of us lives, so no second server ever works on the same data.
func holdFolder(ctx context.Context, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, holdTimeout)
	defer cancel()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		if !child.Wait(ctx, pollEvery) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, folder.ErrInUse), f.Close())
		}
	}
}

// openLog opens the server's log, and says where what comes begins.
func openLog(path string) (f *os.File, from int64, err error) {
	flags := os.O_RDWR | os.O_CREATE | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		flags |= os.O_TRUNC
	}
	if f, err = os.OpenFile(path, flags, 0o600); err != nil {
		return nil, 0, fmt.Errorf("open qdrant's log: %w", err)
	}
	if from, err = f.Seek(0, io.SeekEnd); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("find the end of qdrant's log: %w", err), f.Close())
	}
	return f, from, nil
}
