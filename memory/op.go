package memory

import "time"

// The actions of mneme's own steps. An [Event] adds others.
const (
	ActionStore         = "store"
	ActionDuplicate     = "duplicate" // a text was stored already, and was not stored again
	ActionRecall        = "recall"
	ActionCredit        = "credit"
	ActionUpdate        = "update"
	ActionForget        = "forget"
	ActionMerge         = "merge"
	ActionPromote       = "promote"
	ActionExpire        = "expire"
	ActionDecay         = "decay"
	ActionPrune         = "prune"
	ActionAnnounce      = "announce" // memories were named as nearly pruned
	ActionLink          = "link"
	ActionImport        = "import"
	ActionOrganize      = "organize"
	ActionTidy          = "tidy" // an organize run decided on what its next steps do
	ActionRebuild       = "rebuild"
	ActionUndo          = "undo"           // a change was taken back
	ActionRestore       = "restore"        // one memory that was gone was brought back
	ActionBackup        = "backup"         // everything was written into a file; a label of workflows
	ActionRestoreBackup = "restore_backup" // an empty ledger was filled from a backup
	ActionArchive       = "archive"        // messages of conversations were archived
	ActionPinQuestion   = "pin_question"   // a question was pinned, or one was taken away
	ActionRedact        = "redact"         // what was stored was redacted with the rules of today
)

// The actions of events that hooks record.
const (
	ActionInject  = "inject"  // memories were put in front of the model unasked
	ActionUse     = "use"     // and one of them showed up in its work
	ActionExtract = "extract" // memories were found in a session
)

// Actions lists the actions of mneme's own steps.
func Actions() []string {
	return []string{
		ActionStore, ActionDuplicate, ActionRecall, ActionCredit, ActionUpdate, ActionForget, ActionMerge, ActionPromote,
		ActionExpire, ActionDecay, ActionPrune, ActionAnnounce, ActionLink, ActionImport, ActionOrganize, ActionTidy, ActionRebuild,
		ActionUndo, ActionRestore, ActionRestoreBackup, ActionArchive, ActionPinQuestion, ActionRedact,
	}
}

// Op names one step of one workflow run. The ledger applies an op once: the
// audit row it writes is unique per workflow, run and step.
type Op struct {
	WorkflowID string `json:"workflow_id"`
	RunID      string `json:"run_id"`
	Step       string `json:"step"`
	User       string `json:"user"` // operating system user who asked
	Action     string `json:"action"`
	// Chain names the change that the op is a part of, where several runs of one
	// workflow make it together. Empty means that the run is a change of its own.
	Chain string `json:"-"`
	// AnyRun has the op applied once in all runs of the workflow. Its step must
	// then name the call that it is for.
	AnyRun bool `json:"-"`
	// Notes go into the details of the audit row. They must hold no text.
	Notes map[string]any `json:"-"`
}

// Audit is one row of the audit: what happened, to what, and why.
type Audit struct {
	ID          int64          `json:"id"`
	User        string         `json:"user"`
	Action      string         `json:"action"`
	At          time.Time      `json:"timestamp"`
	AffectedIDs []string       `json:"affected_ids"`
	Project     string         `json:"project"`
	Collection  string         `json:"collection"`
	WorkflowID  string         `json:"workflow_id"`
	RunID       string         `json:"run_id"`
	Step        string         `json:"step"`
	Details     map[string]any `json:"details"`
}

// Version is one change of a memory's content or state: its values before (nil
// for a new memory) and after, and the step behind the change.
type Version struct {
	Seq        int64     `json:"seq"`
	MemoryID   string    `json:"memory_id"`
	At         time.Time `json:"timestamp"`
	Action     string    `json:"action"`
	WorkflowID string    `json:"workflow_id"`
	RunID      string    `json:"run_id"`
	Step       string    `json:"step"`
	Before     *Memory   `json:"before,omitempty"`
	After      *Memory   `json:"after,omitempty"`
}
