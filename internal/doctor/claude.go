package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// maxClaudeConfig bounds what is read of a configuration: Claude Code keeps its own history
// in the same file.
const maxClaudeConfig = 64 << 20

// claudeConfig is what this check knows of Claude Code's files. Each has some of it.
type claudeConfig struct {
	MCPServers map[string]claudeServer `json:"mcpServers"`
	Plugins    map[string]bool         `json:"enabledPlugins"`
	Projects   map[string]struct {
		MCPServers map[string]claudeServer `json:"mcpServers"`
	} `json:"projects"`
}

type claudeServer struct {
	Command string `json:"command"`
	URL     string `json:"url"`
}

// claude looks for mneme in the files where Claude Code keeps its servers and plugins:
// the user's, and those of the folder. It only reads.
func (o Options) claude(context.Context) (string, error) {
	home := o.Env("HOME")
	user, own := filepath.Join(home, ".claude.json"), filepath.Join(home, ".claude")
	if dir := o.Env("CLAUDE_CONFIG_DIR"); dir != "" {
		user, own = filepath.Join(dir, ".claude.json"), dir
	}
	var unreadable error
	for _, path := range []string{
		user, filepath.Join(own, "settings.json"),
		filepath.Join(o.Dir, ".mcp.json"),
		filepath.Join(o.Dir, ".claude", "settings.json"), filepath.Join(o.Dir, ".claude", "settings.local.json"),
	} {
		cfg, err := readClaude(path)
		if err != nil {
			unreadable = err
			continue
		}
		if how, server := cfg.find(o.Dir); how != "" {
			return fmt.Sprintf("%s in %s", how, path), server.check()
		}
	}
	hint := `run "mneme install", or: claude mcp add --scope user mneme -- ` + o.MCP
	if unreadable != nil {
		return "", Warning{memory.Errorf(memory.Invalid, "mend that file; then "+hint, "cannot tell whether Claude Code uses mneme: %w", unreadable)}
	}
	return "", Warning{memory.Errorf(memory.NotFound, hint, "Claude Code does not use mneme yet")}
}

// readClaude reads one file; an absent file has no content.
func readClaude(path string) (claudeConfig, error) {
	var cfg claudeConfig
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return cfg, nil
	}
	if err != nil {
		return cfg, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxClaudeConfig))
	if err != nil {
		return cfg, fmt.Errorf("read %s: %w", path, err)
	}
	return parseClaude(path, text)
}

func parseClaude(path string, text []byte) (claudeConfig, error) {
	var cfg claudeConfig
	if err := json.Unmarshal(text, &cfg); err != nil {
		var typed *json.UnmarshalTypeError
		if errors.As(err, &typed) {
			return cfg, nil // valid JSON of a shape we do not know; the rest is filled
		}
		return cfg, fmt.Errorf("%s is not JSON: %w", path, err)
	}
	return cfg, nil
}

// find returns how a folder gets mneme, "" if it does not.
func (c claudeConfig) find(dir string) (how string, server claudeServer) {
	for name, on := range c.Plugins {
		if on && strings.HasPrefix(name, "mneme@") {
			return "plugin " + name, claudeServer{}
		}
	}
	for _, servers := range []map[string]claudeServer{c.Projects[dir].MCPServers, c.MCPServers} {
		for name, s := range servers {
			if name == "mneme" || filepath.Base(s.Command) == "mneme-mcp" {
				return "MCP server " + name, s
			}
		}
	}
	return "", claudeServer{}
}

// check finds a server whose program has moved.
func (s claudeServer) check() error {
	if !filepath.IsAbs(s.Command) {
		return nil
	}
	if _, err := os.Stat(s.Command); err != nil {
		return Warning{memory.Errorf(memory.NotFound, `run "mneme install" again`, "its program is not there: %s", s.Command)}
	}
	return nil
}
