package importer

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mneme-memory/mneme/memory"
)

// readGraph reads the knowledge graph of the reference server-memory: its file of JSON lines, or
// what its tool read_graph answers. Each observation is a memory, and each relation.
func readGraph(ctx context.Context, c *collector, data []byte) error {
	c.found.Scope.Prefixes = []string{"server-memory:"}
	return values(data, func(n int, value json.RawMessage) error {
		o, ok := asObject(value)
		where := fmt.Sprintf("line %d", n)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !ok:
			c.bad(where, "is not a JSON object")
		case o["entities"] != nil || o["relations"] != nil:
			for i, e := range o.objects("entities") {
				c.entity(fmt.Sprintf("entity %d", i+1), e)
			}
			for i, r := range o.objects("relations") {
				c.relation(fmt.Sprintf("relation %d", i+1), r)
			}
		case o.text("type") == "entity":
			c.entity(where, o)
		case o.text("type") == "relation":
			c.relation(where, o)
		default:
			c.leave("lines that are neither an entity nor a relation", 1)
		}
		return nil
	})
}

func (c *collector) entity(where string, o object) {
	name, kind := o.text("name"), o.text("entityType")
	if name == "" {
		c.bad(where, `has no "name"`)
		return
	}
	about := name
	if kind != "" {
		about += " (" + kind + ")"
	}
	typ, tags := kindOf(kind, memory.TypeFact, nil)
	seen := o.list("observations")
	if list, ok := o["observations"].([]any); ok {
		seen = nil
		for _, v := range list {
			if s, ok := v.(string); ok {
				seen = append(seen, s)
			}
		}
	}
	if len(seen) == 0 {
		c.leave("entities without an observation", 1)
	}
	for _, text := range seen {
		c.add(where, memory.StoreInput{
			Text: about + ": " + text, Type: typ, Tags: tags,
			SourceRef: "server-memory:" + name + "#" + memory.ContentHash(text)[:12],
		})
	}
}

func (c *collector) relation(where string, o object) {
	from, to := o.text("from"), o.text("to")
	if from == "" || to == "" {
		c.bad(where, `has no "from" or no "to"`)
		return
	}
	text := oneLine(from + " " + verb(o.text("relationType")) + " " + to)
	c.add(where, memory.StoreInput{
		Text: text, Type: memory.TypeFact, Tags: []string{"relation"},
		SourceRef: "server-memory:relation#" + memory.ContentHash(text)[:12],
	})
}
