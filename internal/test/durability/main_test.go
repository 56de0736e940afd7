package durability

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/mneme-memory/mneme/embedded/ollama"
	"github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/workflows"
)

// What the tests share. Set once, by TestMain.
var (
	workerBinary string
	temporalAddr string
	postgresURL  string
)

// The variables that make the test's binary one of the servers: such a child
// can be stopped and killed.
const (
	serveEnv = "MNEME_TEST_SERVE"      // qdrant, ollama or temporal
	addrEnv  = "MNEME_TEST_SERVE_ADDR" // where to listen
	dirEnv   = "MNEME_TEST_SERVE_DIR"
)

func TestMain(m *testing.M) {
	if testkit.IsQdrant() {
		os.Exit(testkit.Qdrant())
	}
	if what := os.Getenv(serveEnv); what != "" {
		os.Exit(serve(what))
	}
	if realQdrant() == "" && os.Getenv(realEnv) != "" {
		fmt.Printf("skipped: no program named qdrant is on the PATH, and %s names none; the scenarios were played against the embedded server alone\n", qdrantEnv)
		os.Exit(0)
	}
	code, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// serve is the life of a child: it serves until its parent is gone.
func serve(what string) int {
	ctx, addr := context.Background(), os.Getenv(addrEnv)
	var err error
	switch what {
	case "qdrant":
		var s *qdrant.Server
		if s, err = qdrant.Start(ctx, qdrant.Options{
			Dir: os.Getenv(dirEnv), Addr: addr, APIKey: os.Getenv(keyEnv), ReadOnlyAPIKey: os.Getenv(readOnlyKeyEnv),
		}); err == nil {
			addr = s.Addr()
		}
	case "ollama":
		var s *ollama.Server
		if s, err = ollama.Start(ctx, ollama.Options{Addr: addr}); err == nil {
			addr = s.Addr()
		}
	case "temporal":
		var s *temporal.Server
		if s, err = temporal.Start(ctx, temporal.Options{Dir: os.Getenv(dirEnv), Port: portOf(addr), Headless: true}); err == nil {
			addr = s.Addr()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("serving", addr)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// portOf is 0, any port, for no address.
func portOf(addr string) int {
	_, text, _ := net.SplitHostPort(addr)
	port, _ := strconv.Atoi(text)
	return port
}

// runAll starts the shared servers, runs the tests, and looks for leftover
// processes.
func runAll(m *testing.M) (code int, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "mneme-durability-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	workerBinary = filepath.Join(dir, "mneme-worker")
	// These tests wait more than they compute.
	if err := flag.Set("test.parallel", "16"); err != nil {
		return 1, err
	}
	build := exec.Command("go", "build", "-o", workerBinary, "github.com/mneme-memory/mneme/cmd/mneme-worker")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build the worker: %w\n%s", err, out)
	}
	var stopPostgres func() error
	if postgresURL, stopPostgres, err = testkit.StartPostgres(ctx); err != nil {
		return 1, err
	}
	server, err := temporal.Start(ctx, temporal.Options{
		Dir: filepath.Join(dir, "temporal"), Headless: true, SearchAttributes: searchAttributes(),
	})
	if err != nil {
		return 1, err
	}
	temporalAddr = server.Addr()
	code = m.Run()
	if err := server.Stop(); err != nil {
		return 1, err
	}
	if err := stopPostgres(); err != nil {
		return 1, err
	}
	if left := childrenOf(os.Getpid()); len(left) > 0 {
		return 1, fmt.Errorf("the tests left processes behind: %v", left)
	}
	return code, nil
}

func searchAttributes() map[string]enumspb.IndexedValueType {
	out := map[string]enumspb.IndexedValueType{}
	for _, name := range workflows.SearchAttributes() {
		out[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	return out
}
