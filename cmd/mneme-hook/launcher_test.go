package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

// A hook runs under a shell, which gives its status. Whatever becomes of that shell,
// the program does not outlive its deadline.
func TestShellKilled(t *testing.T) {
	t.Parallel()
	for name, args := range shells(t) {
		for how, c := range map[string]struct {
			send func(shell int) error
			ends string // in the log
		}{
			"killed alone":                      {func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }, "the deadline came first"},
			"asked to end":                      {func(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }, "the deadline came first"},
			"asked to end, as Claude Code does": {func(pid int) error { return syscall.Kill(-pid, syscall.SIGTERM) }, "asked to end"},
		} {
			t.Run(name+" shell, "+how, func(t *testing.T) {
				t.Parallel()
				p := start(t, args, "hang")
				waitHandled(t, onlyChild(t, p.shell.Process.Pid))
				if err := c.send(p.shell.Process.Pid); err != nil {
					t.Fatal(err)
				}
				// Both have the pipe: it ends when both have.
				if out, err := io.ReadAll(p.stdout); err != nil || len(out) > 0 {
					t.Errorf("printed %q: %v", out, err)
				}
				if took := time.Since(p.began); took > 5*time.Second { // the deadline is 1 s; the machine may be loaded
					t.Errorf("ended after %v", took)
				}
				if err := p.shell.Wait(); err != nil && name == "the plugin's" && how != "killed alone" {
					t.Errorf("the shell ended with %v", err)
				}
				if log, err := hooklog.Read(p.home, "", 0); err != nil || len(log) != 1 || log[0].Outcome != hooklog.Late || log[0].Detail != c.ends {
					t.Errorf("logged %+v, %v", log, err)
				}
			})
		}
	}
}

// A panic that nobody can recover ends the program with 2. Claude Code sees 0, no
// answer, and the log has it.
func TestCrash(t *testing.T) {
	t.Parallel()
	alone := command(t, newHome(t), "user-prompt-submit")
	alone.Env, alone.Stdin = append(alone.Env, "MNEME_HOOK_TEST=crash"), strings.NewReader(event("UserPromptSubmit"))
	if err := alone.Run(); alone.ProcessState.ExitCode() != 2 {
		t.Fatalf("without a shell the program ended with %v", err)
	}
	for name, args := range shells(t) {
		p := start(t, args, "crash")
		if out, err := io.ReadAll(p.stdout); err != nil || len(out) > 0 {
			t.Errorf("%s: printed %q: %v", name, out, err)
		}
		if err := p.shell.Wait(); err != nil {
			t.Errorf("%s: ended with %v", name, err)
		}
		log, err := hooklog.Read(p.home, "", 0)
		if err != nil || len(log) != 1 || log[0].Outcome != hooklog.Failed || log[0].Event != "UserPromptSubmit" {
			t.Errorf("%s: logged %+v, %v", name, log, err)
		}
	}
}

// shells are the ways in which Claude Code runs the program.
func shells(t *testing.T) map[string][]string {
	t.Helper()
	launcher, err := filepath.Abs(filepath.Join("..", "..", "plugin", "bin", "mneme-hook"))
	if err != nil {
		t.Fatal(err)
	}
	const program = `"$MNEME_HOME"/bin/mneme-hook`
	return map[string][]string{
		"the plugin's":  {launcher, "user-prompt-submit"},
		"the settings'": {"/bin/sh", "-c", program + " user-prompt-submit || " + program + " crashed user-prompt-submit >/dev/null; exit 0"},
	}
}

// underShell is a hook under its shell.
type underShell struct {
	home   string
	shell  *exec.Cmd
	stdout *os.File // the end to read from
	began  time.Time
}

// start runs a hook that behaves as [before] tells it.
func start(t *testing.T, args []string, what string) underShell {
	t.Helper()
	u := underShell{home: newHome(t)}
	if err := os.MkdirAll(filepath.Join(u.home, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(u.home, "bin", "mneme-hook")); err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close() })
	if err := read.SetReadDeadline(time.Now().Add(limit)); err != nil {
		t.Fatal(err)
	}
	u.stdout, u.began = read, time.Now()
	u.shell = exec.CommandContext(t.Context(), args[0], args[1:]...)
	u.shell.Env = append(command(t, u.home).Env, "MNEME_HOOK_TEST="+what)
	u.shell.Stdout, u.shell.SysProcAttr = write, &syscall.SysProcAttr{Setpgid: true}
	u.shell.Stdin = eventFile(t, event("UserPromptSubmit"))
	if err := u.shell.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	return u
}

// eventFile is an event to read from; a file needs nobody who writes.
func eventFile(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// onlyChild waits until a process has a child.
func onlyChild(t *testing.T, pid int) int {
	t.Helper()
	path, child := fmt.Sprintf("/proc/%d/task/%d/children", pid, pid), 0
	wait.Until(t, "the shell has started the program", func() bool {
		data, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("there is no /proc to see a process's children")
		}
		if err != nil {
			t.Fatal(err)
		}
		child, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	return child
}
