package memory

import (
	"slices"
	"time"
)

// MostAlike is how many memories the answer to a store names as much like it.
const MostAlike = 3

// The lines above which two texts are much alike: the share of what both say,
// which is lower where the embedding model finds them like each other too.
// Measured on pairs: unrelated texts are below .35, rewordings in another
// sentence above .58 with few exceptions.
const (
	alikeAbove       = 0.5
	alikeAboveWithin = 0.35 // when their similarity is above DuplicateAbove
)

// Alike is a memory that is much like one that was just stored, and not the
// same fact. Whoever stored decides: update it, or link as contradicts.
type Alike struct {
	ID         string    `json:"id"`
	Text       string    `json:"text,omitempty"`
	Project    string    `json:"project"`
	Collection string    `json:"collection"`
	CreatedAt  time.Time `json:"created_at"`
	Share      float64   `json:"share"`          // 0 to 1, of what both say
	Over       bool      `json:"over,omitempty"` // the new text says that it no longer holds, or says another value
}

// Comparison holds one text against others.
type Comparison struct {
	text string
	said saying
}

// Compare returns the comparison of a text, which is newer than those that it is held against.
func Compare(text string) *Comparison { return &Comparison{text, sayingOf(text)} }

// Same reports whether another text says the same; see [SameFact].
func (c *Comparison) Same(other string) bool { return SameFact(c.text, other) }

// Alike tells how much alike another text is, 0 if it is not, and whether it is
// over by what this one says. Similarity is that of the vectors, 0 where nobody knows.
func (c *Comparison) Alike(other string, similarity float64) (share float64, over bool) {
	older := sayingOf(other)
	share = likeness(c.said, older)
	over = replaces(c.said, older) || otherValue(c.said, older)
	if over || share > alikeAbove || share > alikeAboveWithin && similarity > DuplicateAbove {
		return share, over
	}
	return 0, false
}

// likeness is which share of what two texts say both say, by weight: 1 when
// each word of either is in the other.
func likeness(a, b saying) float64 {
	if a.all+b.all == 0 {
		return 0
	}
	return (a.coveredBy(b) + b.coveredBy(a)) / (a.all + b.all)
}

// coveredBy is the weight of what another text says too.
func (s saying) coveredBy(other saying) float64 {
	covered := 0.0
	for i, w := range s.words {
		if other.find(w) >= 0 {
			covered += s.weights[i]
		}
	}
	return covered
}

// SeenFrom returns the projects whose memories a memory of a project is held
// against when it is stored: its own and [Global].
func SeenFrom(project string) []string {
	if project == Global {
		return []string{Global}
	}
	return []string{project, Global}
}

// Comparable returns the collections whose memories one of a collection is held
// against. [Working] is apart: it is one session's, and gone tomorrow.
func Comparable(collection string) []string {
	if collection == Working {
		return []string{Working}
	}
	return slices.DeleteFunc(Collections(), func(c string) bool { return c == Working })
}
