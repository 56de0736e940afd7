package memory

import (
	"strings"
	"time"
)

// Page selects live memories in the order of their ids, for exports, rebuilds
// and organize, or newest first, for reviews. Empty fields do not filter.
type Page struct {
	Collection  string     `json:"collection,omitempty"`
	Collections []string   `json:"collections,omitempty"` // any of them, and of Collection if that is given too
	Project     string     `json:"project,omitempty"`
	Since       *time.Time `json:"since,omitempty"`  // created at or after
	Source      string     `json:"source,omitempty"` // the door it came through, such as SourceHook
	Nearly      bool       `json:"nearly,omitempty"` // only those that were named as nearly pruned; see [Memory.Announced]
	Newest      bool       `json:"newest,omitempty"` // in the order of creation, newest first
	After       string     `json:"after,omitempty"`  // id of the last one seen, whatever became of it since
	Limit       int        `json:"limit,omitempty"`  // 1 to 1000
}

// Clean returns the page in its normal form, or an [Invalid] error.
func (p Page) Clean() (Page, error) {
	if p.Collection != "" {
		p.Collections, p.Collection = append([]string{p.Collection}, p.Collections...), ""
	}
	for _, c := range p.Collections {
		if !KnownCollection(c) {
			return p, unknown("collection", c, Collections())
		}
	}
	p.Project = strings.TrimSpace(p.Project)
	if p.After != "" {
		if err := CheckID(p.After); err != nil {
			return p, err
		}
	}
	return p, checkNames(map[string]string{"project": p.Project, "source": p.Source})
}

// Related is a memory that is linked to another.
type Related struct {
	Memory
	Link  Link `json:"link"`  // the last link on the way to it
	Depth int  `json:"depth"` // links away, from 1
}

// History is everything the ledger knows of one memory, oldest first.
type History struct {
	Memory   Memory    `json:"memory"`
	Versions []Version `json:"versions"`
	Audit    []Audit   `json:"audit"`
}

// Details is a memory with its links.
type Details struct {
	Memory
	Links []Link `json:"links"`
	// StandsFor are ids that were asked for and are merged into this one.
	StandsFor []string `json:"stands_for,omitempty"`
	// SupersededBy are the memories that contradict this one by a link.
	SupersededBy []string `json:"superseded_by,omitempty"`
}

// Stats counts what the ledger holds.
type Stats struct {
	Live      map[string]int `json:"live"`      // by collection
	States    map[State]int  `json:"states"`    // all memories
	Projects  int            `json:"projects"`  // with a live memory
	Unindexed int            `json:"unindexed"` // changed, and not yet in the index
	Model     string         `json:"model"`     // embedding model, "" before the first store
	Dimension int            `json:"dimension"`

	NearlyPruned int         `json:"nearly_pruned,omitempty"` // named as nearly pruned; "mneme review" shows them
	Held         []HeldPrune `json:"held,omitempty"`          // projects whose pruning waits for a yes
}

// Recalled is what the ledger notes of an answered recall.
type Recalled struct {
	Query   Query
	Hits    []Hit // texts are not kept
	Below   int
	Details map[string]any // latency and the like
	At      time.Time
}
