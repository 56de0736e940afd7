package endtoend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/analytics"
)

// TestEveryTool calls every tool once, in the order in which a memory lives,
// and pins the shape of each answer.
func TestEveryTool(t *testing.T) {
	t.Parallel()
	d := shared.stdio(t, "MNEME_PROJECT=example.org/every-tool")
	got := &script{t: t, d: d, called: map[string]bool{}}
	id := func(out map[string]any) string { s, _ := out["id"].(string); return s }

	port := id(got.call("memory_store", map[string]any{
		"text": "The gateway listens on port 8443 behind the proxy.", "type": "fact", "tags": []string{"Gateway", "ports"}, "importance": 0.8,
	}))
	got.call("memory_store", map[string]any{"text": "The gateway  listens on port 8443 behind the proxy."})
	lesson := id(got.call("learning", map[string]any{"insight": "The gateway drops idle connections after a minute", "context": "seen with the proxy"}))
	got.call("procedure", map[string]any{"name": "Restart the gateway", "steps": []string{"drain it", "restart it"}})
	got.call("episode", map[string]any{"event": "The gateway ran out of file handles", "outcome": "the limit was raised"})
	got.call("trajectory", map[string]any{"task": "Find why the gateway is slow", "steps": []string{"look at the log", "raise the limit"}})
	got.call("memory_recall", map[string]any{"query": "which port does the gateway listen on?", "limit": 1})
	got.call("rag_search", map[string]any{"query": "gateway drops idle connections", "collection": "learnings", "min_score": 0})
	got.call("memory_get", map[string]any{"id": port})
	got.call("memory_link", map[string]any{"source_id": lesson, "target_id": port, "link_type": "clarifies"})
	got.call("memory_related", map[string]any{"id": port})
	got.call("memory_update", map[string]any{"id": port, "text": "The gateway listens on port 9443 behind the proxy.", "pinned": true})
	got.call("memory_summarize", map[string]any{"sentences": 2})
	got.call("memory_organize", map[string]any{"dry_run": true, "project": "example.org/every-tool"})
	got.call("memory_forget", map[string]any{"tags": []string{"ports"}, "dry_run": true})
	got.call("memory_forget", map[string]any{"id": port})
	got.call("memory_undo", map[string]any{"of": port, "dry_run": true})
	root := t.TempDir()
	sessions(t, filepath.Join(root, "projects"), 0)
	w := *shared
	w.env = append(append([]string{}, shared.env...), "CLAUDE_CONFIG_DIR="+root)
	w.ok(t, "import", "--claude", "--no-memories")
	said := got.call("conversation_search", map[string]any{
		"query": "which port does the vault of the bank listen on?", "project": "/src/history-bank", "limit": 1,
	})["messages"].([]any)[0].(map[string]any)["id"]
	got.call("conversation_get", map[string]any{"id": said, "project": "/src/history-bank"})
	golden(t, "every-tool.txt", got.Bytes())
	if _, told := d.try(t, "conversation_get", map[string]any{"id": "ffffffff"}); !strings.Contains(told, "ffffffff") {
		t.Errorf("a message that was never archived: %q", told)
	}

	if out, _ := d.try(t, "memory_get", map[string]any{"id": port}); out != nil {
		if text := fmt.Sprint(out["memories"]); strings.Contains(text, "9443") {
			t.Errorf("forgotten, and still read: %s", text)
		}
	}
	for _, h := range d.call(t, "memory_recall", map[string]any{"query": "gateway port 9443", "min_score": 0})["results"].([]any) {
		if h.(map[string]any)["id"] == port {
			t.Error("forgotten, and still found")
		}
	}
	if analytics.Linked {
		snapshot := d.call(t, "memory_snapshot", map[string]any{})
		if file, _ := snapshot["file"].(string); !strings.HasPrefix(file, shared.home) || snapshot["rows"].(float64) < 10 {
			t.Errorf("the snapshot is %v", snapshot)
		}
	} else if _, told := d.try(t, "memory_snapshot", map[string]any{}); !strings.Contains(told, "C++ compiler") {
		t.Errorf("a snapshot without DuckDB says %q", told)
	}
	got.called["memory_snapshot"] = true
	got.complete()
}

// script notes the shape of every answer.
type script struct {
	bytes.Buffer
	t      *testing.T
	d      door
	called map[string]bool
}

