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

// patience is how long anything may take before a test gives up.
const patience = 90 * time.Second

// shared is the mneme that most tests use, each in projects of its own.
var shared *world

func TestMain(m *testing.M) {
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
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	bin := filepath.Join(root, "bin")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", bin+string(filepath.Separator), "./cmd/mneme", "./cmd/mneme-mcp")
	build.Dir = filepath.Join("..", "..")
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
	go stopWhenInterrupted(root)
	code = m.Run()
	err = shared.stop()
	return code, errors.Join(err, shared.leftBehind(), stillSecret())
}

// stopWhenInterrupted leaves nothing behind when the tests are broken off.
func stopWhenInterrupted(root string) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	<-signals
	err := errors.Join(shared.stop(), os.RemoveAll(root))
	fmt.Fprintf(os.Stderr, "endtoend: interrupted, %v\n", err)
	os.Exit(130)
}
