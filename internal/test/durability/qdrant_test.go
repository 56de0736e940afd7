package durability

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// The variables that choose the Qdrant of the tests.
const (
	qdrantEnv = "MNEME_TEST_QDRANT_BINARY" // the program to play against
	realEnv   = "MNEME_TEST_REAL"          // play against one on the PATH; without one, nothing is played
)

// realQdrant is the qdrant program that the tests are played against, "" for
// the embedded server.
func realQdrant() string {
	if binary := os.Getenv(qdrantEnv); binary != "" {
		return binary
	}
	if os.Getenv(realEnv) == "" {
		return ""
	}
	binary, err := exec.LookPath("qdrant")
	if err != nil {
		return ""
	}
	return binary
}

// keys are the keys that a Qdrant accepts; the zero value lets everybody in.
type keys struct{ all, readOnly string }

// anyQdrant starts a Qdrant that no test stops or kills.
func anyQdrant(t testing.TB) (addr string) {
	t.Helper()
	_, addr = serveQdrant(t, "", filepath.Join(t.TempDir(), "qdrant"), keys{})
	return addr
}

// serveQdrant starts a Qdrant in a process of its own, at a free address if addr
// is "", on the data in dir.
func serveQdrant(t testing.TB, addr, dir string, k keys) (*process, string) {
	t.Helper()
	if binary := realQdrant(); binary != "" {
		return startRealQdrant(t, binary, addr, dir, k)
	}
	return serveChild(t, "qdrant", addr, dir, "-key", k.all, "-read-only-key", k.readOnly)
}

// startRealQdrant starts the qdrant program and returns when it answers.
func startRealQdrant(t testing.TB, binary, addr, dir string, k keys) (*process, string) {
	t.Helper()
	if addr == "" {
		addr = freeAddress(t)
	}
	host, port, _ := net.SplitHostPort(addr)
	_, http, _ := net.SplitHostPort(freeAddress(t))
	cmd := exec.Command(binary)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd.Dir = dir // it looks for ./config there and finds none
	cmd.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "TZ=UTC",
		"QDRANT__SERVICE__HOST=" + host, "QDRANT__SERVICE__GRPC_PORT=" + port, "QDRANT__SERVICE__HTTP_PORT=" + http,
		"QDRANT__SERVICE__ENABLE_STATIC_CONTENT=false", "QDRANT__TELEMETRY_DISABLED=true", "QDRANT__LOG_LEVEL=WARN",
		"QDRANT__STORAGE__STORAGE_PATH=" + filepath.Join(dir, "storage"), "QDRANT__STORAGE__SNAPSHOTS_PATH=" + filepath.Join(dir, "snapshots"),
		"QDRANT_INIT_FILE_PATH=" + filepath.Join(dir, ".qdrant-initialized"),
	}
	if k.all != "" {
		cmd.Env = append(cmd.Env, "QDRANT__SERVICE__API_KEY="+k.all)
	}
	if k.readOnly != "" {
		cmd.Env = append(cmd.Env, "QDRANT__SERVICE__READ_ONLY_API_KEY="+k.readOnly)
	}
	p, _ := start(t, cmd, nil)
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	eventually(t, func(ctx context.Context) string {
		conn.ResetConnectBackoff()
		if _, err := pb.NewQdrantClient(conn).HealthCheck(ctx, &pb.HealthCheckRequest{}); err != nil {
			return binary + " does not answer: " + err.Error() + "\n" + p.said()
		}
		return ""
	})
	return p, addr
}

// freeAddress is one of this machine where nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}
