package memory

import (
	"slices"
	"strings"
	"time"
)

// Page selects live memories in the order of their ids, for exports, rebuilds
// and organize, or newest first, for reviews. Empty fields do not filter.
type Page struct {
	Collection  string     `json:"collection,omitempty"`
	Collections []string   `json:"collections,omitempty"` // any of them, and of Collection if that is given too
	Project     string     `json:"project,omitempty"`
	Projects    []string   `json:"projects,omitempty"` // any of them
	Types       []string   `json:"types,omitempty"`    // any of them
	Tags        []string   `json:"tags,omitempty"`     // all of them
	Session     string     `json:"session,omitempty"`
	Since       *time.Time `json:"since,omitempty"`    // created at or after
	Before      *time.Time `json:"before,omitempty"`   // created before
	Source      string     `json:"source,omitempty"`   // the door it came through, such as SourceHook
	FromRef     string     `json:"from_ref,omitempty"` // with this SourceRef, or one that begins with it
	Nearly      bool       `json:"nearly,omitempty"`   // only those that were named as nearly pruned; see [Memory.Announced]
	Newest      bool       `json:"newest,omitempty"`   // in the order of creation, newest first
	Sort        string     `json:"sort,omitempty"`     // one of Sorts; Skip then stands for After
	Skip        int        `json:"skip,omitempty"`     // how many of them were seen
	After       string     `json:"after,omitempty"`    // id of the last one seen, whatever became of it since
	Limit       int        `json:"limit,omitempty"`    // 1 to 1000
}

// The orders in which memories can be looked at.
const (
	SortNewest     = "newest"
	SortOldest     = "oldest"
	SortUsed       = "used"       // last recalled first
	SortConfidence = "confidence" // most trusted first
	SortImportance = "importance"
)

// Sorts lists the orders.
func Sorts() []string {
	return []string{SortNewest, SortOldest, SortUsed, SortConfidence, SortImportance}
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
	for _, t := range p.Types {
		if !KnownType(t) {
			return p, unknown("type", t, Types())
		}
	}
	if p.Sort != "" && !slices.Contains(Sorts(), p.Sort) {
		return p, unknown("order", p.Sort, Sorts())
	}
	if p.Skip < 0 {
		return p, Errorf(Invalid, "leave it out", "skip must not be negative, got %d", p.Skip)
	}
	var err error
	if p.Tags, err = CleanTags(p.Tags); err != nil {
		return p, err
	}
	if err := checkName("source_ref", p.FromRef, MaxRefBytes); err != nil {
		return p, err
	}
	for _, name := range p.Projects {
		if err := CheckName("project", name); err != nil {
			return p, err
		}
	}
	return p, checkNames(map[string]string{"project": p.Project, "source": p.Source, "session": p.Session})
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
	// What an export adds to the fields of the memory.
	UpdatedAt     *time.Time `json:"updated_at,omitempty"` // when its content last changed; none: at CreatedAt
	DecayedAt     *time.Time `json:"decayed_at,omitempty"` // when its confidence last faded
	Confirmations int        `json:"confirmations,omitempty"`
}

// Stats counts what the ledger holds.
type Stats struct {
	Live      map[string]int `json:"live"`      // by collection
	States    map[State]int  `json:"states"`    // all memories
	Projects  int            `json:"projects"`  // with a live memory
	Unindexed int            `json:"unindexed"` // changed, and not yet in the index
	Model     string         `json:"model"`     // embedding model, "" before the first store
	Dimension int            `json:"dimension"`

	// Generations tells of a second index and of replaced models; nil if there were none.
	Generations  *Generations `json:"generations,omitempty"`
	NearlyPruned int          `json:"nearly_pruned,omitempty"` // named as nearly pruned; "mneme review" shows them
	Held         []HeldPrune  `json:"held,omitempty"`          // projects whose pruning waits for a yes
}

// Recalled is what the ledger notes of an answered recall.
type Recalled struct {
	Query   Query
	Hits    []Hit // texts are not kept
	Below   int
	Details map[string]any // latency and the like
	At      time.Time
}
