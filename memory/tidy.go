package memory

import (
	"maps"
	"slices"
	"time"
)

// Scope bounds one organize step.
type Scope struct {
	Collection  string    `json:"collection"`            // "" for all, or for those of Collections
	Collections []string  `json:"collections,omitempty"` // any of them; empty for all
	Project     string    `json:"project"`               // "" for all
	Now         time.Time `json:"now"`
	DryRun      bool      `json:"dry_run"`
	Limit       int       `json:"limit"`            // most memories to look at in one call; 0 means 1000
	After       string    `json:"after,omitempty"`  // id; see Tidied.Next
	Held        []string  `json:"held,omitempty"`   // projects to leave out
	Plan        string    `json:"plan,omitempty"`   // of which the steps are done, and nothing else; "" for what the rules say
	Across      bool      `json:"across,omitempty"` // of a merge: of memories of several collections
}

// Tidied is what one call of an organize step changed.
type Tidied struct {
	Kept []string            `json:"kept,omitempty"` // ids that the step left alone, because they answer a pinned question
	IDs  map[string][]string `json:"ids"`            // by the collection that they were in, in order
	Next string              `json:"next,omitempty"` // the After of the next call; "" when there is no more to look at
}

// All returns the ids of all collections.
func (t Tidied) All() []string {
	out := []string{}
	for _, collection := range slices.Sorted(maps.Keys(t.IDs)) {
		out = append(out, t.IDs[collection]...)
	}
	return out
}

// Groups are groups of memories that say the same, by their ids, and how many
// memories were looked at. The same ledger gives the same groups in the same order.
type Groups struct {
	Scanned int
	IDs     [][]string
	LeftOut []LeftOut // those that are not merged, because a question would lose its answer
}

// FoundGroups counts what was found.
type FoundGroups struct {
	Scanned int       `json:"scanned"`            // memories that were looked at
	Groups  int       `json:"groups"`             // of those that say the same
	LeftOut []LeftOut `json:"left_out,omitempty"` // the first of Groups.LeftOut
}
