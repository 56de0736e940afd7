package importer

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mneme-memory/mneme/memory"
)

// readMCPMemory reads the exports of mcp-memory-service: of its export_memories.py, and the older ones
// of its backup_memories.py, which have "document" for the text and the rest in "metadata".
func readMCPMemory(ctx context.Context, c *collector, data []byte) error {
	c.found.Scope.Prefixes = []string{"mcp-memory-service:"}
	n := 0
	return values(data, func(where int, value json.RawMessage) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o, ok := asObject(value)
		if !ok {
			c.bad(fmt.Sprintf("value %d", where), "is not a JSON object")
			return nil
		}
		for _, one := range unwrapped(o) {
			n++
			c.mcpMemory(fmt.Sprintf("memory %d", n), one)
		}
		return nil
	})
}

func (c *collector) mcpMemory(where string, o object) {
	meta := o.object("metadata")
	in := memory.StoreInput{Text: o.text("content", "document"), CreatedAt: o.date("created_at", "created_at_iso")}
	kind := o.text("memory_type")
	if kind == "" {
		kind = meta.text("memory_type", "type")
	}
	given := append(o.list("tags"), meta.list("tags")...)
	in.Type, in.Tags = kindOf(kind, memory.TypeFact, given)
	if in.CreatedAt == nil {
		in.CreatedAt = meta.date("created_at", "timestamp", "created_at_iso")
	}
	if n, ok := number(meta["importance"]); ok && n >= 0 && n <= 1 {
		in.Importance = &n
	}
	id := o.text("content_hash", "id")
	if id == "" {
		id = meta.text("content_hash")
	}
	if id != "" {
		in.SourceRef = "mcp-memory-service:" + id
	}
	if o["embedding"] != nil {
		c.leave("vectors, which are made anew", 1)
	}
	for field := range meta {
		switch field {
		case "memory_type", "type", "tags", "created_at", "created_at_iso", "timestamp", "importance", "content_hash":
		default:
			c.leave("fields of metadata", 1)
		}
	}
	c.add(where, in)
}
