package activities

import (
	"encoding/json"

	"github.com/mneme-memory/mneme/memory"
)

// RedactUpdate takes secrets out of every string of an edit that is kept.
func RedactUpdate(r Redactor, in memory.UpdateInput) memory.UpdateInput {
	if in.Text != nil {
		text := redacted(r, *in.Text)
		in.Text = &text
	}
	if in.Tags != nil {
		tags := redactAll(r, *in.Tags)
		in.Tags = &tags
	}
	return in
}

// RedactCredit takes secrets out of every string of a credit that is kept.
func RedactCredit(r Redactor, in memory.CreditInput) memory.CreditInput {
	in.Project, in.Session, in.Reason = redacted(r, in.Project), redacted(r, in.Session), redacted(r, in.Reason)
	return in
}

// RedactQuery takes secrets out of every string of a query, by the rules by
// which they were taken out of what was stored: a project's name is found
// again as it was kept.
func RedactQuery(r Redactor, q memory.Query) memory.Query {
	q.Text, q.Project, q.Session = redacted(r, q.Text), redacted(r, q.Project), redacted(r, q.Session)
	q.Then, q.Tags = redactAll(r, q.Then), redactAll(r, q.Tags)
	return q
}

// RedactFilter does the same for what a filter names.
func RedactFilter(r Redactor, f memory.Filter) memory.Filter {
	f.Project, f.Tags = redacted(r, f.Project), redactAll(r, f.Tags)
	return f
}

// RedactEvents takes secrets out of every string of events, also inside their
// details. An id that holds one becomes its hash, so that it stays one of its own.
func RedactEvents(r Redactor, events []memory.Event) []memory.Event {
	out := make([]memory.Event, len(events))
	for i, e := range events {
		if redacted(r, e.ID) != e.ID {
			e.ID = memory.ContentHash(e.ID)
		}
		e.Project, e.Session = redacted(r, e.Project), redacted(r, e.Session)
		e.Details = redactDetails(r, e.Details)
		out[i] = e
	}
	return out
}

// redactDetails returns details in the form that JSON gives them. What JSON
// cannot hold stays, for memory.CheckEvents to refuse.
func redactDetails(r Redactor, details map[string]any) map[string]any {
	if len(details) == 0 {
		return nil
	}
	plain, err := json.Marshal(details)
	if err != nil {
		return details
	}
	var out map[string]any
	if err := json.Unmarshal(plain, &out); err != nil {
		return details
	}
	clean, _ := redactValue(r, out).(map[string]any)
	return clean
}

func redactValue(r Redactor, v any) any {
	switch v := v.(type) {
	case string:
		return redacted(r, v)
	case []any:
		for i := range v {
			v[i] = redactValue(r, v[i])
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[redacted(r, key)] = redactValue(r, value)
		}
		return out
	default:
		return v
	}
}

func redacted(r Redactor, s string) string {
	if s == "" {
		return s
	}
	clean, _ := r.Redact(s)
	return clean
}

func redactAll(r Redactor, list []string) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = redacted(r, s)
	}
	return out
}
