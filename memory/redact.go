package memory

import (
	"encoding/json"
	"slices"
)

// Redactor takes out secrets and personal data, and names the kinds of what
// it took. It must be idempotent.
type Redactor interface {
	Redact(text string) (clean string, kinds []string)
}

// RedactStore takes secrets out of every string of the input that is kept,
// and names the kinds of what it took and of what was taken before.
func RedactStore(r Redactor, in StoreInput) (StoreInput, []string) {
	kinds := slices.Clone(in.Redacted)
	clean := func(s string) string {
		out, found := r.Redact(s)
		kinds = append(kinds, found...)
		return out
	}
	in.Text, in.Project, in.Session = clean(in.Text), clean(in.Project), clean(in.Session)
	tags := make([]string, len(in.Tags))
	for i, t := range in.Tags {
		tags[i] = clean(t)
	}
	in.Tags = tags
	slices.Sort(kinds)
	in.Redacted = slices.Compact(kinds)
	return in, in.Redacted
}

// RedactUpdate takes secrets out of every string of an edit that is kept.
func RedactUpdate(r Redactor, in UpdateInput) UpdateInput {
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
func RedactCredit(r Redactor, in CreditInput) CreditInput {
	in.Project, in.Session, in.Reason = redacted(r, in.Project), redacted(r, in.Session), redacted(r, in.Reason)
	return in
}

// RedactQuery takes secrets out of every string of a query, by the rules by
// which they were taken out of what was stored: a project's name is found
// again as it was kept.
func RedactQuery(r Redactor, q Query) Query {
	q.Text, q.Project, q.Session = redacted(r, q.Text), redacted(r, q.Project), redacted(r, q.Session)
	q.Then, q.Tags = redactAll(r, q.Then), redactAll(r, q.Tags)
	return q
}

// RedactFilter does the same for what a filter names.
func RedactFilter(r Redactor, f Filter) Filter {
	f.Project, f.Tags = redacted(r, f.Project), redactAll(r, f.Tags)
	return f
}

// RedactEvents takes secrets out of every string of events, also inside their
// details. An id that holds one becomes its hash, so that it stays one of its own.
func RedactEvents(r Redactor, events []Event) []Event {
	out := make([]Event, len(events))
	for i, e := range events {
		if redacted(r, e.ID) != e.ID {
			e.ID = ContentHash(e.ID)
		}
		e.Project, e.Session = redacted(r, e.Project), redacted(r, e.Session)
		e.Details = redactDetails(r, e.Details)
		out[i] = e
	}
	return out
}

// redactDetails returns details in the form that JSON gives them. What JSON
// cannot hold stays, for CheckEvents to refuse.
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
