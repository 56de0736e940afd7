package mcpserver

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestGetOfWhatWasMergedAway answers with the survivor and misses nothing.
func TestGetOfWhatWasMergedAway(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, &fake{get: func([]string) ([]memory.Details, error) {
		return []memory.Details{{Memory: memory.Memory{ID: idB, Text: "b", State: memory.Live}, StandsFor: []string{idA}}}, nil
	}}))
	out := mustCall(t, c, "memory_get", map[string]any{"id": idA})
	m := out["memories"].([]any)[0].(map[string]any)
	if m["id"] != memory.ShortID(idB) || m["stands_for"].([]any)[0] != memory.ShortID(idA) || out["missing"] != nil {
		t.Errorf("answered %v", out)
	}
}
