package install

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"time"
)

// clientTimeout bounds one command of Claude Code: it may look for its own updates
// first.
const clientTimeout = 2 * time.Minute

// Claude is Claude Code's command line.
type Claude struct{ path string }

// FindClaude looks for Claude Code on the PATH. It returns nil when there is none.
func FindClaude() Client {
	path, err := exec.LookPath("claude")
	if err != nil {
		return nil
	}
	return Claude{path}
}

// Run runs one command in a folder and returns its output.
func (c Claude) Run(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}
