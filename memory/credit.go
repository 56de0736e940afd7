package memory

// MaxCreditIDs bounds the memories of one credit.
const MaxCreditIDs = 100

// CreditInput says how memories that were recalled and then tried turned out.
type CreditInput struct {
	IDs     []string `json:"ids"`               // 1 to MaxCreditIDs; one that was merged stands for its survivor
	Helped  bool     `json:"helped"`            // else they did not
	Project string   `json:"project,omitempty"` // where they were tried; for the audit, like the next three
	Session string   `json:"session,omitempty"`
	Reason  string   `json:"reason,omitempty"` // a few words on one line
	Source  string   `json:"source,omitempty"` // through which door
	User    string   `json:"user,omitempty"`
}

// Clean checks the input.
func (in CreditInput) Clean() (CreditInput, error) {
	if len(in.IDs) == 0 || len(in.IDs) > MaxCreditIDs {
		return in, Errorf(Invalid, "split the call", "give 1 to %d ids, got %d", MaxCreditIDs, len(in.IDs))
	}
	for _, id := range in.IDs {
		if err := CheckID(id); err != nil {
			return in, err
		}
	}
	return in, checkNames(map[string]string{
		"project": in.Project, "session": in.Session, "reason": in.Reason, "source": in.Source, "user": in.User,
	})
}

// CreditResult answers a credit.
type CreditResult struct {
	IDs []string `json:"ids"` // those that were live and changed
	// WaitingFor names the part that is down or refuses when the credit is durable but
	// not given yet; IDs is empty then.
	WaitingFor string `json:"waiting_for,omitempty"`
}

// DuplicateResult says whether a text is stored already.
type DuplicateResult struct {
	Found      bool    `json:"found"`
	ID         string  `json:"id,omitempty"` // of the memory that holds the same fact
	Text       string  `json:"text,omitempty"`
	Project    string  `json:"project,omitempty"`
	Collection string  `json:"collection,omitempty"`
	Similarity float64 `json:"similarity,omitempty"` // 0 to 1; 1 for the very same text
}

// The bounds of one merge on request.
const (
	MinMergeIDs = 2
	MaxMergeIDs = 50
)

// CheckMerge refuses ids that cannot be merged, whatever they stand for.
func CheckMerge(ids []string) error {
	if len(ids) < MinMergeIDs || len(ids) > MaxMergeIDs {
		return Errorf(Invalid, "name each memory once", "a merge takes %d to %d memories, got %d", MinMergeIDs, MaxMergeIDs, len(ids))
	}
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if err := CheckID(id); err != nil {
			return err
		}
		if seen[id] {
			return Errorf(Invalid, "name each memory once", "memory %s is given twice", id)
		}
		seen[id] = true
	}
	return nil
}
