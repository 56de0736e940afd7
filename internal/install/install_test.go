package install

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

// connections are all ways to be connected.
func connections() []struct {
	mode  Mode
	scope Scope
} {
	var out []struct {
		mode  Mode
		scope Scope
	}
	for _, mode := range []Mode{Plugin, Settings} {
		for _, scope := range []Scope{User, Project, Local} {
			if mode == Plugin && scope != User {
				continue // the fake client knows the user's settings only; the real one is asked in package claudetest
			}
			out = append(out, struct {
				mode  Mode
				scope Scope
			}{mode, scope})
		}
	}
	return out
}

// TestThereAndBack: whatever the user's files hold and however they are written,
// installing and uninstalling leaves every file as it was.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "install")
		must(t, err)
		defer os.RemoveAll(dir)
		m := newMachine(t, dir)
		for _, path := range []string{
			m.settings(), filepath.Join(m.user(), ".claude.json"), filepath.Join(m.project(), ".mcp.json"),
			filepath.Join(m.project(), ".claude", "settings.json"), filepath.Join(m.project(), ".claude", "settings.local.json"),
		} {
			if rapid.Bool().Draw(t, "exists") {
				put(t, path, foreign().Draw(t, filepath.Base(path)))
			}
		}
		before := m.snapshot(t)
		order := rapid.SliceOfNDistinct(rapid.SampledFrom(connections()), 1, 3, func(c struct {
			mode  Mode
			scope Scope
		},
		) string {
			return string(c.mode) + string(c.scope)
		}).Draw(t, "connections")
		for _, c := range order {
			m.install(t, c.mode, c.scope)
			once := m.snapshot(t)
			p, err := Prepare(m.options(c.mode, c.scope))
			must(t, err)
			if !p.Empty() {
				t.Fatalf("after an install there is still something to do: %v, client %v", p.Changes, p.client)
			}
			m.install(t, c.mode, c.scope)
			if diff := compare(once, m.snapshot(t)); diff != "" {
				t.Fatalf("a second install changed something:\n%s", diff)
			}
		}
		m.uninstall(t)
		if diff := compare(before, m.snapshot(t)); diff != "" {
			t.Fatalf("not as it was:\n%s", diff)
		}
		r, err := Remove(m.home(), "", "", m.client)
		must(t, err)
		if !r.Empty() {
			t.Fatalf("still connected: %v", r.Connections)
		}
	})
}

// foreign draws settings that somebody else wrote.
func foreign() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		doc := map[string]any{}
		parts := map[string]any{
			"model": "sonnet", "zz": 1e21, "nested": map[string]any{"a": []any{1, "</x>", nil}},
			"hooks":          map[string]any{"Stop": []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "true"}}}}},
			"permissions":    map[string]any{"allow": []any{"Bash(ls:*)", "mcp__mneme"}, "deny": []any{}},
			"mcpServers":     map[string]any{"other": map[string]any{"command": "x"}, "mneme": map[string]any{"command": "/old/mneme-mcp"}},
			"enabledPlugins": map[string]any{"foo@bar": true},
		}
		for _, key := range slices.Sorted(keys(parts)) {
			if rapid.Bool().Draw(t, key) {
				doc[key] = parts[key]
			}
		}
		indent := rapid.SampledFrom([]string{"", " ", "  ", "    ", "\t", "none"}).Draw(t, "indent")
		data, err := json.MarshalIndent(doc, "", indent)
		if indent == "none" {
			data, err = json.Marshal(doc)
		}
		must(t, err)
		text := string(data) + rapid.SampledFrom([]string{"", "\n", "\n\n", "  "}).Draw(t, "end")
		if rapid.Bool().Draw(t, "windows") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if rapid.Bool().Draw(t, "mark") {
			text = byteOrderMark + text
		}
		return rapid.SampledFrom([]string{text, text, text, "", "\n", "{}"}).Draw(t, "text")
	})
}

