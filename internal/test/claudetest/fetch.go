package claudetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gofrs/flock"
)

const npmPackage = "@anthropic-ai/claude-code"

// Pinned is the version that every run has to prove itself with.
const Pinned = "2.1.197"

var versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// Newest asks the registry for the newest version of the client.
func Newest(ctx context.Context) (string, error) {
	out, err := npm(ctx, "", "view", npmPackage, "version")
	if err != nil {
		return "", err
	}
	version := strings.TrimSpace(out)
	if !versionForm.MatchString(version) {
		return "", fmt.Errorf("ask npm for the newest client: %q is not a version", version)
	}
	return version, nil
}

// Fetch returns the path of the client of a version, below dir, and installs it
// from npm when it is not there. Two at a time do no harm.
func Fetch(ctx context.Context, dir, version string) (string, error) {
	if !versionForm.MatchString(version) {
		return "", fmt.Errorf("fetch Claude Code: %q is not a version", version)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("fetch Claude Code: %w", err)
	}
	lock := flock.New(filepath.Join(dir, version+".lock"))
	if err := lock.Lock(); err != nil {
		return "", fmt.Errorf("fetch Claude Code: %w", err)
	}
	defer lock.Unlock() //nolint:errcheck // the end of the process lets it go as well
	root := filepath.Join(dir, version)
	bin := filepath.Join(root, "node_modules", ".bin", "claude")
	if whole(ctx, bin, version) {
		return bin, nil
	}
	if err := os.RemoveAll(root); err != nil { // what an interrupted run left
		return "", fmt.Errorf("fetch Claude Code: %w", err)
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("fetch Claude Code: %w", err)
	}
	if _, err := npm(ctx, root, "install", "--prefix", root, "--no-audit", "--no-fund", npmPackage+"@"+version); err != nil {
		return "", err
	}
	if !whole(ctx, bin, version) {
		return "", fmt.Errorf("fetch Claude Code %s: npm installed it, but it does not run: %s", version, bin)
	}
	return bin, nil
}

// whole reports whether a client runs and is of a version.
func whole(ctx context.Context, bin, version string) bool {
	cmd := exec.CommandContext(ctx, bin, "--version")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(bin), "DISABLE_AUTOUPDATER=1"}
	out, err := cmd.Output()
	return err == nil && strings.HasPrefix(string(out), version+" ")
}

func npm(ctx context.Context, dir string, args ...string) (string, error) {
	path, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("find npm, which installs Claude Code: %w", err)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("npm %s: %w", args[0], err), errors.New(strings.TrimSpace(errs.String())))
	}
	return out.String(), nil
}
