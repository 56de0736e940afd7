package realtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	embeddedollama "github.com/mneme-memory/mneme/embedded/ollama"
	"github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/testkit/program"
)

const (
	enabled = "MNEME_TEST_REAL" // switches the tests on
	// serveEnv makes this binary the Qdrant of a test, in that folder, or the embedding model.
	serveEnv = "MNEME_TEST_SERVE_QDRANT"
	addrEnv  = "MNEME_TEST_SERVE_ADDR"
	keyEnv   = "MNEME_TEST_SERVE_KEY" // of that Qdrant; without it, apiKey
	apiKey   = "a key for the index"
)

// binaries is where this run's binaries of mneme are. Set once, by TestMain.
var binaries string

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveEnv); dir != "" {
		os.Exit(serve(dir))
	}
	if os.Getenv(enabled) == "" {
		os.Exit(m.Run()) // every test says why it is skipped
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "realtest:", err)
		code = 1
	}
	os.Exit(code)
}

// serve is the life of a Qdrant: it ends with its parent, or by a signal.
func serve(dir string) int {
	addr := os.Getenv(addrEnv)
	if dir == "model" {
		s, err := embeddedollama.Start(context.Background(), embeddedollama.Options{Addr: addr})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("serving", s.URL())
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	}
	key := cmp.Or(os.Getenv(keyEnv), apiKey)
	s, err := qdrant.Start(context.Background(), qdrant.Options{Dir: dir, Addr: addr, APIKey: key})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("serving", s.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// run builds what is tested, and takes everything away afterwards.
func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "mneme-real-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// The tests' folders too: leftover files are found by this name.
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return 1, err
	}
	go stopWhenInterrupted(dir)
	binaries = filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binaries+string(filepath.Separator), "./cmd/mneme", "./cmd/mneme-mcp", "./cmd/mneme-worker")
	build.Dir = root()
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build mneme: %w\n%s", err, out)
	}
	code = m.Run()
	err = program.Left(dir)
	killAll(dir) // what was left behind was told, and need not stay
	return code, err
}

// stopWhenInterrupted leaves nothing behind when the tests are broken off.
func stopWhenInterrupted(dir string) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, os.Interrupt, syscall.SIGTERM)
	<-broken
	killAll(dir)
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, "realtest:", err)
	}
	os.Exit(130)
}

// root is the check-out.
func root() string {
	dir, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		return "../../.."
	}
	return dir
}

// built is the path of a real program.
func built(name string) string {
	dir := os.Getenv("MNEME_TEST_REAL_BIN")
	if dir == "" {
		dir = filepath.Join(root(), ".bin")
	}
	return filepath.Join(dir, name)
}
