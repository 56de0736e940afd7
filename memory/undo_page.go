package memory

import "context"

// Embed returns the vectors of texts and the name of the model that made them. The ledger asks for
// vectors of texts that were embedded with another model than the one it holds now.
type Embed func(ctx context.Context, texts []string) ([]Vector, string, error)

// FoundChange is a change, and the memories to which an undo of it is bounded.
type FoundChange struct {
	Change Change   `json:"change"`
	Only   []string `json:"only,omitempty"` // empty: all
}

// UndoScope is what one page of an undo looks at.
type UndoScope struct {
	Change Change   `json:"change"`
	Only   []string `json:"only,omitempty"`
	After  string   `json:"after,omitempty"` // id of the last memory, or link, that was looked at
	Limit  int      `json:"limit"`
	DryRun bool     `json:"dry_run,omitempty"`
}

// UndonePage is what a page came to. It holds no texts.
type UndonePage struct {
	IDs       []string    `json:"ids"` // restored
	Same      int         `json:"same,omitempty"`
	Carried   int         `json:"carried,omitempty"`
	Embedded  int         `json:"embedded,omitempty"`
	LeftCount int         `json:"left_count,omitempty"`
	Left      []LeftAlone `json:"left,omitempty"`
	Turns     []Turn      `json:"turns,omitempty"` // the first of IDs
	Differ    []string    `json:"differ,omitempty"`
	Was       string      `json:"was"` // digest of the hashes of the pre-images
	Is        string      `json:"is"`  // and of what the ledger holds after it
	Next      string      `json:"next,omitempty"`
}

// LeftAlone is a memory that an undo did not touch.
type LeftAlone struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Turn says from which version to which a memory is taken back, so that a report can
// show the texts: the audit keeps none.
type Turn struct {
	ID    string `json:"id"`
	From  State  `json:"from"`
	To    State  `json:"to"`
	First int64  `json:"first,omitempty"` // versions of the ledger: the first and the last of the
	Last  int64  `json:"last,omitempty"`  // change; 0 when only counters changed
}

// UndoneLinks counts what a page of links came to.
type UndoneLinks struct {
	Links int    `json:"links"`
	Left  int    `json:"left"`
	Next  string `json:"next,omitempty"`
}
