package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/hook"
)

// command is the hook with an event on its stdin, and the environment that
// Claude Code gives it. Nothing is started by itself unless env says so.
func (b *hookBench) command(ctx context.Context, home, event string, fields map[string]any, env ...string) (*exec.Cmd, error) {
	all := map[string]any{
		"cwd": b.repo, "hook_event_name": event, "prompt_id": "d6e4", "session_id": "none",
		"transcript_path": filepath.Join(b.env.Dir, "hooks-transcripts", "none.jsonl"),
	}
	maps.Copy(all, fields)
	in, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	cmd := b.env.command(ctx, home, hook.Argument(event))
	cmd.Path, cmd.Args[0] = b.binary, b.binary
	cmd.Env = append(cmd.Env, "CLAUDE_PROJECT_DIR="+b.repo, "CLAUDECODE=1", "MNEME_PROJECT="+project, "MNEME_AUTOSTART=false")
	cmd.Env = append(cmd.Env, env...)
	cmd.Dir, cmd.Stdin = b.repo, bytes.NewReader(in)
	return cmd, nil
}

// writeRepository makes the repository that a session works in, whose last
// commit is about something that is stored.
func writeRepository(ctx context.Context, dir, subject string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make repository: %w", err)
	}
	write := func(text string) error {
		if err := os.WriteFile(filepath.Join(dir, "pool.go"), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write repository: %w", err)
		}
		return nil
	}
	git := func(args ...string) error {
		args = append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"}, args...)
		if out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("make repository: git: %w\n%s", err, out)
		}
		return nil
	}
	for _, do := range []func() error{
		func() error { return git("init", "-q", "-b", "feature/idle-connections") },
		func() error { return write("package pool\n") },
		func() error { return git("add", ".") },
		func() error { return git("commit", "-q", "-m", subject) },
		func() error { return write("package pool\n\nvar size int\n") },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// busy keeps n cores busy until stop is called, or this process is gone.
func (b *hookBench) busy(ctx context.Context, n int) (stop func() error, err error) {
	var running []*exec.Cmd
	stop = func() error {
		var errs []error
		for _, cmd := range running {
			errs = append(errs, cmd.Process.Kill())
			_ = cmd.Wait() // killed
		}
		return errors.Join(errs...)
	}
	for range n {
		cmd := exec.CommandContext(ctx, "sh", "-c", "while kill -0 $PPID 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done")
		if err := cmd.Start(); err != nil {
			return nil, errors.Join(fmt.Errorf("keep a core busy: %w", err), stop())
		}
		running = append(running, cmd)
	}
	return stop, nil
}

// autostart measures sessions that start the daemon of a home that it knows.
func (b *hookBench) autostart(ctx context.Context, home string) (rows []Row, err error) {
	b.env.say("hooks: starting the daemon, %d rounds", autostartRounds)
	defer func() {
		// The daemon is stopped in any case; that it did not run is fine.
		_ = b.env.mneme(context.WithoutCancel(ctx), home, "down")
	}()
	var took durations
	for round := range autostartRounds {
		if err := homestate.Remove(home); err != nil {
			return nil, err
		}
		fields := map[string]any{"session_id": fmt.Sprintf("autostart-%d", round), "source": "startup"}
		one, _, err := b.call(ctx, home, "SessionStart", fields, "MNEME_AUTOSTART=true", "MNEME_BIN="+b.env.Mneme)
		if err != nil {
			return nil, err
		}
		took = append(took, one)
		if err := ready(ctx, home); err != nil {
			return nil, err
		}
		if err := b.env.mneme(ctx, home, "down"); err != nil {
			return nil, err
		}
	}
	return []Row{plainRow("session-start that starts the daemon", took)}, nil
}

// ready waits until the daemon of a home is ready.
func ready(ctx context.Context, home string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		if _, ok, err := homestate.Running(home); err != nil || ok {
			return err
		}
		if err := rest(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("wait for the daemon that a hook started: %w", err)
		}
	}
}
