package memory

import "time"

// Candidate is a memory that a search found, with the raw evidence that
// ranking turns into a score.
type Candidate struct {
	Memory
	Cosine    float64 // of query and memory, -1 to 1; meaningful if HasCosine
	HasCosine bool    // false when either vector is missing or zero
	Keyword   float64 // BM25 score with inverse document frequency, 0 when no word is shared
}

// Search is what an index needs to know to find candidates. Empty lists do
// not filter.
type Search struct {
	Text        string
	Vector      Vector // nil or zero: search by keywords alone
	Projects    []string
	Collections []string
	Types       []string // any of them
	Tags        []string // all of them
	Since       *time.Time
	Before      *time.Time
	Session     string // said in it
	Exclude     []string
	Now         time.Time // what has expired by then is not found
	Limit       int       // hits wanted in the end; the index looks deeper
}

// Match is a live memory near a vector.
type Match struct {
	ID     string
	Cosine float64
}
