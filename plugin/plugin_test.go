package plugin_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/internal/hook"
	"github.com/mneme-memory/mneme/internal/toolname"
	"github.com/mneme-memory/mneme/plugin"
)

type hooks struct {
	Hooks map[string][]struct {
		Matcher string `json:"matcher"`
		Hooks   []struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
			Timeout int      `json:"timeout"`
		} `json:"hooks"`
	} `json:"hooks"`
}

func load(t *testing.T) hooks {
	t.Helper()
	data, err := fs.ReadFile(plugin.Files, "hooks/hooks.json")
	if err != nil {
		t.Fatal(err)
	}
	var h hooks
	if err := json.Unmarshal(data, &h); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestHooks: each event calls the hook under its own name, with a short time-out
// in seconds: the client's default is ten minutes.
func TestHooks(t *testing.T) {
	t.Parallel()
	registered := load(t).Hooks
	if want := hook.Events(); len(registered) != len(want) {
		t.Errorf("%d events are registered, the hook answers %v", len(registered), want)
	}
	for event, groups := range registered {
		want := hook.Argument(event)
		if !slices.Contains(hook.Events(), event) {
			t.Errorf("the hook does not answer %s", event)
		}
		for _, g := range groups {
			for _, h := range g.Hooks {
				if h.Command != "${CLAUDE_PLUGIN_ROOT}/bin/mneme-hook" || len(h.Args) != 1 || h.Args[0] != want {
					t.Errorf("%s calls %s %v", event, h.Command, h.Args)
				}
				if h.Timeout < 1 || h.Timeout > 10 {
					t.Errorf("%s may take %d s", event, h.Timeout)
				}
			}
		}
	}
}

// TestStoreMatcher: the tools that store are known under every name that our server
// may have, and nobody else's are.
func TestStoreMatcher(t *testing.T) {
	t.Parallel()
	matcher := regexp.MustCompile(first(t, "PreToolUse"))
	for tool, want := range map[string]bool{
		"mcp__mneme__memory_store":              true,
		"mcp__plugin_mneme_mneme__memory_store": true,
		"mcp__plugin_mneme_mneme__learning":     true,
		"mcp__mneme__trajectory":                true,
		"mcp__mneme__memory_recall":             false,
		"mcp__other__memory_store":              false,
		"mcp__other__learning":                  false,
		"memory_store":                          false,
		"Bash":                                  false,
	} {
		if got := matcher.MatchString(tool); got != want {
			t.Errorf("%s: %v", tool, got)
		}
	}
	for _, tool := range toolname.Storing() {
		if !matcher.MatchString("mcp__plugin_mneme_mneme__" + tool) {
			t.Errorf("%s stores, and no hook sees it", tool)
		}
	}
}

// TestMarketplace: the repository's marketplace offers this plugin by its name.
func TestMarketplace(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../.claude-plugin/marketplace.json")
	if err != nil {
		t.Fatal(err)
	}
	var market struct {
		Name    string `json:"name"`
		Plugins []struct {
			Name, Source string
		} `json:"plugins"`
	}
	if err := json.Unmarshal(data, &market); err != nil {
		t.Fatal(err)
	}
	if market.Name != "mneme" || len(market.Plugins) != 1 || market.Plugins[0].Name != "mneme" || market.Plugins[0].Source != "./plugin" {
		t.Errorf("the marketplace is %+v", market)
	}
}

// TestFetch: the plugin fetches the programs with the script that is published with each release.
func TestFetch(t *testing.T) {
	t.Parallel()
	published, err := os.ReadFile("../deploy/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	own, err := fs.ReadFile(plugin.Files, "bin/mneme-fetch")
	if err != nil || string(own) != string(published) {
		t.Errorf("bin/mneme-fetch differs from deploy/install.sh (%v): copy it", err)
	}
}

// first returns the matcher of an event's first group.
func first(t *testing.T, event string) string {
	t.Helper()
	groups := load(t).Hooks[event]
	if len(groups) == 0 {
		t.Fatalf("%s has no hooks", event)
	}
	return groups[0].Matcher
}
