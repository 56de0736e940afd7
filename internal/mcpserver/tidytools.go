package mcpserver

import (
	"math"

	"github.com/mneme-memory/mneme/internal/toolname"
)

func (s *Server) addTidying() {
	add(s, spec{
		name: toolname.Organize, title: "Tidy up memories", timeout: s.opts.Deadlines.Organize,
		about: "Merge near-duplicates, prune the unused, promote the useful. Runs weekly; start with dry_run.",
		params: []param{
			dryRunParam(), rare(collectionsParam()), projectParam("default: all"),
			{name: "yes", kind: kindBool, about: "prune also what is held, if the user agreed"},
		},
		effect: effect{destructive: true},
	}, s.organize)
	add(s, spec{
		name: toolname.Forget, title: "Forget memories", timeout: s.opts.Deadlines.Other,
		about: "Forget one memory by id, or what matches all filters: more than one is shown first, for the user to agree to.",
		params: []param{
			idParam("id", "", false),
			tagsParam("all of them"),
			{name: "date_before", kind: kindString, about: "2026-01-31, 90d", maxLen: maxDateBytes, date: true},
			projectParam(""),
			rare(collectionParam("")),
			rare(dryRunParam()),
			{name: "confirm", kind: kindInteger, max: math.MaxInt32},
			{name: "purge", kind: kindBool, about: "take the texts from everywhere: no undo"},
		},
		effect: effect{destructive: true, idempotent: true},
	}, s.forget)
	add(s, spec{
		name: toolname.Summarize, title: "Summarise memories", timeout: s.opts.Deadlines.Other,
		about: "Summarise what a project or one of its collections holds.",
		params: []param{
			unlisted(collectionParam("default: all")), projectParam(""),
			{name: "sentences", kind: kindInteger, min: 1, max: 50},
		},
		effect: effect{readOnly: true, idempotent: true},
	}, s.summarize)
}
