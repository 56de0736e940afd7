package mcpserver

import (
	"context"
	"fmt"

	"github.com/mneme-memory/mneme/internal/toolname"
	"github.com/mneme-memory/mneme/memory"
)

// snapshotTaken answers memory_snapshot.
type snapshotTaken struct {
	File     string `json:"file"`
	Rows     int64  `json:"rows"`
	NewRows  int64  `json:"new_rows"`
	Memories int64  `json:"memories"`
	Message  string `json:"message"`
}

func (a snapshotTaken) text() string { return a.Message }

type snapshotArgs struct{}

func (snapshotArgs) validate() error { return nil }

func (s *Server) addSnapshot() {
	add(s, spec{
		name: toolname.Snapshot, title: "Take a snapshot", timeout: s.opts.Deadlines.Organize,
		about:  "Update the user's DuckDB file for analysis, as happens every night.",
		effect: effect{idempotent: true},
	}, s.snapshot)
}

func (s *Server) snapshot(ctx context.Context, c Client, _ snapshotArgs) (answer, error) {
	r, err := c.Snapshot(ctx, memory.SnapshotInput{User: s.opts.User}, nil)
	if err != nil {
		return nil, err
	}
	return snapshotTaken{
		File: r.File, Rows: r.Rows, NewRows: r.NewRows, Memories: r.Memories,
		Message: fmt.Sprintf("%d new rows of the audit copied to %s", r.NewRows, r.File),
	}, nil
}
