package conversation

import (
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Filter selects messages to forget. All that is given must hold; a filter that
// names neither message, session, project nor date is refused.
type Filter struct {
	Message string     `json:"message,omitempty"` // id
	Session string     `json:"session,omitempty"`
	Project string     `json:"project,omitempty"`
	Since   *time.Time `json:"since,omitempty"`
	Before  *time.Time `json:"before,omitempty"`
}

// Clean returns the filter without secrets, or an error that is [memory.Invalid].
func (f Filter) Clean(r memory.Redactor) (Filter, error) {
	f.Project, _ = r.Redact(strings.TrimSpace(f.Project))
	f.Session, _ = r.Redact(strings.TrimSpace(f.Session))
	if f.Message == "" && f.Session == "" && f.Project == "" && f.Since == nil && f.Before == nil {
		return f, memory.Errorf(memory.Invalid, "give a session, a project or a date", "this would forget every conversation and is refused")
	}
	if f.Message != "" {
		if err := memory.CheckRef(f.Message); err != nil {
			return f, err
		}
	}
	if err := memory.CheckName("project", f.Project); err != nil {
		return f, err
	}
	return f, memory.CheckName("session", f.Session)
}

// ForgetInput is a request to forget what a filter selects.
type ForgetInput struct {
	Filter Filter `json:"filter"`
	DryRun bool   `json:"dry_run,omitempty"`
	User   string `json:"user,omitempty"`
}

// Receipt counts what was forgotten.
type Receipt struct {
	Messages int        `json:"messages"`
	Sessions int        `json:"sessions"`
	Projects []string   `json:"projects"`
	First    *time.Time `json:"first,omitempty"` // when the oldest of them was said
	Last     *time.Time `json:"last,omitempty"`
	DryRun   bool       `json:"dry_run"`
	Verified bool       `json:"verified"` // looked for afterwards in ledger and index, and not found
}
