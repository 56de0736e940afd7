package mcpserver

func (s *Server) addTidying() {
	add(s, spec{
		name: "memory_organize", title: "Tidy up memories", timeout: s.opts.Deadlines.Organize,
		about: "Tidy up: merge near-duplicates, let the unused fade, prune what faded, promote what proved useful. " +
			"Runs weekly. Start with dry_run.",
		params: []param{
			dryRunParam(), collectionsParam(), projectParam("all when left out"),
			{name: "yes", kind: kindBool, about: "prune also what is held: the user agreed", def: false},
		},
		output: map[string]any{
			"status": enumOf("done", "running"), "workflow_id": prop("string"), "dry_run": prop("boolean"),
			"took_seconds": prop("number"), "message": prop("string"), "collections": listOf(reportSchema()),
			"held": prop("array"),
		},
		required: []string{"status", "dry_run", "collections", "message"}, effect: effect{destructive: true},
	}, s.organize)
	add(s, spec{
		name: "memory_forget", title: "Forget memories", timeout: s.opts.Deadlines.Other,
		about: "Forget one memory by id, or all that match every given filter (tags, date_before, project, collection). " +
			"Without any filter it is refused. Before forgetting by filter, call it with dry_run and show the user what would go.",
		params: []param{
			idParam("id", "the memory to forget", false),
			tagsParam("memories that have all of these"),
			{
				name: "date_before", kind: kindString, about: "created before this date (2026-01-31) or RFC 3339 time",
				maxLen: 40, date: true,
			},
			projectParam("leave out for the current project"),
			collectionParam("only this collection"),
			dryRunParam(),
			{name: "purge", kind: kindBool, about: "blank the history too; cannot be undone", def: false},
		},
		output: map[string]any{
			"count": prop("integer"), "ids": listOf(prop("string")), "links": prop("integer"), "dry_run": prop("boolean"),
			"purged": prop("boolean"), "verified": prop("boolean"), "project": prop("string"), "message": prop("string"),
		},
		required: []string{"count", "ids", "dry_run", "verified", "message"}, effect: effect{destructive: true, idempotent: true},
	}, s.forget)
	add(s, spec{
		name: "memory_summarize", title: "Summarise memories", timeout: s.opts.Deadlines.Other,
		about: "Summarise what is remembered in a collection, or in all, for a project. Says how: by a local model or by extraction.",
		params: []param{
			collectionParam("all when left out"), projectParam("leave out for the current project"),
			{name: "sentences", kind: kindInteger, min: 1, max: 50, def: 10, about: "length of the summary"},
		},
		output: map[string]any{
			"summary": prop("string"), "method": prop("string"), "memories": prop("integer"), "ids": listOf(prop("string")),
		},
		required: []string{"summary", "method", "memories", "ids"}, effect: effect{readOnly: true, idempotent: true},
	}, s.summarize)
}

func reportSchema() map[string]any {
	props := map[string]any{
		"collection": prop("string"), "rebuilt": prop("boolean"), "pruned_ids": listOf(prop("string")),
		"groups": listOf(map[string]any{
			"type": "object",
			"properties": map[string]any{
				"survivor_id": prop("string"), "merged_ids": listOf(prop("string")), "similarity": prop("number"), "text": prop("string"),
			},
		}),
		"nearly_pruned": prop("array"),
	}
	for _, count := range []string{"scanned", "expired", "promoted", "merged", "decayed", "pruned", "announced"} {
		props[count] = prop("integer")
	}
	return map[string]any{"type": "object", "properties": props, "required": []string{"collection", "scanned"}}
}
