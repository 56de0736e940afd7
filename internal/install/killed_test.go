package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// killedDir tells the test's child process which machine to work on.
const killedDir = "MNEME_INSTALL_TEST_KILLED"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		os.Exit(forever(dir))
	}
	os.Exit(m.Run())
}

// forever installs and uninstalls until it is killed.
func forever(dir string) int {
	for {
		for _, mode := range []Mode{Settings, Plugin} {
			m := machine{dir: dir}
			m.client = &fakeClient{config: m.user() + "/.claude"}
			p, err := Prepare(m.options(mode, User))
			if err == nil {
				err = p.Apply(context.Background())
			}
			fmt.Println("installed", err)
			r, removeErr := Remove(m.home(), "", "", m.client)
			if removeErr == nil {
				removeErr = r.Apply(context.Background())
			}
			fmt.Println("uninstalled", removeErr)
			if err != nil || removeErr != nil {
				return 1
			}
		}
	}
}

// TestKilled: killed at any moment, the settings are whole, and an uninstall puts
// them back.
func TestKilled(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	const text = "{\n \"a\": 1\n}"
	put(t, m.settings(), text)
	for i := range 25 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), killedDir+"="+m.dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if _, err := out.Read(make([]byte, 1)); err != nil { // it is at work
			t.Fatalf("the child did nothing: %v", err)
		}
		<-time.After(time.Duration(i) * 700 * time.Microsecond)
		must(t, cmd.Process.Kill())
		cmd.Wait()
		if _, err := parse(m.settings(), []byte(read(t, m.settings()))); err != nil {
			t.Fatalf("after kill %d: %v", i, err)
		}
		m.uninstall(t)
		if got := read(t, m.settings()); !same([]byte(got), []byte(text)) {
			t.Fatalf("after kill %d and an uninstall the settings are %s", i, got)
		}
		put(t, m.settings(), text)
	}
}

// TestClientFails: a Claude Code that cannot install leaves the settings as they
// were, and the uninstall afterwards leaves nothing at all.
func TestClientFails(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"marketplace add", "plugin install"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, t.TempDir())
			put(t, m.settings(), "{\n \"a\": 1\n}")
			before := m.snapshot(t)
			m.client.fails = step
			p, err := Prepare(m.options(Plugin, User))
			must(t, err)
			if err := p.Apply(t.Context()); err == nil {
				t.Fatal("no error")
			}
			if got := read(t, m.settings()); got != before[m.settings()] {
				t.Errorf("settings are %s", got)
			}
			m.client.fails = ""
			m.uninstall(t)
			after := m.snapshot(t)
			for path := range after { // Claude Code's own lists may stay, empty
				if before[path] == "" && after[path] != "folder" {
					if !same([]byte(after[path]), []byte(`{}`)) && !same([]byte(after[path]), []byte(`{"version":2,"plugins":{}}`)) && !same([]byte(after[path]), []byte(`{"plugins":{}}`)) {
						t.Errorf("%s holds %s", path, after[path])
					}
				}
			}
			if after[m.settings()] != before[m.settings()] {
				t.Errorf("settings are %s", after[m.settings()])
			}
		})
	}
}