func keys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestEditedSince: what the user changed after the install stays; our entries go.
func TestEditedSince(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Plugin, Settings} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, t.TempDir())
			put(t, m.settings(), "{\n  \"model\": \"a\",\n  \"permissions\": {\n    \"allow\": [\n      \"mcp__mneme\"\n    ]\n  }\n}\n")
			m.install(t, mode, User)
			text := read(t, m.settings())
			text = strings.Replace(text, `"model": "a"`, `"model": "b", "mine": [1, 2]`, 1)
			text = strings.Replace(text, `"timeout": 10`, `"timeout": 60`, 1) // in one of our hooks
			put(t, m.settings(), text)
			r, err := Remove(m.home(), "", "", m.client)
			must(t, err)
			if i := slices.IndexFunc(r.Changes, func(c Change) bool { return c.Path == m.settings() }); i < 0 || !r.Changes[i].Edited {
				t.Errorf("the edit was not noticed: %v", r.Changes)
			}
			must(t, r.Apply(t.Context()))
			want := `{"model": "b", "mine": [1, 2], "permissions": {"allow": ["mcp__mneme"]}}`
			if got := read(t, m.settings()); !same([]byte(got), []byte(want)) {
				t.Errorf("settings are %s", got)
			}
		})
	}
}

// TestForeignHooksStay: our groups come beside those of others, in the same event.
func TestForeignHooksStay(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	const group = `{"matcher": "startup", "hooks": [{"type": "command", "command": "echo hi"}]}`
	put(t, m.settings(), `{"hooks": {"SessionStart": [`+group+`]}}`)
	m.install(t, Settings, User)
	d, err := parse("settings", []byte(read(t, m.settings())))
	must(t, err)
	for _, want := range []edit{
		{Path: []string{"hooks", "SessionStart"}, List: true, Value: json.RawMessage(group)},
		{Path: []string{"permissions", "allow"}, List: true, Value: quote("mcp__mneme")},
	} {
		if !d.has([]edit{want}) {
			t.Errorf("%v is missing in %s", want.Path, d.bytes())
		}
	}
	// A second user's eye on it: what the user adds beside ours does not bring ours again.
	text := strings.Replace(read(t, m.settings()), group, group+`, {"hooks": []}`, 1)
	put(t, m.settings(), text)
	m.install(t, Settings, User)
	if got := read(t, m.settings()); got != text {
		t.Errorf("installed twice: %s", got)
	}
}

