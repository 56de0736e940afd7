package memory

import "time"

// CensusInput asks what there is; no projects means all.
type CensusInput struct {
	Projects []string `json:"projects,omitempty"`
}

// Census counts live memories by what they are, most first.
type Census struct {
	Types       []Tally `json:"types"`
	Collections []Tally `json:"collections"`
	Projects    []Tally `json:"projects"`
	Tags        []Tally `json:"tags"`   // at most MaxTallies
	Growth      []Month `json:"growth"` // the last MaxMonths, oldest first
	Bytes       int64   `json:"bytes"`  // of the database on disk, whatever the projects
}

// The bounds of a census.
const (
	MaxTallies = 1000
	MaxMonths  = 12
)

// Tally is how many memories have something in common.
type Tally struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Month is how many of the live memories arrived in one.
type Month struct {
	From  time.Time `json:"from"`
	Count int       `json:"count"`
}
