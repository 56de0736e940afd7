package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	// span is what a page shows as code: in a line, or a line of a block.
	span = regexp.MustCompile("`([^`\n]+)`")
	// called is a call of the program in it.
	called = regexp.MustCompile(`(?:^\s*|[|&;(]\s*|[A-Z_]+=\S+ )mneme((?: [a-z-][^\s|&;)>]*)+)`)
)

// calls returns the arguments of each call of mneme that a page shows as code.
func calls(page string) [][]string {
	var code []string
	block := false
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "```"):
			block = !block
		case block:
			text, _, _ := strings.Cut(line, " #")
			code = append(code, text)
		default:
			for _, s := range span.FindAllStringSubmatch(line, -1) {
				code = append(code, s[1])
			}
		}
	}
	var out [][]string
	for _, c := range code {
		for _, found := range called.FindAllStringSubmatch(c, -1) {
			out = append(out, strings.Fields(found[1]))
		}
	}
	return out
}

// TestPagesShowRealCommands looks up each command and flag that the documents show.
func TestPagesShowRealCommands(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	seen := 0
	for _, name := range []string{"README.md", "docs/operating.md", "docs/security.md", "docs/privacy.md", "docs/hooks.md", "docs/claude-code.md", "docs/analytics.md", "deploy/README.md"} {
		page, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range calls(string(page)) {
			seen++
			if problem := unknown((&app{sys: System{Env: func(string) string { return "" }}}).root(), args); problem != "" {
				t.Errorf("%s: mneme %s: %s", name, strings.Join(args, " "), problem)
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d commands were found", seen)
	}
	if unknown((&app{}).root(), []string{"up", "--sideways"}) == "" || unknown((&app{}).root(), []string{"fly"}) == "" {
		t.Error("what does not exist is not noticed")
	}
}

// unknown says what of a call does not exist. Words that are no commands are arguments.
func unknown(cmd *cobra.Command, args []string) string {
	cmd.InitDefaultHelpCmd()
	cmd.InitDefaultCompletionCmd()
	for i, arg := range args {
		arg = strings.Trim(arg, `"',.`)
		switch {
		case strings.HasPrefix(arg, "--"):
			name, _, _ := strings.Cut(arg[2:], "=")
			if name != "help" && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil && cmd.PersistentFlags().Lookup(name) == nil {
				return "there is no flag " + arg
			}
		case strings.HasPrefix(arg, "-"):
			if len(arg) == 2 && cmd.Flags().ShorthandLookup(arg[1:]) == nil && arg != "-h" {
				return "there is no flag " + arg
			}
		default:
			next, rest, err := cmd.Find([]string{arg})
			if err == nil && next != cmd && len(rest) == 0 {
				cmd = next
			} else if i == 0 {
				return "there is no such command"
			}
		}
	}
	return ""
}

// TestMessagesOfThePage looks in the program for each message that docs/operating.md explains.
func TestMessagesOfThePage(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "### What the messages mean")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(table, -1)
	if len(rows) < 12 {
		t.Fatalf("the table has %d messages", len(rows))
	}
	var program strings.Builder
	for _, dir := range []string{"internal", "activities", "workflows", "memory", "embedded", "worker"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			program.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range rows {
		if !strings.Contains(program.String(), row[1]) {
			t.Errorf("nothing in the program says %q", row[1])
		}
	}
}
