package conversation

import (
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// MaxPage bounds the messages of one page, and MaxPageBytes their texts.
const (
	MaxPage      = 200
	MaxPageBytes = 512 << 10
)

// Place says which messages to read. Exactly one of Message and Session is
// given. Project limits both, as with a [Query].
type Place struct {
	Project     string `json:"project,omitempty"`
	AllProjects bool   `json:"all_projects,omitempty"`

	Message string `json:"message,omitempty"` // id, or the beginning of one
	Around  int    `json:"around,omitempty"`  // how many messages before and after it in its thread
	Thread  bool   `json:"thread,omitempty"`  // all of its thread instead

	Session string     `json:"session,omitempty"` // all of a conversation, with its subagents behind
	Near    *time.Time `json:"near,omitempty"`    // only Around messages before and after a time

	After *Cursor `json:"after,omitempty"` // of a page before
}

// Cursor is behind which message the next page begins.
type Cursor struct {
	Thread   string `json:"thread"`
	Position int64  `json:"position"`
	ID       string `json:"id"`
	Part     int    `json:"part"`
}

// Page is a stretch of a conversation, in order.
type Page struct {
	Messages []Message `json:"messages"`
	Marked   string    `json:"marked,omitempty"` // id of the message that was asked for
	Next     *Cursor   `json:"next,omitempty"`   // where it goes on; nil at the end
}

// maxAround bounds the neighbours of a message.
const maxAround = 100

// Clean returns the place without secrets, or an error that is [memory.Invalid].
func (p Place) Clean(r memory.Redactor) (Place, error) {
	p.Project, _ = r.Redact(strings.TrimSpace(p.Project))
	p.Session, _ = r.Redact(strings.TrimSpace(p.Session))
	p.Message = strings.TrimSpace(p.Message)
	if err := cleanScope(&p.Project, p.AllProjects, p.Session); err != nil {
		return p, err
	}
	if (p.Message == "") == (p.Session == "") {
		return p, memory.Errorf(memory.Invalid, "a search names both", "give the id of a message or of a session")
	}
	if p.Message != "" {
		if err := memory.CheckRef(p.Message); err != nil {
			return p, err
		}
	}
	if p.Around < 0 || p.Around > maxAround {
		return p, memory.Errorf(memory.Invalid, "read the whole conversation instead", "around must be 0 to %d, got %d", maxAround, p.Around)
	}
	return p, nil
}

// Session is a conversation as a list shows it.
type Session struct {
	Session  string    `json:"session"`
	Project  string    `json:"project"`
	Messages int       `json:"messages"`
	Threads  int       `json:"threads"` // of subagents
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Opening  string    `json:"opening"` // how it began, cut
}

// Listing asks for the conversations of a project, newest first.
type Listing struct {
	Project     string     `json:"project,omitempty"`
	AllProjects bool       `json:"all_projects,omitempty"`
	Since       *time.Time `json:"since,omitempty"`
	Before      *time.Time `json:"before,omitempty"`
	Limit       int        `json:"limit,omitempty"` // 1 to MaxPage; 0 means 20
}

// Clean returns the listing with defaults filled in.
func (l Listing) Clean(r memory.Redactor) (Listing, error) {
	l.Project, _ = r.Redact(strings.TrimSpace(l.Project))
	if err := cleanScope(&l.Project, l.AllProjects, ""); err != nil {
		return l, err
	}
	if l.Limit == 0 {
		l.Limit = 20
	}
	if l.Limit < 1 || l.Limit > MaxPage {
		return l, memory.Errorf(memory.Invalid, "leave it out for 20", "limit must be 1 to %d, got %d", MaxPage, l.Limit)
	}
	return l, nil
}
