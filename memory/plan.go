package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// PlanStep is one thing that an organize run would do, as its dry run saw it.
type PlanStep struct {
	Action     string   `json:"action"` // ActionExpire, ActionPromote, ActionMerge, ActionDecay, ActionPrune or ActionAnnounce
	Collection string   `json:"collection"`
	Project    string   `json:"project,omitempty"` // "" for a decay, which is of all projects
	IDs        []string `json:"ids"`               // of a merge: the survivor first
	Marks      []string `json:"marks,omitempty"`   // what each of IDs was when the plan was made; see Standing.Mark
	Across     bool     `json:"across,omitempty"`  // a merge of memories of several collections
	Into       string   `json:"into,omitempty"`    // of a promotion: the memory that holds the same text there already
	Why        string   `json:"why,omitempty"`
	// Of a decay, the confidence of each of IDs.
	Before []float64 `json:"before,omitempty"`
	After  []float64 `json:"after,omitempty"`
}

// PlannedStep is a step as it is shown: with its texts.
type PlannedStep struct {
	Number int `json:"number"` // from 1
	PlanStep
	Memories []PlannedMemory `json:"memories,omitempty"` // of IDs, in their order; not of a decay
	Text     string          `json:"text,omitempty"`     // of a merge: what comes out
}

// PlannedMemory is a memory that a step names.
type PlannedMemory struct {
	ID         string    `json:"id"`
	Collection string    `json:"collection"`
	Text       string    `json:"text"`
	CreatedAt  time.Time `json:"created_at"`
}

// PlanHead identifies a plan: its dry run, the input and time of that run, and the
// number of its steps. Digest is the digest of all steps.
type PlanHead struct {
	ID      string         `json:"id"` // the workflow of the dry run
	Ledger  string         `json:"ledger,omitempty"`
	Input   OrganizeInput  `json:"input"`
	At      time.Time      `json:"at"` // the time by which the rules were asked, and are when the plan is applied
	Steps   int            `json:"steps"`
	Digest  string         `json:"digest"`
	Held    []HeldPrune    `json:"held,omitempty"`
	Totals  map[string]int `json:"totals"` // memories, by action
	LeftOut []LeftOut      `json:"left_out,omitempty"`
}

// LeftOut is what a run does not do because a question would lose its answer.
type LeftOut struct {
	Action   string   `json:"action"`
	IDs      []string `json:"ids"`
	Question string   `json:"question,omitempty"` // the id of a pinned question; "" for a recall
	Why      string   `json:"why"`
}

// PlanPage is some steps of a plan. Next is 0 after the last ones.
type PlanPage struct {
	Head  PlanHead      `json:"head"`
	Steps []PlannedStep `json:"steps"`
	Next  int           `json:"next,omitempty"` // the number of the last step of this page, to go on after
}

// PlanQuery asks for the steps of a plan after a number.
type PlanQuery struct {
	ID    string `json:"id"`
	After int    `json:"after,omitempty"`
}

// Moved is a memory of a plan that has changed since the plan was made.
type Moved struct {
	ID     string `json:"id"`
	Action string `json:"action"` // what the plan wanted to do
	Now    string `json:"now"`    // what became of it
}

// MovedMost is how many memories a refusal names.
const MovedMost = 20

// MovedText is the refusal to apply a plan of which count memories have changed. It
// names the memories in moved, the first of them.
func MovedText(moved []Moved, count int) string {
	lines := []string{fmt.Sprintf("%d memories of the plan are not what they were when it was made:", count)}
	if count == 1 {
		lines[0] = "a memory of the plan is not what it was when it was made:"
	}
	for _, m := range moved {
		lines = append(lines, fmt.Sprintf("  %s (%s): %s", m.ID, m.Action, m.Now))
	}
	if more := count - len(moved); more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// Mark is a short digest of the properties on which a planned step depends: the
// memory's state, place, type, text, pin and expiry, and for the actions expire,
// prune and announce also its use. A recall between plan and run therefore does
// not stop a planned merge.
func (s Standing) Mark(action string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %q %s %s %s %v %v", s.State, s.Project, s.Collection, s.Type, s.ContentHash, s.Pinned, microseconds(s.ExpiresAt))
	switch action {
	case ActionExpire, ActionPrune, ActionAnnounce:
		since := s.UnusedSince()
		fmt.Fprintf(h, " %d %d %v %v", s.AccessCount, s.Confirmations, microseconds(&since), microseconds(s.AnnouncedAt))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func microseconds(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.UnixMicro()
}

// Digest adds a step to the digest of those before it.
func (p PlanStep) Digest(before string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %q %s %s", before, p.Action, p.Collection, p.IDs, p.Marks, p.Into))
	return hex.EncodeToString(sum[:])
}

// DigestOf is the digest of all steps of a plan.
func DigestOf(steps []PlanStep) string {
	digest := ""
	for _, s := range steps {
		digest = s.Digest(digest)
	}
	return digest
}

// TotalsOf counts the memories of steps by action. The survivor of a merge is
// not counted.
func TotalsOf(steps []PlanStep) map[string]int {
	totals := map[string]int{}
	for _, s := range steps {
		n := len(s.IDs)
		if s.Action == ActionMerge {
			n--
		}
		totals[s.Action] += n
	}
	return totals
}
