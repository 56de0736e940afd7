package conversation

import "github.com/mneme-memory/mneme/memory"

// Batch is a batch of messages, or of parts of messages, to archive. Archived
// messages are not archived twice, so a batch may be sent again.
type Batch struct {
	Messages []Message `json:"messages"`
	// Again takes in also what was forgotten since it was archived first.
	Again bool   `json:"again,omitempty"`
	User  string `json:"user,omitempty"`
	// Redacted says that the sender took the secrets out, with the rules of the messages' projects, which
	// are more than the client's. The step that writes the messages does it again in any case.
	Redacted bool `json:"-"`
}

// Archived counts what a batch did, in messages.
type Archived struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`   // a message that had grown since
	Known     int `json:"known"`     // there already
	Forgotten int `json:"forgotten"` // left out, because they were forgotten
}

// Add adds another batch's counts.
func (a *Archived) Add(b Archived) {
	a.Added += b.Added
	a.Changed += b.Changed
	a.Known += b.Known
	a.Forgotten += b.Forgotten
}

// Stats says how much the archive holds.
type Stats struct {
	Messages  int `json:"messages"`
	Sessions  int `json:"sessions"`
	Projects  int `json:"projects"`
	Unindexed int `json:"unindexed"` // parts that a search by now does not find
}

// Point is a passage as the index keeps it.
type Point struct {
	ID      string  // see PassageID
	Of      Message // the part that it is of
	Passage Passage
	Vector  memory.Vector
}

// Kept is a part of a message as the ledger keeps it.
type Kept struct {
	Message
	Points int // how many points of it are, or may be, in the index
}
