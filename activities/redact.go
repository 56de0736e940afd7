package activities

import "github.com/mneme-memory/mneme/memory"

// RedactQuery takes secrets out of every string of a query that is a user's
// own: queries are kept in histories and in the audit. What is stored was
// redacted in the same way, so a redacted project or tag still finds it.
func RedactQuery(r Redactor, q memory.Query) memory.Query {
	q.Text, _ = r.Redact(q.Text)
	q.Project, _ = r.Redact(q.Project)
	q.Session, _ = r.Redact(q.Session)
	q.Tags = redactEach(r, q.Tags)
	return q
}

// RedactFilter does for a filter what [RedactQuery] does for a query.
func RedactFilter(r Redactor, f memory.Filter) memory.Filter {
	f.Project, _ = r.Redact(f.Project)
	f.Tags = redactEach(r, f.Tags)
	return f
}

// redactEach returns a new slice: the caller's keeps what it was.
func redactEach(r Redactor, texts []string) []string {
	if texts == nil {
		return nil
	}
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i], _ = r.Redact(t)
	}
	return out
}
