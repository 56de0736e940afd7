package durability

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/testkit"
)

// What the tests share. Set once, by TestMain.
var (
	workerBinary string
	serverBinary string // see package server
	temporalAddr string
	modelURL     string // of an Ollama
	postgresURL  string
)

func TestMain(m *testing.M) {
	if testkit.IsQdrant() {
		os.Exit(testkit.Qdrant())
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

// runAll starts the shared servers, runs the tests, and looks for leftover
// processes.
func runAll(m *testing.M) (code int, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "mneme-durability-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	workerBinary, serverBinary = filepath.Join(dir, "mneme-worker"), filepath.Join(dir, "server")
	// These tests wait more than they compute.
	if err := flag.Set("test.parallel", "16"); err != nil {
		return 1, err
	}
	if err := buildPrograms(dir); err != nil {
		return 1, err
	}
	var stopPostgres func() error
	if postgresURL, stopPostgres, err = testkit.StartPostgres(ctx); err != nil {
		return 1, err
	}
	server, addr, err := startShared("temporal", "-dir", filepath.Join(dir, "temporal"), "-attributes")
	if err != nil {
		return 1, err
	}
	temporalAddr = addr
	model, addr, err := startShared("ollama")
	if err != nil {
		return 1, err
	}
	modelURL = "http://" + addr
	code = m.Run()
	server.kill()
	model.kill()
	if err := stopPostgres(); err != nil {
		return 1, err
	}
	if left := childrenOf(os.Getpid()); len(left) > 0 {
		return 1, fmt.Errorf("the tests left processes behind: %v", left)
	}
	return code, nil
}

// buildPrograms builds the worker and the servers.
func buildPrograms(dir string) error {
	const module = "github.com/mneme-memory/mneme/"
	var clock []string
	if os.Getenv(clockEnv) != "" {
		var err error
		if clock, err = movableClock(dir); err != nil {
			return err
		}
	}
	for program, more := range map[string][]string{"cmd/mneme-worker": clock, "internal/test/durability/server": nil} {
		build := exec.Command("go", append(append([]string{"build", "-o", dir}, more...), module+program)...)
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", program, err, out)
		}
	}
	return nil
}

// startShared starts a server for all tests that do not kill theirs.
func startShared(args ...string) (*process, string, error) {
	cmd := exec.Command(serverBinary, args...)
	if _, err := cmd.StdinPipe(); err != nil { // it ends with this process
		return nil, "", err
	}
	p, found, err := launch(cmd, isServing)
	if err != nil {
		return nil, "", err
	}
	select {
	case line := <-found:
		return p, strings.TrimPrefix(line, serving), nil
	case <-p.ended:
		return nil, "", fmt.Errorf("%s ended: %w\n%s", args[0], p.err, p.said())
	}
}
