package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// secretsByNotes imports a Markdown file that has a section for every kind, from a folder where
// this test does not look.
func secretsByNotes(t *testing.T) {
	var b strings.Builder
	for i, s := range secretsFor(t, "notes", 700) {
		fmt.Fprintf(&b, "## Section %d\n\n%s\n\n", i, s.Sentence)
	}
	file := filepath.Join(t.TempDir(), "NOTES.md")
	check(t, os.WriteFile(file, []byte(b.String()), 0o600))
	shared.ok(t, "import", "--project", "notes with secrets", file)
}

// secretsByHistory imports a transcript of Claude Code in which every kind is said by the person,
// answered by the assistant and printed by a command: all of it is archived.
func secretsByHistory(t *testing.T) {
	root, at := t.TempDir(), time.Date(2026, 2, 3, 8, 0, 0, 0, time.UTC)
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	for i, s := range secretsFor(t, "history", 710) {
		for role, content := range map[string]any{
			"user":      "Keep in mind: " + s.Sentence,
			"assistant": []any{map[string]any{"type": "text", "text": "Noted: " + s.Sentence}},
		} {
			check(t, encoder.Encode(map[string]any{
				"type": role, "uuid": fmt.Sprintf("%s-%d", role, i), "sessionId": "told", "timestamp": at.Add(time.Duration(i) * time.Second).Format(time.RFC3339),
				"cwd": "/src/told", "message": map[string]any{"role": role, "id": fmt.Sprintf("%s-%d", role, i), "content": content},
			}))
		}
		call := fmt.Sprintf("toolu_%d", i)
		check(t, encoder.Encode(map[string]any{
			"type": "user", "uuid": call, "sessionId": "told", "timestamp": at.Format(time.RFC3339), "cwd": "/src/told",
			"message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": call, "content": s.Sentence}}},
		}))
	}
	path := filepath.Join(root, "projects", "-src-told", "told.jsonl")
	check(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check(t, os.WriteFile(path, []byte(b.String()), 0o600))
	old := time.Now().Add(-time.Hour)
	check(t, os.Chtimes(path, old, old))
	w := *shared
	w.env = append(append([]string{}, shared.env...), "CLAUDE_CONFIG_DIR="+root)
	w.ok(t, "import", "--claude", "--tools")
	if out := w.ok(t, "conversations", "show", "--all-projects", "--session", "told"); strings.Count(out, "[redacted:") < 200 {
		t.Errorf("only %d marks stand in what was archived: too little passed this way", strings.Count(out, "[redacted:"))
	}
}
