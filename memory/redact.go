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

// Admissible is an input that [Admit] takes.
type Admissible[T any] interface {
	redact(r Redactor) T
	Clean() (T, error)
}

// Admit takes the secrets out of every kept string of an input, then fills in
// the defaults, and refuses a wrong input ([Invalid]). The door does it before
// the input is written to Temporal's history, and the step that writes it to a
// store does it again: the input may be years old by then, from a door that
// knew fewer secrets.
func Admit[T Admissible[T]](r Redactor, in T) (T, error) { return in.redact(r).Clean() }

// AdmitEvents is [Admit] for the events of one call.
func AdmitEvents(r Redactor, events []Event) ([]Event, error) {
	events = redactEvents(r, events)
	return events, CheckEvents(events)
}

// redact also adds the kinds of its findings to the kinds found before.
func (in StoreInput) redact(r Redactor) StoreInput {
	told := &telling{Redactor: r, kinds: slices.Clone(in.Redacted)}
	in.Text = redacted(told, in.Text)
	in.Project, in.Session = RedactName(told, in.Project), RedactName(told, in.Session)
	in.SourceRef, in.WasRef = redactName(told, in.SourceRef, MaxRefBytes), redactName(told, in.WasRef, MaxRefBytes)
	in.Tags = RedactTags(told, in.Tags)
	slices.Sort(told.kinds)
	in.Redacted = slices.Compact(told.kinds)
	return in
}

// telling is a redactor that collects the kinds of the secrets that it takes out.
type telling struct {
	Redactor
	kinds []string
}

// Redact redacts the text with the embedded [Redactor], and notes the kinds that were found.
func (t *telling) Redact(text string) (string, []string) {
	clean, kinds := t.Redactor.Redact(text)
	t.kinds = append(t.kinds, kinds...)
	return clean, kinds
}

func (in UpdateInput) redact(r Redactor) UpdateInput {
	if in.Text != nil {
		text := redacted(r, *in.Text)
		in.Text = &text
	}
	if in.Tags != nil {
		tags := RedactTags(r, *in.Tags)
		in.Tags = &tags
	}
	return in
}

func (in CreditInput) redact(r Redactor) CreditInput {
	in.Project, in.Session = RedactName(r, in.Project), RedactName(r, in.Session)
	in.Reason = redacted(r, in.Reason)
	return in
}

// A query is redacted by the rules by which the stored texts were: a project's
// name is found again as it was kept.
func (q Query) redact(r Redactor) Query {
	q.Text, q.Project, q.Session = redacted(r, q.Text), RedactName(r, q.Project), RedactName(r, q.Session)
	q.Then, q.Tags, q.Files = redactAll(r, q.Then), RedactTags(r, q.Tags), redactAll(r, q.Files)
	q.FromSession = RedactName(r, q.FromSession)
	return q
}

// What is stored was redacted, so a filter that is redacted too selects the same.
func (f Filter) redact(r Redactor) Filter {
	f.Project, f.Tags = RedactName(r, f.Project), RedactTags(r, f.Tags)
	return f
}

// redactEvents takes secrets out of every string of events, also inside their
// details. An id with a secret is replaced by its hash, so that it stays unique.
func redactEvents(r Redactor, events []Event) []Event {
	out := make([]Event, len(events))
	for i, e := range events {
		if redacted(r, e.ID) != e.ID {
			e.ID = ContentHash(e.ID)
		}
		e.Project, e.Session = RedactName(r, e.Project), RedactName(r, e.Session)
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
