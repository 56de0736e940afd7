package memory

import "time"

// PurgedText is a text that a memory has or had.
type PurgedText struct {
	ID   string // of the memory
	Text string
}

// LedgerText is a text that the ledger holds.
type LedgerText struct {
	Place string // what holds it, such as PlaceMemory
	ID    string // of the memory, or of the audit row
	Text  string
}

// The places of a [LedgerText].
const (
	PlaceMemory       = "memory"
	PlaceVersion      = "version of"
	PlaceConversation = "conversation"
	PlaceQuestion     = "pinned question"
	PlaceAudit        = "audit row"
)

// PurgeReport counts the deletions of a purge. It also lists the places that the
// purge searched for the texts afterwards, and the texts that were found there.
type PurgeReport struct {
	// Receipt is the path of the file that tells the same, and that a later search reads.
	Receipt string    `json:"receipt"`
	Stage   string    `json:"stage,omitempty"` // what is being done now
	At      time.Time `json:"at"`              // of the search
	Texts   int       `json:"texts"`           // different texts of the memories and of their versions
	// Short counts texts with fewer than eight letters: files cannot be searched for them.
	Short int `json:"short,omitempty"`

	Swept

	Places    []Searched  `json:"places"`              // where it was looked
	Found     []Trace     `json:"found"`               // the first of what was found there
	More      int         `json:"more,omitempty"`      // that were found besides
	Kept      []string    `json:"kept,omitempty"`      // ids of memories that stay and share words with the texts: the first of them
	KeptMore  int         `json:"kept_more,omitempty"` // of them besides
	Unreached []Unreached `json:"unreached,omitempty"` // where nobody could look
}

// VerifyInput asks to look again for the texts of a receipt.
type VerifyInput struct {
	Receipt string `json:"receipt"`         // path, for the worker to read
	Again   bool   `json:"again,omitempty"` // first take them from files and histories again
}

// Clean reports whether nothing was found where it was looked.
func (r PurgeReport) Clean() bool { return len(r.Found) == 0 }

// Searched is a place where texts were looked for.
type Searched struct {
	Place string `json:"place"`
	Count int    `json:"count"` // of what
	What  string `json:"what"`  // files, texts, histories
	Bytes int64  `json:"bytes,omitempty"`
}

// Trace is a text, or a part of one, that is still there.
type Trace struct {
	Place string `json:"place"`
	ID    string `json:"id,omitempty"` // of the memory whose text it is
	Whole bool   `json:"whole"`        // all of the text, not only some of its words
	Hint  string `json:"hint,omitempty"`
}

// Unreached is what may hold a text and could not be searched or cleaned.
type Unreached struct {
	What  string `json:"what"`
	Until string `json:"until"` // when it is gone from there, or what has to be done
}

// MaxTraces bounds what a report names of each kind.
const MaxTraces = 50

// AddFound adds traces, as far as there is room.
func (r *PurgeReport) AddFound(traces ...Trace) {
	for _, t := range traces {
		if len(r.Found) < MaxTraces {
			r.Found = append(r.Found, t)
		} else {
			r.More++
		}
	}
}
