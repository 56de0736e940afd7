package memory

// IndexState says how index and ledger compare, by count and by a sample of
// what the points hold.
type IndexState struct {
	Collections []IndexCollection `json:"collections"`
}

// IndexCollection is one collection's part of an [IndexState].
type IndexCollection struct {
	Collection string `json:"collection"`
	Ledger     int    `json:"ledger"`  // live memories
	Index      int    `json:"index"`   // points
	Marked     int    `json:"marked"`  // changes that are on their way to the index
	Lost       int    `json:"lost"`    // points that are missing, by count
	Extra      int    `json:"extra"`   // points too many, by count
	Sampled    int    `json:"sampled"` // memories and points that were looked at
	Differ     int    `json:"differ"`  // of those, how many are not what the ledger says
}

// Equal reports whether nothing speaks against the collection.
func (c IndexCollection) Equal() bool { return c.Lost == 0 && c.Extra == 0 && c.Differ == 0 }

// Equal reports whether nothing speaks against the index.
func (s IndexState) Equal() bool { return len(s.Unequal()) == 0 }

// Unequal returns the collections that must be compared memory by memory.
func (s IndexState) Unequal() []string {
	var out []string
	for _, c := range s.Collections {
		if !c.Equal() {
			out = append(out, c.Collection)
		}
	}
	return out
}

// Sum adds the collections up.
func (s IndexState) Sum() IndexCollection {
	var sum IndexCollection
	for _, c := range s.Collections {
		sum.Ledger += c.Ledger
		sum.Index += c.Index
		sum.Marked += c.Marked
		sum.Lost += c.Lost
		sum.Extra += c.Extra
		sum.Sampled += c.Sampled
		sum.Differ += c.Differ
	}
	return sum
}
