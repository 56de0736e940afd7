package memory

import "time"

// Why says what a hit's place was made of. Evidence, Lent and Prior add up to
// the value by which hits are ordered; the score is read from where that value
// stands among all candidates.
type Why struct {
	Cosine     float64 `json:"cosine"`     // of query and memory, 0 without a vector
	Keyword    float64 `json:"keyword"`    // BM25 score
	Share      float64 `json:"share"`      // of the query's words that the text has, by weight
	Evidence   float64 `json:"evidence"`   // what the first three give, with kind and time
	Lent       float64 `json:"lent"`       // by what stands near it in its session
	Prior      float64 `json:"prior"`      // from the next three
	Confidence float64 `json:"confidence"` // of the memory
	Importance float64 `json:"importance"`
	AgeDays    float64 `json:"age_days"`
	Candidates int     `json:"candidates"` // how many the search found
	Exact      bool    `json:"exact,omitempty"`
	// Linked is set for a memory that the search did not find and that a link from a hit brought in:
	// the type of the link, and the id of that hit. Only Confidence and Importance are set beside
	// Linked, because the search has no figures for such a memory.
	Linked string `json:"linked,omitempty"`
}

// JustBelow is how many memories are named that were nearly answered with.
const JustBelow = 3

// explained returns the hit with its reasons in numbers.
func (r *ranked) explained(words *asked, candidates int, now time.Time) Hit {
	h := r.hit(words)
	h.Why = &Why{
		Cosine: cosineOf(r.Candidate), Keyword: r.Keyword, Share: r.share, Evidence: r.evidence, Lent: r.lent, Prior: prior(r.Memory, now),
		Confidence: r.Confidence, Importance: r.Importance, AgeDays: max(0, now.Sub(r.CreatedAt).Hours()/24), Candidates: candidates, Exact: r.exact,
	}
	return h
}
