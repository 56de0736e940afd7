package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestCheckClaude(t *testing.T) {
	t.Parallel()
	const server = `{"mcpServers":{"mneme":{"command":"mneme-mcp"}}}`
	for name, c := range map[string]struct {
		file, text string
		want, hint string // of the detail, or of the error
		fine       bool
	}{
		"none":          {"home/.claude.json", `{"numStartups":3}`, "does not use mneme yet", "claude mcp add", false},
		"user":          {"home/.claude.json", server, "MCP server mneme in", "", true},
		"by program":    {"home/.claude.json", `{"mcpServers":{"notes":{"command":"mneme-mcp"}}}`, "MCP server notes", "", true},
		"this project":  {"home/.claude.json", `{"projects":{"DIR":{"mcpServers":{"mneme":{"command":"mneme-mcp"}}}}}`, "MCP server", "", true},
		"another one":   {"home/.claude.json", `{"projects":{"/x":{"mcpServers":{"mneme":{"command":"mneme-mcp"}}}}}`, "does not use", "mneme install", false},
		"plugin":        {"home/.claude/settings.json", `{"enabledPlugins":{"mneme@mneme":true}}`, "plugin mneme@mneme", "", true},
		"plugin off":    {"home/.claude/settings.json", `{"enabledPlugins":{"mneme@mneme":false}}`, "does not use", "mneme install", false},
		"odd shape":     {"home/.claude/settings.json", `{"enabledPlugins":["mneme@mneme"]}`, "does not use", "mneme install", false},
		"project file":  {"dir/.mcp.json", server, "MCP server mneme in", "", true},
		"local plugin":  {"dir/.claude/settings.local.json", `{"enabledPlugins":{"mneme@x":true}}`, "plugin mneme@x", "", true},
		"moved program": {"dir/.mcp.json", `{"mcpServers":{"mneme":{"command":"/nowhere/mneme-mcp"}}}`, "is not there", "mneme install", false},
		"damaged":       {"dir/.mcp.json", `{"mcpServers":`, "is not JSON", "mend that file", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			dir := filepath.Join(root, "dir")
			path := filepath.Join(root, filepath.FromSlash(c.file))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.ReplaceAll(c.text, "DIR", dir)), 0o600); err != nil {
				t.Fatal(err)
			}
			o := Options{Dir: dir, MCP: "/bin/mneme-mcp", Env: func(name string) string {
				if name == "HOME" {
					return filepath.Join(root, "home")
				}
				return ""
			}}
			detail, err := o.claude(t.Context())
			if (err == nil) != c.fine {
				t.Fatalf("%q, %v", detail, err)
			}
			said := detail
			if err != nil {
				said += err.Error()
			}
			if !strings.Contains(said, c.want) || !c.fine && !strings.Contains(memory.HintOf(errors.Unwrap(err)), c.hint) {
				t.Errorf("%q, %v", detail, err)
			}
		})
	}
}

func FuzzClaudeConfig(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"mneme":{"command":"/x"}},"enabledPlugins":{"mneme@m":true},"projects":{"/d":{"mcpServers":{}}}}`))
	f.Add([]byte(`{"mcpServers":[],"enabledPlugins":{"mneme@m":"yes"},"projects":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		cfg, err := parseClaude("f", text)
		if how, server := cfg.find("/d"); err != nil && how != "" {
			t.Errorf("found %q, %+v in what is no JSON", how, server)
		}
	})
}
