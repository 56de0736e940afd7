package memory

import "context"

// Cleaner says what becomes of a text: clean is the text without what has to go, and "" if all of
// it has to go. changed is false for a text that stays as it is.
type Cleaner func(text string) (clean string, changed bool)

// Cleaning tells a [Sweep] what to do.
type Cleaning struct {
	Clean Cleaner
	// Name cleans names of projects, sessions and threads; nil leaves them as they are.
	Name func(name string) string
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
func (c Cleaning) CleanName(name *string) bool {
	if c.Name == nil || *name == "" {
		return false
	}
	clean := c.Name(*name)
	changed := clean != *name
	*name = clean
	return changed
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
	// Audit are the rows of the audit, with the strings in their details.
	Audit Sweep
}

// Swept counts what a purge or a redaction took away or changed, besides memories.
type Swept struct {
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
	s.Messages += more.Messages
	s.Questions += more.Questions
	s.AuditRows += more.AuditRows
	s.Histories += more.Histories
	s.Spooled += more.Spooled
	s.Sessions += more.Sessions
	s.LogLines += more.LogLines
	s.Files += more.Files
}
