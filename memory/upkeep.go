package memory

// SummaryInput asks for a summary of a collection.
type SummaryInput struct {
	Collection string `json:"collection,omitempty"` // default: all
	Project    string `json:"project,omitempty"`    // default Global
	Sentences  int    `json:"sentences,omitempty"`  // 1 to 50, default 10
}

// Clean checks the input and fills in defaults.
func (in SummaryInput) Clean() (SummaryInput, error) {
	if in.Collection != "" && !KnownCollection(in.Collection) {
		return in, unknown("collection", in.Collection, Collections())
	}
	in.Project = orDefault(in.Project, Global)
	if in.Sentences == 0 {
		in.Sentences = 10
	}
	if in.Sentences < 1 || in.Sentences > 50 {
		return in, Errorf(Invalid, "leave it out for 10", "sentences must be 1 to 50, got %d", in.Sentences)
	}
	return in, CheckName("project", in.Project)
}

// Summary is what a collection says in few sentences.
type Summary struct {
	Text     string   `json:"text"`
	Method   string   `json:"method"`   // "model <name>", "extractive", or "extractive (why no model)"
	Memories int      `json:"memories"` // how many were summarised
	IDs      []string `json:"ids"`      // where the sentences come from
}

// RebuildInput asks to bring the index in step with the ledger.
type RebuildInput struct {
	Collections []string `json:"collections,omitempty"` // default: all
	User        string   `json:"user,omitempty"`
	// Check compares by count and by a sample first, and goes through those collections alone
	// that turn out to have lost something. It needs no embedding model.
	Check bool `json:"check,omitempty"`
}

// RebuildReport says what a rebuild did and whether index and ledger are equal.
type RebuildReport struct {
	WorkflowID  string              `json:"workflow_id"`
	Model       string              `json:"model"`
	Reembedded  int                 `json:"reembedded"` // texts embedded anew because the model changed
	Done        bool                `json:"done"`
	Equal       bool                `json:"equal"`
	Collections []RebuildCollection `json:"collections"` // the last one may be under way
}

// RebuildCollection is one collection's part of a [RebuildReport].
type RebuildCollection struct {
	Collection string   `json:"collection"`
	Compared   int      `json:"compared"` // memories that were compared with their points
	Written    int      `json:"written"`  // points that were missing or held something else
	Deleted    int      `json:"deleted"`  // points that should not have been there
	Ledger     int      `json:"ledger"`   // live memories
	Index      int      `json:"index"`    // points
	Mended     []string `json:"mended"`   // ids of some of those written and deleted, in their order
	Unequal    []string `json:"unequal"`  // ids of some that were still not equal when they were looked at again
	Equal      bool     `json:"equal"`
}
