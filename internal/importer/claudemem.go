package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// readClaudeMem reads the export of claude-mem (its scripts/export-memories.ts): observations and
// summaries of sessions become memories; prompts and the rows of sessions are no memories.
func readClaudeMem(ctx context.Context, c *collector, data []byte) error {
	c.found.Scope.Prefixes = []string{"claude-mem:"}
	return values(data, func(n int, value json.RawMessage) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o, ok := asObject(value)
		if !ok {
			c.bad(fmt.Sprintf("value %d", n), "is not a JSON object")
			return nil
		}
		if o["memory_session_id"] != nil && o["title"] != nil {
			c.observed(fmt.Sprintf("observation %d", n), o)
			return nil
		}
		for i, one := range o.objects("observations") {
			c.observed(fmt.Sprintf("observation %d", i+1), one)
		}
		for i, one := range o.objects("summaries") {
			c.summary(fmt.Sprintf("summary %d", i+1), one)
		}
		c.leave("prompts", len(o.objects("prompts")))
		c.leave("rows of sessions", len(o.objects("sessions")))
		return nil
	})
}

// claudeMemRef is the place of a row. Its number is counted on each machine, so its time belongs to it.
func claudeMemRef(kind string, o object) string {
	id, ok := number(o["id"])
	if !ok {
		return ""
	}
	when, _ := number(o["created_at_epoch"])
	return fmt.Sprintf("claude-mem:%s/%.0f@%.0f", kind, id, when)
}

func (c *collector) observed(where string, o object) {
	var text []string
	for _, field := range []string{"title", "subtitle", "narrative", "text"} {
		if s := o.text(field); s != "" {
			text = append(text, s)
		}
	}
	for _, fact := range o.lines("facts") {
		text = append(text, "- "+fact)
	}
	if files := o.lines("files_modified"); len(files) > 0 && len(text) > 0 {
		text = append(text, "Files: "+strings.Join(files, ", "))
	}
	c.leave("names of files that were only read", len(o.lines("files_read")))
	in := memory.StoreInput{
		Text: strings.Join(text, "\n"), Project: o.text("project"),
		Session:   o.text("memory_session_id", "sdk_session_id"),
		CreatedAt: o.date("created_at_epoch", "created_at"), SourceRef: claudeMemRef("observation", o),
	}
	in.Type, in.Tags = kindOf(o.text("type"), memory.TypeFact, o.list("concepts"))
	c.add(where, in)
}

func (c *collector) summary(where string, o object) {
	var text []string
	for _, f := range []struct{ field, title string }{
		{"request", "Asked for"},
		{"investigated", "Looked at"},
		{"learned", "Learned"},
		{"completed", "Done"},
		{"next_steps", "Next"},
		{"notes", "Notes"},
	} {
		if s := o.text(f.field); s != "" {
			text = append(text, f.title+": "+s)
		}
	}
	c.leave("names of files that were only read", len(o.lines("files_read")))
	c.add(where, memory.StoreInput{
		Text: strings.Join(text, "\n"), Project: o.text("project"),
		Session: o.text("memory_session_id", "sdk_session_id"),
		Type:    memory.TypeEpisode, Tags: []string{"summary"},
		CreatedAt: o.date("created_at_epoch", "created_at"), SourceRef: claudeMemRef("summary", o),
	})
}
