package claudetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// dummyKey is not a key: no real endpoint is ever asked.
const dummyKey = "sk-ant-stub-not-a-key"

// Sandbox is a home folder for one client, with nothing of the caller's.
type Sandbox struct {
	Bin  string   // path of the client
	Home string   // its home folder; its settings are in Home/.claude
	Env  []string // more variables, as NAME=value
}

// NewSandbox makes the home folder below dir.
func NewSandbox(dir, bin string) (*Sandbox, error) {
	s := &Sandbox{Bin: bin, Home: filepath.Join(dir, "home")}
	if err := os.MkdirAll(filepath.Join(s.Home, "tmp"), 0o700); err != nil {
		return nil, fmt.Errorf("make the client's home: %w", err)
	}
	return s, nil
}

// Project makes a git repository to work in and returns its folder.
func (s *Sandbox) Project(ctx context.Context, name string) (string, error) {
	dir := filepath.Join(s.Home, "work", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make project %s: %w", name, err)
	}
	if out, err := s.Command(ctx, dir, "git", "init", "-q", "-b", "main").CombinedOutput(); err != nil {
		return "", fmt.Errorf("make project %s: %w: %s", name, err, out)
	}
	return dir, nil
}

// Environ is the environment of everything that runs in the sandbox.
func (s *Sandbox) Environ() []string {
	return append([]string{
		"PATH=" + filepath.Dir(s.Bin) + ":" + os.Getenv("PATH"), "HOME=" + s.Home, "TMPDIR=" + filepath.Join(s.Home, "tmp"),
		"LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/sh", "NO_PROXY=*", "no_proxy=*",
		// Run names the model; for all else nobody is there, and that is known at once:
		// without a network, looking for the real endpoint takes the client 18 s.
		"ANTHROPIC_BASE_URL=http://127.0.0.1:9",
		"ANTHROPIC_API_KEY=" + dummyKey, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org",
	}, s.Env...)
}

// Command is a program to run in the sandbox. When ctx ends, it is killed with
// all that it has started.
func (s *Sandbox) Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, s.Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// Claude runs the client's own commands, such as "plugin list".
func (s *Sandbox) Claude(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := s.Command(ctx, dir, s.Bin, args...).CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("claude %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// Transcripts lists the client's transcript files.
func (s *Sandbox) Transcripts() ([]string, error) {
	return filepath.Glob(filepath.Join(s.Home, ".claude", "projects", "*", "*.jsonl"))
}
