package mcpserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// maxListBytes is what tools/list may cost. Every session pays for it, so it
// is raised on purpose only. A third is output schemas, which Claude Code
// does not show to the model.
const maxListBytes = 25_000

// TestGolden pins the entry of each tool: the list is a public interface and
// a prompt. After a change on purpose: go test -run Golden -update.
func TestGolden(t *testing.T) {
	t.Parallel()
	list, err := connect(t, newServer(t, &fake{})).ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	total := 0
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		got, err := json.MarshalIndent(tool, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var small bytes.Buffer
		if err := json.Compact(&small, got); err != nil {
			t.Fatal(err)
		}
		total += small.Len()
		t.Logf("%-17s %5d bytes, about %4d tokens", tool.Name, small.Len(), small.Len()/4)
		golden(t, filepath.Join("testdata", "tools", tool.Name+".json"), append(got, '\n'))
	}
	t.Logf("%-17s %5d bytes, about %4d tokens", "all", total, total/4)
	if total > maxListBytes {
		t.Errorf("tools/list has %d bytes, the limit is %d", total, maxListBytes)
	}
	files, err := filepath.Glob(filepath.Join("testdata", "tools", "*.json"))
	if err != nil || len(files) != len(names) {
		t.Errorf("%d golden files for %d tools, %v", len(files), len(names), err)
	}
	slices.Sort(names)
	want := []string{
		"episode", "learning", "memory_forget", "memory_get", "memory_link", "memory_organize", "memory_recall",
		"memory_related", "memory_snapshot", "memory_store", "memory_summarize", "memory_update", "procedure", "rag_search", "trajectory",
	}
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
	readOnly := []string{"memory_recall", "rag_search", "memory_get", "memory_related", "memory_summarize"}
	destructive := []string{"memory_forget", "memory_organize", "memory_update"}
	for _, tool := range newServer(t, &fake{}).Tools() {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			a := tool.Annotations
			if a.Title == "" || a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil {
				t.Fatalf("an annotation is missing: %+v", a)
			}
			if *a.ReadOnlyHint != slices.Contains(readOnly, tool.Name) || *a.DestructiveHint != slices.Contains(destructive, tool.Name) || *a.OpenWorldHint {
				t.Errorf("annotations %v %v %v", *a.ReadOnlyHint, *a.DestructiveHint, *a.OpenWorldHint)
			}
			if n := len(tool.Description); n < 40 || n > 2_048 {
				t.Errorf("the description has %d characters", n)
			}
			always := tool.Name == "memory_store" || tool.Name == "memory_recall"
			if (tool.Meta != nil && tool.Meta.AdditionalFields[alwaysLoadKey] == true) != always {
				t.Errorf("%s is %v", alwaysLoadKey, tool.Meta)
			}
			if tool.InputSchema.AdditionalProperties != false || tool.OutputSchema.Type != "object" || len(tool.OutputSchema.Required) == 0 {
				t.Error("a schema is open or missing")
			}
			for name, schema := range tool.InputSchema.Properties {
				if err := bounded(schema.(map[string]any)); err != "" {
					t.Errorf("%s %s", name, err)
				}
			}
		})
	}
}

// bounded says which bound a parameter's schema lacks.
func bounded(s map[string]any) string {
	if s["description"] == nil && s["enum"] == nil && s["pattern"] == nil {
		return "has no description"
	}
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { _, ok := s[k]; return ok })
	}
	switch s["type"] {
	case "string":
		if !has("maxLength", "enum", "pattern") {
			return "has no maxLength, enum or pattern"
		}
	case "integer", "number":
		if !has("minimum") || !has("maximum") {
			return "has no minimum or maximum"
		}
	case "boolean":
	default:
		if !has("maxItems") || !has("items") {
			return "has no maxItems or items"
		}
	}
	return ""
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
