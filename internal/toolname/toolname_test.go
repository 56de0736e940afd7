package toolname_test

import (
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/internal/toolname"
)

func TestBare(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]struct {
		bare string
		ours bool
	}{
		"mcp__mneme__memory_store":          {"memory_store", true},
		"mcp__plugin_mneme_mneme__learning": {"learning", true},
		"mcp__mneme__memory_of_next_year":   {"memory_of_next_year", true},
		"mcp__github__create_issue":         {"create_issue", false},
		"mcp__broken":                       {"", false},
		"memory_store":                      {"", false},
		"Bash":                              {"", false},
	} {
		if bare, ours := toolname.Bare(tool), toolname.Ours(tool); bare != want.bare || ours != want.ours {
			t.Errorf("%s: %q, ours %v", tool, bare, ours)
		}
	}
}

func TestNamesAreDistinct(t *testing.T) {
	t.Parallel()
	all := toolname.All()
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != len(all) || n != 18 {
		t.Errorf("%d distinct names of %d", n, len(all))
	}
}
