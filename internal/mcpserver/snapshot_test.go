package mcpserver

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestSnapshot(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, &fake{snapshot: func(memory.SnapshotInput) (memory.SnapshotReport, error) {
		return memory.SnapshotReport{File: "/home/me/.mneme/analytics/mneme.duckdb", Rows: 12, NewRows: 3, Memories: 5}, nil
	}}))
	out := mustCall(t, c, "memory_snapshot", map[string]any{})
	if out["new_rows"] != 3.0 || out["rows"] != 12.0 || out["memories"] != 5.0 || out["file"] != "/home/me/.mneme/analytics/mneme.duckdb" {
		t.Errorf("answered %v", out)
	}
}
