package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mneme-memory/mneme/internal/release"
)

// built are the programs of one platform.
type built struct {
	archive release.Archive
	dir     string // a folder of its own with the programs
}

// file returns the path of a program.
func (b built) file(program string) string {
	return filepath.Join(b.dir, b.archive.Target.File(program))
}

// build builds the programs for a platform. DuckDB is C++: it is linked for this machine only, where
// its compiler is; all others are built without C.
func (o options) build(ctx context.Context, t release.Target) (built, error) {
	dir, err := os.MkdirTemp("", "mneme-release-")
	if err != nil {
		return built{}, err
	}
	b := built{archive: release.Archive{Version: o.version, Target: t, Analytics: o.cgo && t == release.Here()}, dir: dir}
	with, without := release.Programs(), []string(nil)
	if b.archive.Analytics {
		with, without = []string{"mneme", "mneme-worker"}, []string{"mneme-hook", "mneme-mcp"} // these stay free of C libraries
	}
	err = compile(ctx, o, b, b.archive.Analytics, with)
	if err == nil && without != nil {
		err = compile(ctx, o, b, false, without)
	}
	if err != nil {
		return built{}, errors.Join(err, os.RemoveAll(dir))
	}
	return b, nil
}

// compile builds programs so that two builds are equal: without paths, build ids and the state of
// the check-out.
func compile(ctx context.Context, o options, b built, cgo bool, programs []string) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version=" + o.version, "-o", b.dir + string(filepath.Separator)}
	for _, program := range programs {
		args = append(args, "./cmd/"+program)
	}
	enabled := "0"
	if cgo {
		enabled = "1"
	}
	t := b.archive.Target
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // our own packages
	cmd.Dir = o.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+enabled, "GOOS="+t.OS, "GOARCH="+t.Arch, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build for %s: %w\n%s", t, err, out)
	}
	return nil
}
