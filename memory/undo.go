package memory

import (
	"strings"
	"time"
)

// Change is all that one run of a workflow changed: what an undo takes back.
type Change struct {
	WorkflowID string    `json:"workflow_id"`
	Chain      string    `json:"chain"`  // see [Op.Chain]
	Action     string    `json:"action"` // "organize" for all steps of such a run
	At         time.Time `json:"timestamp"`
	User       string    `json:"user,omitempty"`
	Project    string    `json:"project,omitempty"` // "" when it touched several
	Memories   int       `json:"memories"`
	Links      int       `json:"links"`
	Undoes     string    `json:"undoes,omitempty"`    // workflow whose change this one took back
	UndoneBy   string    `json:"undone_by,omitempty"` // workflow that took this one back
	// Old marks a change of a release that wrote no counters and links down.
	Old bool `json:"old,omitempty"`
}

// UndoInput asks to take a change back.
type UndoInput struct {
	// Of is the id of a workflow, of one of its runs, or of a memory: then the last change of that
	// memory is taken back, and of what was merged with it, but of nothing else. Empty means the last change of all.
	Of     string `json:"of,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
	User   string `json:"user,omitempty"`
}

// maxChangeID bounds the id of a change: Temporal's own limit for a workflow's id.
const maxChangeID = 1000

// Clean returns the input in its normal form, or an [Invalid] error.
func (in UndoInput) Clean() (UndoInput, error) {
	in.Of = strings.TrimSpace(in.Of)
	if len(in.Of) > maxChangeID {
		return in, Errorf(Invalid, `copy the id from "mneme undo --list"`, "the id of a change has at most %d bytes, not %d", maxChangeID, len(in.Of))
	}
	return in, nil
}

// UndoReport says what an undo brought back.
type UndoReport struct {
	WorkflowID string   `json:"workflow_id"`
	DryRun     bool     `json:"dry_run"`
	Change     Change   `json:"change"`           // that was taken back
	Only       string   `json:"only,omitempty"`   // the memory that it was taken back of
	Restored   int      `json:"restored"`         // memories that are again what they were
	Same       int      `json:"same,omitempty"`   // that were it already
	Carried    int      `json:"carried"`          // of Restored: recalled since, which still counts
	Embedded   int      `json:"embedded"`         // of Restored: embedded anew, because the model is another one since
	Links      int      `json:"links"`            // links that came back or went again
	LeftCount  int      `json:"left_count"`       // memories that were left alone
	LinksLeft  int      `json:"links_left"`       // links whose memories are not both there
	Left       []Left   `json:"left"`             // the first of them
	Examples   []Undo   `json:"examples"`         // the first of Restored
	Differ     []string `json:"differ,omitempty"` // restored memories that are not equal to what they were: none, or a bug
	// Verified says that each restored memory was read again, in ledger and index, and that its hash
	// equals the hash before the change.
	Verified bool `json:"verified"`
	// Was and Is are SHA-256 over the hashes of all restored memories, page by page: as they were before the
	// change, and as they were read after the undo.
	Was         string  `json:"was,omitempty"`
	Is          string  `json:"is,omitempty"`
	TookSeconds float64 `json:"took_seconds"`
}

// Left is a memory that an undo left alone, and why.
type Left struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	Text    string `json:"text"`
	Reason  string `json:"reason"`
}

// Undo is what an undo makes of one memory.
type Undo struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	From    State  `json:"from"`
	To      State  `json:"to"` // "" when it was not there before the change
	Was     string `json:"was"`
	Becomes string `json:"becomes"`
}