func (s *script) call(tool string, args map[string]any) map[string]any {
	s.t.Helper()
	out := s.d.call(s.t, tool, args)
	s.called[tool] = true
	fmt.Fprintf(s, "%s %s\n%s\n\n", tool, pretty(s.t, normal(s.t, args), ""), pretty(s.t, out, "  "))
	return out
}

// complete checks that no tool was left out.
func (s *script) complete() {
	s.t.Helper()
	list, err := s.d.ListTools(s.t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !s.called[tool.Name] {
			s.t.Errorf("%s was not called", tool.Name)
		}
	}
}

// changing are the values that differ from run to run.
var changing = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[0-9:.]+Z|\d{8}T[0-9.]+-[0-9a-f]{8}|\b[0-9a-f]{8}\b`)

// measured are fields with changing numbers, or numbers that depend on other
// tests' memories in _global.
var measured = map[string]bool{"similarity": true, "score": true, "confidence": true, "took_seconds": true, "below_bar": true}

// shape puts what kind of value it is in place of what changes from run to
// run: ids, times and measured numbers.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			out[name] = shape(value)
			switch {
			case measured[name]:
				out[name] = "<number>"
			case name == "date":
				out[name] = "<date>"
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = shape(value)
		}
		return out
	case string:
		return changing.ReplaceAllStringFunc(v, func(s string) string {
			if strings.Contains(s, "T") {
				return "<time>"
			}
			return "<id>"
		})
	default:
		return v
	}
}

// pretty writes the shape of v as JSON.
func pretty(t *testing.T, v any, indent string) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(shape(v)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// normal returns v as JSON reads it back.
func normal(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// golden compares with a file below testdata, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (make it with: go test ./internal/test/endtoend -update)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; if on purpose: go test ./internal/test/endtoend -update\n%s", file, firstDifference(string(got), string(want)))
	}
}

// firstDifference shows the first lines in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d:\n got %s\nwant %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// TestProjectsAreApart stores through one session and looks for it through
// others.
func TestProjectsAreApart(t *testing.T) {
	t.Parallel()
	mine := shared.stdio(t, "MNEME_PROJECT=example.org/mine")
	theirs := shared.http(t, map[string]string{"Mneme-Project": "example.org/theirs"})
	secret := mine.call(t, "memory_store", map[string]any{"text": "The zebra crossing opens at noon."})["id"]
	everywhere := mine.call(t, "memory_store", map[string]any{"text": "The zebra stripes are black and white.", "project": "_global"})["id"]

	found := func(d door, tool string, more map[string]any) map[any]bool {
		args := map[string]any{"query": "zebra", "min_score": 0, "limit": 100}
		for k, v := range more {
			args[k] = v
		}
		ids := map[any]bool{}
		for _, h := range d.call(t, tool, args)["results"].([]any) {
			ids[h.(map[string]any)["id"]] = true
		}
		return ids
	}
	for _, tc := range []struct {
		name             string
		ids              map[any]bool
		wantMine, global bool
	}{
		{"own project", found(mine, "memory_recall", nil), true, true},
		{"another project", found(theirs, "memory_recall", nil), false, true},
		{"another project, search", found(theirs, "rag_search", nil), false, true},
		{"another project, all asked", found(theirs, "rag_search", map[string]any{"all_projects": true}), true, true},
		{"named project", found(theirs, "memory_recall", map[string]any{"project": "example.org/mine"}), true, true},
		{"_global alone", found(mine, "memory_recall", map[string]any{"project": "_global"}), false, true},
		{"a longer name", found(mine, "memory_recall", map[string]any{"project": "example.org/mine/sub"}), false, true},
	} {
		if tc.ids[secret] != tc.wantMine || tc.ids[everywhere] != tc.global {
			t.Errorf("%s: sees the project's %v, _global's %v", tc.name, tc.ids[secret], tc.ids[everywhere])
		}
	}
	if out := theirs.call(t, "memory_forget", map[string]any{"date_before": "2999-01-01", "dry_run": true}); out["count"] != 0.0 {
		t.Errorf("another project would forget %v", out)
	}
	if out := theirs.call(t, "memory_summarize", map[string]any{}); strings.Contains(fmt.Sprint(out["summary"]), "zebra") {
		t.Errorf("another project's summary is %v", out)
	}
	a := shared.cli(t, "", "recall", "--json", "--project", "example.org/theirs", "--min-score", "0", "zebra")
	if strings.Contains(a.stdout, fmt.Sprint(secret)) {
		t.Errorf("the command line sees it: %s", a.stdout)
	}
}
