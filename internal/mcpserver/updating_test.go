package mcpserver

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	var got memory.UpdateInput
	c := connect(t, newServer(t, &fake{update: func(in memory.UpdateInput) (memory.Memory, error) {
		got = in
		m := memory.Memory{ID: in.ID, Text: "old", Type: memory.TypeFact, Tags: []string{"a"}, Importance: .5, Collection: memory.Memories, Project: "p"}
		return in.Apply(m), nil
	}}))
	out := mustCall(t, c, "memory_update", map[string]any{"id": idA, "text": " new ", "tags": []string{}, "type": "", "pinned": false, "importance": 0})
	if got.ID != idA || *got.Text != "new" || got.Type != nil || len(*got.Tags) != 0 || *got.Pinned || *got.Importance != 0 ||
		got.User != "me" || got.Source != memory.SourceTool {
		t.Errorf("asked %+v", got)
	}
	if out["id"] != memory.ShortID(idA) || out["type"] != "fact" || len(out["tags"].([]any)) != 0 || out["importance"] != 0.0 {
		t.Errorf("answered %v", out)
	}
	wantText(t, out["message"].(string), "updated; the history keeps what it was before")

	mustCall(t, c, "memory_update", map[string]any{"id": idA, "pinned": true, "keep": true})
	if got.Text != nil || got.Tags != nil || got.Importance != nil || !*got.Pinned || !got.Keep {
		t.Errorf("asked %+v", got)
	}
}

// The model is told when the text is not what it sent.
func TestUpdateTellsOfSecrets(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, &fake{update: func(in memory.UpdateInput) (memory.Memory, error) {
		return memory.Memory{ID: in.ID, Text: "the key is [redacted:api-key]"}, nil
	}}))
	out := mustCall(t, c, "memory_update", map[string]any{"id": idA, "text": "the key is k"})
	wantText(t, out["message"].(string), "secrets were taken out")
}
