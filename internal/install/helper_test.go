package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-memory/mneme/plugin"
)

// tb is what the helpers need of a test or of a property's run.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// machine is a user's home with a built mneme and, in it, a Claude Code that
// behaves as the real one was seen to.
type machine struct {
	dir    string
	client *fakeClient
}

func newMachine(t tb, dir string) machine {
	t.Helper()
	m := machine{dir: dir}
	m.client = &fakeClient{config: filepath.Join(m.user(), ".claude")}
	for _, program := range []string{serverProgram, hookProgram, mainProgram} {
		put(t, filepath.Join(dir, "built", program), "program "+program)
	}
	must(t, os.MkdirAll(filepath.Join(m.user(), ".claude"), 0o700))
	must(t, os.MkdirAll(m.project(), 0o700))
	must(t, os.MkdirAll(m.home(), 0o700))
	return m
}

func (m machine) user() string     { return filepath.Join(m.dir, "user") }
func (m machine) home() string     { return filepath.Join(m.user(), ".mneme") }
func (m machine) project() string  { return filepath.Join(m.user(), "project") }
func (m machine) settings() string { return filepath.Join(m.user(), ".claude", "settings.json") }

func (m machine) options(mode Mode, scope Scope) Options {
	return Options{
		Mode: mode, Scope: scope, Dir: m.project(), Home: m.home(), UserHome: m.user(),
		Programs: filepath.Join(m.dir, "built"), Files: plugin.Files, Client: m.client,
	}
}

func (m machine) install(t tb, mode Mode, scope Scope) {
	t.Helper()
	p, err := Prepare(m.options(mode, scope))
	must(t, err)
	must(t, p.Apply(context.Background()))
}

func (m machine) uninstall(t tb) {
	t.Helper()
	r, err := Remove(m.home(), "", "", m.client)
	must(t, err)
	must(t, r.Apply(context.Background()))
}

func must(t tb, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

func put(t tb, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// snapshot is all files below a folder, links as what they lead to, without the
// data folder.
func (m machine) snapshot(t tb) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(m.user(), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == m.home() {
			return fs.SkipDir
		}
		switch {
		case e.IsDir():
			out[path] = "folder"
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			out[path] = "-> " + to
			return err
		default:
			data, err := os.ReadFile(path)
			out[path] = string(data)
			return err
		}
		return nil
	}))
	return out
}

// compare names what differs between two snapshots.
func compare(before, after map[string]string) string {
	var out []string
	for path, data := range before {
		if got, ok := after[path]; !ok {
			out = append(out, "gone: "+path)
		} else if got != data {
			out = append(out, "changed: "+path+"\nbefore: "+data+"\nafter:  "+got)
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			out = append(out, "new: "+path)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// fakeClient is Claude Code's command line: like the real one it writes its
// settings and lists anew, in its own form.
type fakeClient struct {
	config string
	fails  string // subcommand that fails, such as "install"
	mu     sync.Mutex
	ran    []string
}

func (c *fakeClient) Run(_ context.Context, _ string, args ...string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := strings.Join(args, " ")
	c.ran = append(c.ran, line)
	if c.fails != "" && strings.Contains(line, c.fails) {
		return "no network", errors.New("exit status 1")
	}
	scope := args[len(args)-1]
	switch {
	case strings.HasPrefix(line, "plugin marketplace add"):
		source := map[string]any{"source": map[string]any{"source": "directory", "path": args[3]}}
		return "", errors.Join(
			c.edit(c.settings(scope), func(d map[string]any) { child(d, "extraKnownMarketplaces")[name] = source }),
			c.edit(c.list("known_marketplaces.json"), func(d map[string]any) { d[name] = source }))
	case strings.HasPrefix(line, "plugin install"):
		return "", errors.Join(
			c.edit(c.settings(scope), func(d map[string]any) { child(d, "enabledPlugins")[pluginID] = true }),
			c.edit(c.list("installed_plugins.json"), func(d map[string]any) {
				d["version"] = 2
				child(d, "plugins")[pluginID] = []any{map[string]any{"scope": scope}}
			}))
	case strings.HasPrefix(line, "plugin uninstall"):
		return "", errors.Join(
			c.edit(c.settings(scope), func(d map[string]any) { delete(child(d, "enabledPlugins"), pluginID) }),
			c.edit(c.list("installed_plugins.json"), func(d map[string]any) { delete(child(d, "plugins"), pluginID) }))
	case strings.HasPrefix(line, "plugin marketplace remove"):
		return "", errors.Join(
			c.edit(c.settings("user"), func(d map[string]any) { delete(child(d, "extraKnownMarketplaces"), name) }),
			c.edit(c.list("known_marketplaces.json"), func(d map[string]any) { delete(d, name) }))
	}
	return "", errors.New("unknown command: " + line)
}

func (c *fakeClient) settings(string) string { return filepath.Join(c.config, "settings.json") }
func (c *fakeClient) list(name string) string {
	return filepath.Join(c.config, "plugins", name)
}

func child(d map[string]any, name string) map[string]any {
	m, ok := d[name].(map[string]any)
	if !ok {
		m = map[string]any{}
		d[name] = m
	}
	return m
}

func (c *fakeClient) edit(path string, change func(map[string]any)) error {
	d := map[string]any{}
	if data, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(data)) != "" {
		if err := json.Unmarshal(bytes.TrimPrefix(data, []byte(byteOrderMark)), &d); err != nil {
			return err
		}
	}
	change(d)
	data, err := json.MarshalIndent(d, "", "\t") // no user's form
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return save(path, content{data: data, exists: true}, 0o600) // at once: a test kills the process
}
