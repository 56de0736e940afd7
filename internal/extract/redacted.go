package extract

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// The rules change their findings: they join lines, cut endings, begin with a capital
// letter. A secret is known by what stands around it, so it has to be taken out of the
// session's own words, before they are rewritten. To redact a whole transcript would take
// seconds, and hardly any of it becomes a memory. So the rules run first, then the events
// that the candidates came from are redacted, and if that changed one of them, the rules run
// again on what is left.

// fromClean runs find on events until all that its candidates come from is redacted.
func fromClean(events []transcript.Event, r memory.Redactor, find func([]transcript.Event) []Candidate) []Candidate {
	if r == nil {
		return find(events)
	}
	events = slices.Clone(events)
	clean := make([]bool, len(events))
	for {
		candidates := find(events)
		changed := false
		for i := range events {
			if clean[i] || !source(candidates, events[i]) {
				continue
			}
			clean[i] = true
			changed = redactEvent(r, &events[i]) || changed
		}
		if !changed {
			return candidates
		}
	}
}

// source reports whether one of the candidates came from an event.
func source(candidates []Candidate, e transcript.Event) bool {
	return slices.ContainsFunc(candidates, func(c Candidate) bool {
		return slices.Contains(c.UUIDs, e.UUID) || e.Tool != nil && slices.Contains(c.UUIDs, e.Tool.CallUUID)
	})
}

// redactAll returns the events without secrets, for a model that reads them all.
func redactAll(events []transcript.Event, r memory.Redactor) []transcript.Event {
	if r == nil {
		return events
	}
	events = slices.Clone(events)
	for i := range events {
		redactEvent(r, &events[i])
	}
	return events
}

// redactEvent takes the secrets out of an event, and reports whether there were any. The
// tool call is copied, since other slices of events share it.
func redactEvent(r memory.Redactor, e *transcript.Event) bool {
	text, kinds := r.Redact(e.Text)
	e.Text = text
	changed := len(kinds) > 0
	if e.Tool == nil {
		return changed
	}
	call := *e.Tool
	e.Tool = &call
	result, kinds := r.Redact(call.Result)
	call.Result = result
	input, inInput := redactInput(r, call.Input)
	call.Input = input
	return changed || len(kinds) > 0 || inInput
}

// redactInput takes the secrets out of the strings of a tool's input. What is no JSON object
// is left out: nothing reads it.
func redactInput(r memory.Redactor, input json.RawMessage) (json.RawMessage, bool) {
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	if decoder.Decode(&members) != nil {
		return nil, false
	}
	changed := false
	var clean func(v any) any
	clean = func(v any) any {
		switch v := v.(type) {
		case string:
			text, kinds := r.Redact(v)
			changed = changed || len(kinds) > 0
			return text
		case []any:
			for i := range v {
				v[i] = clean(v[i])
			}
			return v
		case map[string]any:
			for name := range v {
				v[name] = clean(v[name])
			}
			return v
		default:
			return v
		}
	}
	clean(members)
	if !changed {
		return input, false
	}
	out, err := json.Marshal(members)
	if err != nil { // what was read from JSON can be written as JSON
		return nil, true
	}
	return out, true
}
