package endtoend

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// patience is how long anything may take before a test gives up, on a machine that has
// ten other things to do.
const patience = 4 * time.Minute

// interrupt ends when the tests are broken off.
var interrupt context.Context

// shared is the mneme that most tests use, each in projects of its own.
var shared *world

func TestMain(m *testing.M) {
	if doors, ok := os.LookupEnv(strangerEnv); ok {
		os.Exit(strangerMain(doors))
	}
	flag.Parse()
	if testing.Short() {
		fmt.Println("end to end tests have no short form")
		os.Exit(0)
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintf(os.Stderr, "endtoend: %v\n", err)
		code = 1
	}
	os.Exit(code)
}

// run builds, starts, tests, and stops again, whatever happened in between.
func run(m *testing.M) (code int, err error) {
	root, err := os.MkdirTemp("", "mneme-endtoend-")
	if err != nil {
		return 1, err
	}
	// The server of an embedded PostgreSQL may be another user's process.
	if err := os.Chmod(root, 0o755); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	interrupt = ctx
	bin := filepath.Join(root, "bin")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", bin+string(filepath.Separator), "./cmd/mneme", "./cmd/mneme-mcp", "./cmd/mneme-hook")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build the binaries: %w\n%s", err, out)
	}
	shared, err = newWorld(root, "shared", bin)
	if err != nil {
		return 1, err
	}
	if err := shared.up(ctx); err != nil {
		return 1, err
	}
	ended := make(chan struct{})
	go stopWhenInterrupted(ctx, ended, root)
	code = m.Run()
	close(ended)
	err = shared.stop()
	return code, errors.Join(err, shared.leftBehind(), stillSecret())
}

// stopWhenInterrupted leaves nothing behind when the tests are broken off.
func stopWhenInterrupted(ctx context.Context, ended <-chan struct{}, root string) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	started.Lock() // for good: nothing else is started
	var err error
	for _, w := range started.worlds {
		for wait := time.Now().Add(patience); w.stop() != nil && time.Now().Before(wait); {
			continue // one that was just starting ends by itself, and is then not running
		}
		err = errors.Join(err, w.leftBehind())
	}
	err = errors.Join(err, os.RemoveAll(root))
	fmt.Fprintf(os.Stderr, "endtoend: interrupted, %v\n", err)
	os.Exit(130)
}
