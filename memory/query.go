package memory

import (
	"strings"
	"time"
)

// The bounds and defaults of a recall.
const (
	MaxLimit        = 100
	DefaultLimit    = 5
	DefaultMinScore = 0.7 // on the product's similarity scale; see Calibration
	DuplicateAbove  = 0.92
)

// Query asks for the memories that matter to a text. A query for a project
// sees that project and [Global], never another one.
type Query struct {
	Text        string     `json:"query"`
	Project     string     `json:"project,omitempty"`      // default Global (then Global only)
	AllProjects bool       `json:"all_projects,omitempty"` // ask every project, on explicit request only
	Collections []string   `json:"collections,omitempty"`  // default: all
	Types       []string   `json:"types,omitempty"`        // any of them
	Tags        []string   `json:"tags,omitempty"`         // all of them
	Since       *time.Time `json:"since,omitempty"`        // created at or after
	Before      *time.Time `json:"before,omitempty"`       // created before
	Limit       int        `json:"limit,omitempty"`        // 1 to MaxLimit; 0 means DefaultLimit
	MinScore    *float64   `json:"min_score,omitempty"`    // 0 to 1, strict; nil means DefaultMinScore
	Exclude     []string   `json:"exclude,omitempty"`      // ids not to answer with
	Session     string     `json:"session,omitempty"`      // who asks; for the audit
	Source      string     `json:"source,omitempty"`       // through which door
	User        string     `json:"user,omitempty"`
}

// Hit is one memory that answers a query, with why.
type Hit struct {
	ID           string    `json:"id"`
	Text         string    `json:"text"`
	Truncated    bool      `json:"truncated,omitempty"` // the text is longer; get it by id
	Collection   string    `json:"collection"`
	Project      string    `json:"project"`
	Type         string    `json:"type"`
	Tags         []string  `json:"tags"`
	Confidence   float64   `json:"confidence"`
	Similarity   float64   `json:"similarity"` // 0 to 1, what the bar is about; comparable over models
	Score        float64   `json:"score"`      // what the order is about; comparable within one answer
	Reasons      []string  `json:"reasons,omitempty"`
	CreatedAt    time.Time `json:"created_at"`
	LastAccessed time.Time `json:"last_accessed"`
	Session      string    `json:"session,omitempty"`
	Position     int       `json:"position,omitempty"`
}

// RecallResult answers a query. Hits are best first.
type RecallResult struct {
	Hits     []Hit  `json:"results"`
	BelowBar int    `json:"below_bar"`          // how many more were found, but not above MinScore
	Degraded string `json:"degraded,omitempty"` // what could not be used, such as the embedding
	// TookMillis is the time that each part of the search took, in milliseconds.
	TookMillis map[string]float64 `json:"took_ms,omitempty"`
}

// Clean returns the query with defaults filled in, or an [Invalid] error.
func (q Query) Clean() (Query, error) {
	if err := checkQuery(q.Text); err != nil {
		return q, err
	}
	q.Text = strings.TrimSpace(q.Text)
	q.Project = orDefault(strings.TrimSpace(q.Project), Global)
	if err := CheckName("project", q.Project); err != nil {
		return q, err
	}
	if len(q.Collections) == 0 {
		q.Collections = Collections()
	}
	for _, c := range q.Collections {
		if !KnownCollection(c) {
			return q, unknown("collection", c, Collections())
		}
	}
	for _, t := range q.Types {
		if !KnownType(t) {
			return q, unknown("type", t, Types())
		}
	}
	tags, err := CleanTags(q.Tags)
	if err != nil {
		return q, err
	}
	q.Tags = tags
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return q, Errorf(Invalid, "leave it out for 5", "limit must be 1 to %d, got %d", MaxLimit, q.Limit)
	}
	if q.MinScore == nil {
		bar := DefaultMinScore
		q.MinScore = &bar
	}
	if v := *q.MinScore; !(v >= 0 && v <= 1) {
		return q, Errorf(Invalid, "leave it out for 0.7; 0 lets everything pass", "min_score must be 0 to 1, got %v", v)
	}
	for _, id := range q.Exclude {
		if err := CheckID(id); err != nil {
			return q, err
		}
	}
	return q, nil
}

// checkQuery is [CheckText] in words for someone who asks.
func checkQuery(text string) error {
	switch {
	case len(text) > MaxQueryBytes:
		return Errorf(Invalid, "ask in a few plain words", "the query has %d bytes, the limit is %d", len(text), MaxQueryBytes)
	case strings.TrimSpace(text) == "":
		return Errorf(Invalid, "ask in a few plain words", "the query is empty")
	}
	return CheckText(text, MaxQueryBytes)
}

// Projects returns the projects that a cleaned query sees; none means all.
func (q Query) Projects() []string {
	switch {
	case q.AllProjects:
		return nil
	case q.Project == Global:
		return []string{Global}
	default:
		return []string{q.Project, Global}
	}
}
