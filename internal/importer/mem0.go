package importer

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mneme-memory/mneme/memory"
)

// readMem0 reads what mem0's get_all answers, and exports that wrap it: a list, or an object with
// "results", "memories" or "records", also inside "data".
func readMem0(ctx context.Context, c *collector, data []byte) error {
	c.found.Scope.Prefixes = []string{"mem0:"}
	n := 0
	return values(data, func(_ int, value json.RawMessage) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o, ok := asObject(value)
		for _, one := range unwrapped(o) {
			n++
			c.mem0(fmt.Sprintf("memory %d", n), one)
		}
		if !ok {
			c.bad(fmt.Sprintf("value %d", n+1), "is not a JSON object")
		}
		return nil
	})
}

// unwrapped returns the objects of an export's list, or the object itself.
func unwrapped(o object) []object {
	if o == nil {
		return nil
	}
	if inner := o.object("data"); inner != nil && o.text("memory", "content") == "" {
		o = inner
	}
	for _, name := range []string{"results", "memories", "records", "data"} {
		if _, ok := o[name].([]any); ok {
			return o.objects(name)
		}
	}
	return []object{o}
}

func (c *collector) mem0(where string, o object) {
	meta := o.object("metadata")
	in := memory.StoreInput{
		Text: o.text("memory", "content", "text"), Session: o.text("run_id"),
		CreatedAt: o.date("created_at", "updated_at"),
	}
	kind := o.text("memory_type")
	if kind == "" {
		kind = meta.text("type", "memory_type")
	}
	in.Type, in.Tags = kindOf(kind, memory.TypeFact,
		append(o.list("categories"), append(meta.list("tags"), meta.list("category")...)...))
	if id := o.text("id"); id != "" {
		in.SourceRef = "mem0:" + id
	}
	for _, field := range []string{"user_id", "agent_id", "app_id", "actor_id"} {
		if o.text(field) != "" {
			c.leave("ids of users, agents and apps", 1)
		}
	}
	for field := range meta {
		switch field {
		case "type", "memory_type", "tags", "category":
		default:
			c.leave("fields of metadata", 1)
		}
	}
	c.add(where, in)
}
