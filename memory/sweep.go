package memory

import (
	"context"
	"slices"
)

// Cleaner cleans a text of a project, or of no project (""). clean is the text without the removed parts,
// and "" if the whole text is removed. changed is false for a text that stays as it is.
type Cleaner func(project, text string) (clean string, changed bool)

// Cleaning tells a [Sweep] what to do.
type Cleaning struct {
	Clean Cleaner
	// Name cleans a name of at most limit bytes: of a project, a session, a tag. Nil leaves names as they are.
	Name func(project, name string, limit int) string
	// Gone are ids of memories whose texts are gone for good.
	Gone []string
	// Apply writes the clean texts. Without it the sweep only counts.
	Apply bool
	// Progress, which may be nil, is called now and then.
	Progress func()
}

// Step calls Progress, if there is one.
func (c Cleaning) Step() {
	if c.Progress != nil {
		c.Progress()
	}
}

// CleanName cleans a name in place, and reports whether it changed it.
func (c Cleaning) CleanName(project string, name *string) bool {
	return c.cleanName(project, name, MaxNameBytes)
}

func (c Cleaning) cleanName(project string, name *string, limit int) bool {
	if c.Name == nil || *name == "" {
		return false
	}
	clean := c.Name(project, *name, limit)
	changed := clean != *name
	*name = clean
	return changed
}

// Memory returns a memory with clean texts and names, and reports whether that is another one.
func (c Cleaning) Memory(m Memory) (clean Memory, changed bool) {
	clean = m
	if m.Text != "" {
		if text, dirty := c.Clean(m.Project, m.Text); dirty {
			clean.Text, clean.ContentHash, changed = text, ContentHash(text), true
		}
	}
	changed = c.CleanName(m.Project, &clean.Project) || changed
	changed = c.CleanName(m.Project, &clean.Session) || changed
	changed = c.cleanName(m.Project, &clean.SourceRef, MaxRefBytes) || changed
	tags, dirty := slices.Clone(m.Tags), false
	for i := range tags {
		dirty = c.cleanName(m.Project, &tags[i], MaxTagBytes) || dirty
	}
	if dirty {
		if sorted, err := CleanTags(tags); err == nil {
			tags = sorted
		}
		clean.Tags, changed = tags, true
	}
	return clean, changed
}

// Sweep goes through all texts of one kind that the ledger keeps beside the memories. It returns
// how many of them have to be changed, or were.
type Sweep func(ctx context.Context, in Cleaning) (int, error)

// Sweeps are the kinds of texts that the ledger keeps beside the memories.
type Sweeps struct {
	// Messages are those of the archive of conversations. A message that is left without a text is
	// forgotten: its row stays, so that the next import of its transcript does not bring it back.
	Messages Sweep
	// Questions are the pinned ones. A question that is left without a text or without a memory
	// that answers it is taken away.
	Questions Sweep
	// Versions are those of memories. Purges blank them with their memories.
	Versions Sweep
	// Plans are the plans of organize and its memories on hold. A plan that contains such a text is deleted.
	Plans Sweep
	// Audit are the rows of the audit, with the strings in their details.
	Audit Sweep
}

// Swept counts what a purge or a redaction took away or changed, besides memories.
type Swept struct {
	Versions  int `json:"versions,omitempty"`   // of memories
	Plans     int `json:"plans,omitempty"`      // of organize
	Messages  int `json:"messages,omitempty"`   // of the archive of conversations
	Questions int `json:"questions,omitempty"`  // pinned ones
	AuditRows int `json:"audit_rows,omitempty"` // whose details were changed
	Histories int `json:"histories"`            // that Temporal deleted
	Spooled   int `json:"spooled"`              // requests of hooks
	Sessions  int `json:"sessions"`             // states of sessions
	LogLines  int `json:"log_lines"`            // that were blanked
	Files     int `json:"files"`                // other files that were deleted
}

// Add adds the counts of another step.
func (s *Swept) Add(more Swept) {
	s.Versions += more.Versions
	s.Plans += more.Plans
	s.Messages += more.Messages
	s.Questions += more.Questions
	s.AuditRows += more.AuditRows
	s.Histories += more.Histories
	s.Spooled += more.Spooled
	s.Sessions += more.Sessions
	s.LogLines += more.LogLines
	s.Files += more.Files
}

// Total counts everything.
func (s Swept) Total() int {
	return s.Versions + s.Plans + s.Messages + s.Questions + s.AuditRows + s.Histories + s.Spooled + s.Sessions + s.LogLines + s.Files
}
