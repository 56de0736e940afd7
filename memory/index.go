package memory

import (
	"context"
	"errors"
	"slices"
)

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

// ErrNoCollection is in the chain of the error of an index whose collection is not there:
// an index that was used before has lost it.
var ErrNoCollection = errors.New("the collection is not there")

// Difference names memories whose points are not what the ledger says, by their ids.
type Difference struct {
	Missing []string // there is no point
	Other   []string // the point holds something else
}

// IDs returns all that differ.
func (d Difference) IDs() []string { return slices.Concat(d.Missing, d.Other) }

// Near finds live memories that might be the same fact as the one being
// stored. The ledger calls it while it holds the lock that keeps others out.
type Near func(ctx context.Context, collections []string) ([]Match, error)

// IndexChange is a memory whose state in the index is behind the ledger.
type IndexChange struct {
	Record
	IndexedIn string // collection where its point is now, "" if none

	Active string      // the name of the generation that answers
	Beside *Generation // the one beside it that is to be written to as well; nil for none
	// BesideVector is the memory's vector in Beside; empty if there is none yet.
	BesideVector Vector
}

// Expected is how many points a collection should have: at least Written, and
// one more for each of Marked, whose points are about to be written or deleted.
type Expected struct{ Live, Written, Marked int }
