package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// connecting is a user with a built mneme, and settings of their own.
type connecting struct {
	dir, settings string
	tty           bool
}

const ownSettings = `{"model": "sonnet"}`

func newConnecting(t *testing.T) *connecting {
	t.Helper()
	c := &connecting{dir: t.TempDir()}
	c.settings = filepath.Join(c.dir, ".claude", "settings.json")
	for path, text := range map[string]string{
		c.settings: ownSettings, filepath.Join(c.dir, "bin", "mneme"): "m",
		filepath.Join(c.dir, "bin", "mneme-mcp"): "s", filepath.Join(c.dir, "bin", "mneme-hook"): "h",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *connecting) run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := map[string]string{"HOME": c.dir, "MNEME_HOME": filepath.Join(c.dir, ".mneme")}
	code = Main(t.Context(), System{
		Args: args, Env: func(name string) string { return env[name] }, Dir: c.dir,
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, StdinTTY: c.tty,
		Executable: func() (string, error) { return filepath.Join(c.dir, "bin", "mneme"), nil },
	}, Deps{})
	return code, out.String(), errs.String()
}

func (c *connecting) holds(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(c.settings)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestInstallAsksAndShows(t *testing.T) {
	t.Parallel()
	c := newConnecting(t)
	code, out, _ := c.run(t, "", "install", "--settings", "--dry-run")
	if code != ExitDone || !strings.Contains(out, "mneme-hook") || !strings.Contains(out, "nothing was changed") || c.holds(t) != ownSettings {
		t.Errorf("dry run: code %d, settings %s\n%s", code, c.holds(t), out)
	}
	if _, err := os.Stat(filepath.Join(c.dir, ".mneme")); err == nil {
		t.Error("a dry run made the data folder")
	}
	if code, _, errs := c.run(t, "", "install", "--settings"); code != ExitUsage || !strings.Contains(errs, "--yes") || c.holds(t) != ownSettings {
		t.Errorf("nobody to ask: code %d, %s", code, errs)
	}
	c.tty = true
	if code, _, errs := c.run(t, "no\n", "install", "--settings"); code != ExitDone || !strings.Contains(errs, "nothing was changed") || c.holds(t) != ownSettings {
		t.Errorf("no: code %d, %s", code, errs)
	}
	if code, out, errs := c.run(t, "yes\n", "install", "--settings"); code != ExitDone || !strings.Contains(out, "Claude Code is connected") || !strings.Contains(c.holds(t), "mneme-hook") {
		t.Errorf("yes: code %d, %s%s", code, out, errs)
	}
	if code, out, _ := c.run(t, "", "install", "--settings"); code != ExitDone || !strings.Contains(out, "nothing to do") {
		t.Errorf("again: code %d, %s", code, out)
	}
	if code, out, errs := c.run(t, "Y\n", "uninstall"); code != ExitDone || !strings.Contains(out, "disconnected") || c.holds(t) != ownSettings {
		t.Errorf("uninstall: code %d, settings %s\n%s%s", code, c.holds(t), out, errs)
	}
	if code, out, _ := c.run(t, "", "uninstall"); code != ExitDone || !strings.Contains(out, "nothing to do") {
		t.Errorf("uninstall again: code %d, %s", code, out)
	}
}

func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*connecting) error
		args  []string
		want  string
	}{
		"broken settings": {func(c *connecting) error { return os.WriteFile(c.settings, []byte("{"), 0o600) }, nil, "is not valid JSON"},
		"a program short": {func(c *connecting) error { return os.Remove(filepath.Join(c.dir, "bin", "mneme-hook")) }, nil, "mneme-hook"},
		"two ways":        {func(*connecting) error { return nil }, []string{"--plugin"}, "plugin"},
		"unknown scope":   {func(*connecting) error { return nil }, []string{"--scope", "world"}, "world"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newConnecting(t)
			if err := c.spoil(m); err != nil {
				t.Fatal(err)
			}
			before := m.holds(t)
			code, out, errs := m.run(t, "", append([]string{"install", "--settings", "--yes"}, c.args...)...)
			if code != ExitUsage || !strings.Contains(errs, c.want) || m.holds(t) != before {
				t.Errorf("code %d, settings %s\n%s%s", code, m.holds(t), out, errs)
			}
		})
	}
}

func TestInstallJSON(t *testing.T) {
	t.Parallel()
	c := newConnecting(t)
	_, out, errs := c.run(t, "", "install", "--settings", "--yes", "--json")
	var res installJSON
	if err := json.Unmarshal([]byte(out), &res); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	if !res.Done || res.Mode != "settings" || res.Scope != "user" || len(res.Changes) != 2 || len(res.Files) != 3 {
		t.Errorf("answer %+v", res)
	}
}
