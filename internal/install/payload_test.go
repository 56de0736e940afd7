package install

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherHome: with a data folder of another name the programs are started with
// it, whatever is in the name.
func TestOtherHome(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	o := m.options(Settings, User)
	o.Home = filepath.Join(m.dir, "it's my $HOME")
	script := "#!/bin/sh\necho \"$MNEME_HOME|$*\"\n"
	put(t, filepath.Join(o.Programs, hookProgram), script)
	for _, mode := range []Mode{Settings, Plugin} {
		o.Mode = mode
		p, err := Prepare(o)
		must(t, err)
		must(t, p.Apply(t.Context()))
	}
	hooks, err := o.hooks()
	must(t, err)
	var g group
	must(t, json.Unmarshal(hooks[0].Value, &g))
	launcher := filepath.Join(o.marketplace(), "plugin", "bin", hookProgram)
	for name, command := range map[string]string{"settings": g.Hooks[0].Command, "plugin": shellQuote(launcher) + " session-start"} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.user()}
		out, err := cmd.CombinedOutput()
		if want := o.Home + "|session-start"; err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %v: %s, want %s", name, err, out, want)
		}
	}
	if e := o.server(); e.Env["MNEME_HOME"] != o.Home {
		t.Errorf("the server's environment is %v", e.Env)
	}
}

// TestLaunchers: the plugin as it is in the repository finds the installed
// programs; without them a hook is silent and a server says what to do.
func TestLaunchers(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	run := func(program string) (string, int) {
		cmd := exec.CommandContext(t.Context(), filepath.Join("..", "..", "plugin", "bin", program), "an argument")
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + m.user()}
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out)), cmd.ProcessState.ExitCode()
	}
	if out, code := run(hookProgram); out != "" || code != 0 {
		t.Errorf("the hook printed %q and ended with %d", out, code)
	}
	if out, code := run(serverProgram); !strings.Contains(out, "mneme install") || code != 1 {
		t.Errorf("the server printed %q and ended with %d", out, code)
	}
	for _, program := range []string{hookProgram, serverProgram} {
		path := filepath.Join(m.home(), "bin", program)
		put(t, path, "#!/bin/sh\necho \"$1 $MNEME_HOME\"\n")
		must(t, os.Chmod(path, 0o700))
		if out, code := run(program); out != "an argument "+m.home() || code != 0 {
			t.Errorf("%s printed %q and ended with %d", program, out, code)
		}
	}
}

// TestPrivate: what is kept of the user's files is for the user alone.
func TestPrivate(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	put(t, m.settings(), `{"secret":1}`)
	m.install(t, Settings, User)
	m.install(t, Settings, Local)
	must(t, filepath.WalkDir(folder(m.home()), func(path string, e os.DirEntry, err error) error {
		must(t, err)
		info, err := e.Info()
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return nil
	}))
}
