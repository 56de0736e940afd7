package memory

import "time"

// Run is one run of a workflow that takes long enough to be looked at.
type Run struct {
	ID        string     `json:"id"`
	RunID     string     `json:"run_id"`
	Kind      string     `json:"kind"`   // "organize", "rebuild", "undo", "import" or "purge"
	Status    string     `json:"status"` // "running", "completed", "failed", "cancelled" …
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
}

// RunState is a run with how far it has come.
type RunState struct {
	Run
	Organize *OrganizeReport `json:"organize,omitempty"` // of an organize run, when it is known
}

// SessionTrace is what the audit knows of a session of Claude Code.
type SessionTrace struct {
	Session string    `json:"session"`
	Project string    `json:"project"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	Shown   int       `json:"shown"`   // memories that were put in front of Claude
	Used    int       `json:"used"`    // and turned up in its work
	Recalls int       `json:"recalls"` // questions that were answered
	Learned int       `json:"learned"` // texts that were stored
}
