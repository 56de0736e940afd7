package install

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/plugin"
)

// panics is a hook that answers and then panics where no recover reaches.
const panics = `package main

import "fmt"

func main() {
	fmt.Println("{}")
	go func() { panic("in a goroutine") }()
	select {}
}
`

// build makes a program of a source.
func build(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "main.go"), source)
	to := filepath.Join(dir, "program")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", to, filepath.Join(dir, "main.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return to
}

// TestCrashIsNoBlock: however the hook's program ends, Claude Code sees status 0 and
// nothing on stdout but what the hook has answered. Status 2 would block the user.
func TestCrashIsNoBlock(t *testing.T) {
	t.Parallel()
	panicking, err := os.ReadFile(build(t, panics))
	must(t, err)
	for name, c := range map[string]struct {
		program string
		want    string // on stdout
		status  int    // of the program itself, -1 for a signal
	}{
		"status 2":               {"#!/bin/sh\necho blocked >&2\nexit 2\n", "", 2},
		"killed":                 {"#!/bin/sh\nkill -9 $$\n", "", -1},
		"a panic in a goroutine": {string(panicking), "{}\n", 2},
		"all is well":            {"#!/bin/sh\ncat\n", "the event\n", 0},
		"no program":             {"", "", -1},
		"it cannot start":        {"#!/no/such/interpreter\n", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, t.TempDir())
			program := filepath.Join(m.home(), "bin", hookProgram)
			if c.program != "" {
				put(t, program, c.program)
				must(t, os.Chmod(program, 0o700))
				cmd := exec.CommandContext(t.Context(), program)
				_ = cmd.Run() // what it ends with is looked at
				if state := cmd.ProcessState; state != nil && state.ExitCode() != c.status {
					t.Fatalf("the program itself ended with %v", state)
				}
			}
			for _, command := range m.hookCommands(t) {
				command.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + m.user()}
				command.Stdin = strings.NewReader("the event\n")
				var stdout bytes.Buffer
				command.Stdout = &stdout
				if err := command.Run(); err != nil || stdout.String() != c.want {
					t.Errorf("%v: %v, printed %q", command.Args, err, &stdout)
				}
			}
		})
	}
}

// hookCommands are the ways in which Claude Code starts a hook: the plugin's launcher
// without a shell, and the settings' command with one.
func (m machine) hookCommands(t *testing.T) []*exec.Cmd {
	t.Helper()
	hooks, err := m.options(Settings, User).hooks()
	must(t, err)
	var g group
	must(t, json.Unmarshal(hooks[0].Value, &g))
	launcher, err := filepath.Abs(filepath.Join("..", "..", "plugin", "bin", hookProgram))
	must(t, err)
	return []*exec.Cmd{
		exec.CommandContext(t.Context(), launcher, "session-start"),
		exec.CommandContext(t.Context(), "/bin/sh", "-c", g.Hooks[0].Command),
	}
}

// earlierEntries are the hooks as they were written before the shell: the program with
// its arguments.
func (m machine) earlierEntries(t *testing.T) []edit {
	t.Helper()
	o := m.options(Settings, User)
	data, err := plugin.Files.ReadFile("hooks/hooks.json")
	must(t, err)
	var file struct{ Hooks map[string][]group }
	must(t, json.Unmarshal(data, &file))
	var out []edit
	for event, groups := range file.Hooks {
		for _, g := range groups {
			for i := range g.Hooks {
				g.Hooks[i].Command = filepath.Join(o.programs(), hookProgram)
			}
			value, err := encode(g)
			must(t, err)
			out = append(out, edit{Path: []string{"hooks", event}, List: true, Value: value})
		}
	}
	slices.SortFunc(out, func(a, b edit) int { return strings.Compare(a.Path[1], b.Path[1]) })
	return append(out, permissions("mcp__"+name)...)
}

// TestUpgradeOfTheCommand: the entries that an earlier version wrote are replaced by
// those of now, whether or not the data folder still knows of them, and what was
// there before comes back to the byte.
func TestUpgradeOfTheCommand(t *testing.T) {
	t.Parallel()
	const foreign = "{\n \"hooks\": { \"Stop\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]} ] },\n \"a\":1}"
	for name, c := range map[string]struct {
		known, edited bool
	}{
		"known": {true, false}, "known, and edited since": {true, true}, "forgotten": {false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, t.TempDir())
			put(t, m.settings(), foreign)
			before := m.snapshot(t)
			m.install(t, Settings, User)
			old := m.earlierEntries(t)
			text, err := apply(m.settings(), []byte(foreign), old)
			must(t, err)
			m.rewriteRecord(t, text, old)
			if !c.known {
				must(t, os.RemoveAll(m.home()))
				must(t, os.RemoveAll(filepath.Join(m.user(), ".claude.json")))
				before = m.snapshot(t)
			}
			if c.edited {
				put(t, m.settings(), strings.Replace(string(read(t, m.settings())), `"a":1`, `"a":2`, 1))
			}
			m.install(t, Settings, User)
			got := read(t, m.settings())
			if strings.Contains(got, `"args"`) || strings.Count(got, hookProgram) != 2*(len(old)-2) || strings.Count(got, "; exit 0") != len(old)-2 {
				t.Errorf("after the upgrade the settings are %s", got)
			}
			m.install(t, Settings, User)
			if again := read(t, m.settings()); again != got {
				t.Errorf("a second install made of them %s", again)
			}
			m.uninstall(t)
			if c.edited {
				put(t, m.settings(), strings.Replace(string(read(t, m.settings())), `"a":2`, `"a":1`, 1))
			}
			if diff := compare(before, m.snapshot(t)); diff != "" {
				t.Errorf("not as it was:\n%s", diff)
			}
		})
	}
}

// rewriteRecord makes settings, and what the data folder knows of them, those of an
// earlier version.
func (m machine) rewriteRecord(t *testing.T, text []byte, edits []edit) {
	t.Helper()
	s, err := loadState(m.home())
	must(t, err)
	r := s.Connections[0]
	i := slices.IndexFunc(r.Files, func(f fileRecord) bool { return f.Path == m.settings() })
	r.Files[i].Edits, r.Files[i].Wrote = edits, []string{content{data: text, exists: true}.hash()}
	must(t, s.save())
	put(t, m.settings(), string(text))
}
