// Package program holds what tests share that have to do with processes:
// building the program under test, seeing its linked packages, running the test
// binary again as another program, and finding leftover processes and files.
package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Main is a TestMain: it builds the program of the package under test, writes
// where it is to path, runs the tests and removes it again. The environment of
// the build gets env in addition. The result is the exit code.
func Main(m *testing.M, path *string, env ...string) int {
	code, err := buildAndRun(m, path, env)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func buildAndRun(m *testing.M, path *string, env []string) (code int, err error) {
	dir, err := os.MkdirTemp("", "mneme-program-")
	if err != nil {
		return 0, fmt.Errorf("make a folder for the program: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	built := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-o", built, ".")
	build.Env = append(os.Environ(), env...)
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the program: %w\n%s", err, out)
	}
	*path = built
	return m.Run(), nil
}
