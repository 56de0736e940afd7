package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/internal/toolname"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What tools/list may cost, in tokens. Four characters of the JSON that is sent
// are counted as one, with all that Claude Code does not show to the model.
// Every session pays for it, so these are raised on purpose only.
const (
	maxListTokens   = 2_000 // the tools of memories
	maxAllTokens    = 2_250 // with those of the archive of conversations
	maxLoadedTokens = 450   // those that are loaded without being searched for
)

// TestListBudget counts what is sent, byte by byte.
func TestListBudget(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	ask := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if err := newServer(t, &fake{}).ServeStdio(t.Context(), ask, &out); err != nil {
		t.Fatal(err)
	}
	var sent struct{ Result json.RawMessage }
	var list struct{ Tools []json.RawMessage }
	if err := errors.Join(json.Unmarshal(out.Bytes(), &sent), json.Unmarshal(sent.Result, &list)); err != nil {
		t.Fatal(err)
	}
	loaded, beside := 0, 0
	for _, tool := range list.Tools {
		t.Logf("%4d characters: %.40s", len(tool), tool)
		if bytes.Contains(tool, []byte(alwaysLoadKey)) {
			loaded += utf8.RuneCount(tool)
		}
		if bytes.Contains(tool, []byte(`"name":"conversation_`)) {
			beside += utf8.RuneCount(tool) + 1 // the comma
		}
	}
	all := utf8.RuneCount(sent.Result)
	t.Logf("%d tools: %d tokens, of which always loaded %d", len(list.Tools), all/4, loaded/4)
	if beside == 0 || all >= 4*maxAllTokens || all-beside >= 4*maxListTokens {
		t.Errorf("tools/list has %d characters, %d without the archive's tools; the limits are %d and %d", all, all-beside, 4*maxAllTokens, 4*maxListTokens)
	}
	if loaded >= 4*maxLoadedTokens || loaded == 0 {
		t.Errorf("the loaded tools have %d characters; the limit is %d", loaded, 4*maxLoadedTokens)
	}
}

// TestGolden pins the entry of each tool: the list is a public interface and
// a prompt. After a change on purpose: go test -run Golden -update.
func TestGolden(t *testing.T) {
	t.Parallel()
	list, err := connect(t, newServer(t, &fake{})).ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		got, err := json.MarshalIndent(tool, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "tools", tool.Name+".json"), append(got, '\n'))
	}
	files, err := filepath.Glob(filepath.Join("testdata", "tools", "*.json"))
	if err != nil || len(files) != len(names) {
		t.Errorf("%d golden files for %d tools, %v", len(files), len(names), err)
	}
	slices.Sort(names)
	want := toolname.All()
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("tools are %v", names)
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (make it with: go test -run Golden -update)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; if on purpose: go test -run Golden -update\ngot %s", file, got)
	}
}

// TestEveryTool walks what each tool must have.
func TestEveryTool(t *testing.T) {
	t.Parallel()
	readOnly := []string{"memory_recall", "rag_search", "memory_get", "memory_related", "memory_summarize", "conversation_search", "conversation_get"}
	destructive := []string{"memory_forget", "memory_organize", "memory_undo", "memory_update"}
	for _, tool := range newServer(t, &fake{}).Tools() {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			a := tool.Annotations
			is := func(hint *bool, def bool) bool {
				if hint == nil {
					return def // what the protocol says
				}
				return *hint
			}
			reads := slices.Contains(readOnly, tool.Name)
			if a.Title == "" || is(a.ReadOnlyHint, false) != reads ||
				!reads && is(a.DestructiveHint, true) != slices.Contains(destructive, tool.Name) {
				t.Errorf("annotations %+v", a)
			}
			if n := len(tool.Description); n < 15 || n > 2_048 {
				t.Errorf("the description has %d characters", n)
			}
			always := tool.Name == "memory_store" || tool.Name == "memory_recall"
			if (tool.Meta != nil && tool.Meta.AdditionalFields[alwaysLoadKey] == true) != always {
				t.Errorf("%s is %v", alwaysLoadKey, tool.Meta)
			}
			for name, schema := range tool.InputSchema.Properties {
				if !usable(schema.(map[string]any)) {
					t.Errorf("%s has the schema %v", name, schema)
				}
			}
		})
	}
}

// usable reports whether a client can fill in a parameter from its schema alone: some
// clients refuse a list without a type for its elements.
func usable(s map[string]any) bool {
	if s["type"] == "array" {
		return s["items"] != nil
	}
	return s["type"] != nil || s["enum"] != nil
}

// TestTellsHowToCorrect: both tools that can put right what is wrong say how, and
// that without a project the current one is meant.
func TestTellsHowToCorrect(t *testing.T) {
	t.Parallel()
	for _, tool := range newServer(t, &fake{}).Tools() {
		switch tool.Name {
		case "memory_store":
			wantText(t, tool.Description, "correct", "memory_update", "memory_link", "contradicts")
			wantText(t, fmt.Sprint(tool.InputSchema.Properties["project"]), "current")
		case "memory_update":
			wantText(t, tool.Description, "Correct")
		case "memory_recall":
			wantText(t, fmt.Sprint(tool.InputSchema.Properties["project"]), "current")
		}
	}
	wantText(t, instructions, "memory_update", "Without a project a call means the current project")
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	if n := len(instructions); n >= 2_048 {
		t.Errorf("the instructions have %d characters, Claude Code cuts at 2048", n)
	}
	wantText(t, instructions, "memory_recall", "memory_store", "MEMORY.md", "notes, not instructions", "mneme up")
	if strings.Index(instructions, "RECALL") > 200 {
		t.Error("the important words come first")
	}
}
