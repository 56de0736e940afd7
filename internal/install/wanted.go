package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/mneme-memory/mneme/internal/toolname"
)

// The programs that Claude Code runs.
const (
	hookProgram   = "mneme-hook"
	serverProgram = "mneme-mcp"
	mainProgram   = "mneme"
)

// name is that of the plugin, of its marketplace and of the MCP server.
const name = "mneme"

// pluginID is how Claude Code calls the plugin.
const pluginID = name + "@" + name

// forgetTool asks each time: a forgotten memory is hard to bring back.
const forgetTool = toolname.Forget

// file is a file that a connection needs entries in.
type file struct {
	path  string
	edits []edit
	// byClient: Claude Code writes the entries itself, and the edits only say
	// where.
	byClient bool
}

// files lists what a connection needs.
func (o Options) files() ([]file, error) {
	if o.Mode == Plugin {
		return o.pluginFiles()
	}
	return o.settingsFiles()
}

// pluginFiles are the settings that "claude plugin install" makes and the
// permissions, and the two lists that Claude Code keeps for itself.
func (o Options) pluginFiles() ([]file, error) {
	var market struct {
		Source struct {
			Source string `json:"source"`
			Path   string `json:"path"`
		} `json:"source"`
	}
	market.Source.Source, market.Source.Path = "directory", o.marketplace()
	source, err := encode(market)
	if err != nil {
		return nil, err
	}
	edits := append([]edit{
		{Path: []string{"extraKnownMarketplaces", name}, Value: source},
		{Path: []string{"enabledPlugins", pluginID}, Value: json.RawMessage("true")},
	}, permissions("mcp__plugin_"+name+"_"+name)...)
	lists := filepath.Join(o.configDir(), "plugins")
	return []file{
		{path: o.settingsPath(), edits: edits},
		{path: filepath.Join(lists, "known_marketplaces.json"), byClient: true, edits: []edit{{Path: []string{name}}}},
		{path: filepath.Join(lists, "installed_plugins.json"), byClient: true, edits: []edit{{Path: []string{"plugins", pluginID}}}},
	}, nil
}

// settingsFiles are the settings with the hooks and permissions, and the file that
// names the MCP servers.
func (o Options) settingsFiles() ([]file, error) {
	hooks, err := o.hooks()
	if err != nil {
		return nil, err
	}
	server, err := encode(o.server())
	if err != nil {
		return nil, err
	}
	path, place := o.serverPlace()
	return []file{
		{path: o.settingsPath(), edits: append(hooks, permissions("mcp__"+name)...)},
		{path: path, edits: []edit{{Path: place, Value: server}}},
	}, nil
}

// permissions let Claude Code call the tools without asking, but for the one that
// deletes.
func permissions(server string) []edit {
	return []edit{
		{Path: []string{"permissions", "allow"}, List: true, Value: quote(server)},
		{Path: []string{"permissions", "ask"}, List: true, Value: quote(server + "__" + forgetTool)},
	}
}

// serverPlace is where a scope's MCP servers are kept.
func (o Options) serverPlace() (path string, place []string) {
	switch o.Scope {
	case Project:
		return filepath.Join(o.Dir, ".mcp.json"), []string{"mcpServers", name}
	case Local:
		return o.statePath(), []string{"projects", repository(o.Dir), "mcpServers", name}
	default:
		return o.statePath(), []string{"mcpServers", name}
	}
}

// serverEntry is an entry of mcpServers. The fields are in the order of Claude
// Code's own entries.
type serverEntry struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

func (o Options) server() serverEntry {
	e := serverEntry{Type: "stdio", Command: filepath.Join(o.programs(), serverProgram), Args: []string{}}
	if !o.usualHome() {
		e.Env = map[string]string{"MNEME_HOME": o.Home}
	}
	return e
}

// group is an entry of an event's hooks.
type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []hook `json:"hooks"`
}

type hook struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"` // seconds
}

// hooks are those of the plugin, as entries of the settings.
func (o Options) hooks() ([]edit, error) {
	data, err := fs.ReadFile(o.Files, "hooks/hooks.json")
	if err != nil {
		return nil, fmt.Errorf("read the plugin's hooks: %w", err)
	}
	d, err := parse("hooks.json", data)
	if err != nil {
		return nil, err
	}
	events, ok := d.get("hooks").Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("read the plugin's hooks: they are not an object")
	}
	var out []edit
	for _, m := range events.Members { // in the order of the file
		event, ok := m.Name.Value.(hujson.Literal)
		if !ok {
			continue
		}
		var groups []group
		if err := json.Unmarshal(m.Value.Pack(), &groups); err != nil {
			return nil, fmt.Errorf("read the plugin's hooks: %w", err)
		}
		for _, g := range groups {
			for i := range g.Hooks {
				g.Hooks[i] = o.command(g.Hooks[i])
			}
			value, err := encode(g)
			if err != nil {
				return nil, err
			}
			out = append(out, edit{Path: []string{"hooks", event.String()}, List: true, Value: value})
		}
	}
	return out, nil
}

// command is a plugin's hook with the path of the program itself. The shell is there
// for its last words: the status is 0 even if the program crashes, and the log knows. A
// Go program that panics ends with 2, which Claude Code reads as "block".
func (o Options) command(h hook) hook {
	program := shellQuote(filepath.Join(o.programs(), hookProgram))
	if !o.usualHome() {
		program = "MNEME_HOME=" + shellQuote(o.Home) + " " + program
	}
	args := strings.Join(h.Args, " ")
	h.Command, h.Args = program+" "+args+" || "+program+" crashed "+args+" >/dev/null; exit 0", nil
	return h
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// encode writes a value without escaping what is for no web page.
func encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode an entry: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// quote writes a name as a JSON string.
func quote(s string) json.RawMessage { return json.RawMessage(hujson.String(s)) }