// TestUpgrade: entries of an earlier version are replaced, and the earliest content
// is the one that comes back.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	put(t, m.settings(), `{"a":1}`)
	before := m.snapshot(t)
	o := m.options(Settings, User)
	o.Files = os.DirFS(writePlugin(t, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "args": ["old"], "timeout": 1}]}], "Gone": [{"hooks": [{"type": "command", "args": ["old"], "timeout": 1}]}]}}`))
	p, err := Prepare(o)
	must(t, err)
	must(t, p.Apply(t.Context()))
	put(t, filepath.Join(m.dir, "built", hookProgram), "a newer program")
	m.install(t, Settings, User)
	if got := read(t, m.settings()); strings.Contains(got, "old") || strings.Contains(got, "Gone") || !strings.Contains(got, "pre-compact") {
		t.Errorf("after the upgrade the settings are %s", got)
	}
	if got := read(t, filepath.Join(m.home(), "bin", hookProgram)); got != "a newer program" {
		t.Errorf("the program is %q", got)
	}
	m.uninstall(t)
	if diff := compare(before, m.snapshot(t)); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
}

func writePlugin(t *testing.T, hooks string) string {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "hooks", "hooks.json"), hooks)
	return dir
}

// TestModeSwitch: the plugin replaces the settings of the same scope, and back.
func TestModeSwitch(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	put(t, m.settings(), "{\"a\":1}\n")
	before := m.snapshot(t)
	m.install(t, Settings, User)
	m.install(t, Plugin, User)
	if got := read(t, m.settings()); strings.Contains(got, hookProgram) || !strings.Contains(got, pluginID) {
		t.Errorf("after the switch the settings are %s", got)
	}
	if _, err := os.Stat(filepath.Join(m.user(), ".claude.json")); err == nil {
		t.Error("the server's entry is still there")
	}
	m.install(t, Settings, User)
	if got := read(t, m.settings()); !strings.Contains(got, hookProgram) || strings.Contains(got, pluginID) {
		t.Errorf("after the switch back the settings are %s", got)
	}
	m.uninstall(t)
	if diff := compare(before, m.snapshot(t)); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
}

// TestBroken: what is no JSON object, or not of the shape we need, is refused and
// stays as it is.
func TestBroken(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"a": 1`, `[1]`, `"x"`, `{"a": 1,}`, "{ // note\n}", `{"hooks": []}`, `{"hooks": {"Stop": {}}}`, `{"permissions": null}`, "\x00",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, t.TempDir())
			put(t, m.settings(), text)
			before := m.snapshot(t)
			_, err := Prepare(m.options(Settings, User))
			if memory.CodeOf(err) != memory.Invalid || !strings.Contains(err.Error(), m.settings()) {
				t.Errorf("error %v", err)
			}
			if diff := compare(before, m.snapshot(t)); diff != "" {
				t.Errorf("something changed:\n%s", diff)
			}
		})
	}
}

// TestLinkedSettings: the file that a link leads to is edited, the link stays, and
// its mode does, too.
func TestLinkedSettings(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	real := filepath.Join(m.user(), "dotfiles", "settings.json")
	put(t, real, "{\"a\":1}\n")
	must(t, os.Chmod(real, 0o640))
	must(t, os.Symlink("../dotfiles/settings.json", m.settings()))
	before := m.snapshot(t)
	m.install(t, Settings, User)
	if got := read(t, real); !strings.Contains(got, hookProgram) {
		t.Errorf("the file behind the link is %s", got)
	}
	if to, err := os.Readlink(m.settings()); err != nil || to != "../dotfiles/settings.json" {
		t.Errorf("the link leads to %q: %v", to, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v: %v", info.Mode(), err)
	}
	m.uninstall(t)
	if diff := compare(before, m.snapshot(t)); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(m.dir, "built", mainProgram)); err != nil {
		t.Errorf("uninstall removed what a link leads to: %v", err)
	}
}

// TestAtOnce: many installs and uninstalls at the same time leave the one or the
// other, and nothing half done.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	put(t, m.settings(), "{\"a\":1}\n")
	before := m.snapshot(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			p, err := Prepare(m.options(Settings, User))
			if err == nil {
				err = p.Apply(context.WithoutCancel(t.Context()))
			}
			if err != nil && memory.CodeOf(err) != memory.Conflict {
				t.Errorf("install: %v", err)
			}
		})
	}
	all.Wait()
	if n := strings.Count(read(t, m.settings()), ` crashed session-start >/dev/null; exit 0"`); n != 1 {
		t.Errorf("our hook is there %d times", n)
	}
	m.uninstall(t)
	if diff := compare(before, m.snapshot(t)); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
}

// TestStale: a plan that the files have left behind changes nothing.
func TestStale(t *testing.T) {
	t.Parallel()
	m := newMachine(t, t.TempDir())
	put(t, m.settings(), `{"a":1}`)
	p, err := Prepare(m.options(Settings, User))
	must(t, err)
	put(t, m.settings(), `{"a":2}`)
	if err := p.Apply(t.Context()); memory.CodeOf(err) != memory.Conflict {
		t.Errorf("error %v", err)
	}
	if got := read(t, m.settings()); got != `{"a":2}` {
		t.Errorf("settings are %s", got)
	}
}

func read(t tb, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}
