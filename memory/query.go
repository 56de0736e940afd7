package memory

import (
	"slices"
	"strings"
	"time"
)

// The bounds and defaults of a recall.
const (
	MaxLimit       = 100
	DefaultLimit   = 5
	DuplicateAbove = 0.92 // similarity of two texts that may be one fact; see Calibration
	MaxQuestions   = 8    // a query's text, and what is asked after it
)

// Query asks for the memories that matter to a text. A query for a project
// sees that project and [Global], never another one.
type Query struct {
	Text        string     `json:"query"`
	Then        []string   `json:"then,omitempty"`         // asked after Text, one by one, while fewer than Limit are found
	ExpandLinks bool       `json:"expand_links,omitempty"` // behind each hit also what links join to it; by default behind strong ones
	Work        bool       `json:"work,omitempty"`         // Text and Then describe one piece of work: answer with what fits it, see Together
	Each        bool       `json:"each,omitempty"`         // answer Text and each of Then with up to Limit memories
	Pinned      bool       `json:"pinned,omitempty"`       // answer with what is pinned or weighty first, whatever is asked
	Project     string     `json:"project,omitempty"`      // default Global (then Global only)
	AllProjects bool       `json:"all_projects,omitempty"` // ask every project, on explicit request only
	Collections []string   `json:"collections,omitempty"`  // default: all
	Types       []string   `json:"types,omitempty"`        // any of them
	Tags        []string   `json:"tags,omitempty"`         // all of them
	Since       *time.Time `json:"since,omitempty"`        // created at or after
	Before      *time.Time `json:"before,omitempty"`       // created before
	AsOf        *time.Time `json:"as_of,omitempty"`        // search what was remembered then, as it was; such a recall is not counted
	FromSession string     `json:"from_session,omitempty"` // said in this sitting
	Files       []string   `json:"files,omitempty"`        // naming one of these files
	Limit       int        `json:"limit,omitempty"`        // 1 to MaxLimit; 0 means DefaultLimit
	MinScore    *float64   `json:"min_score,omitempty"`    // 0 to 1, strict; nil: weak answers too
	Exclude     []string   `json:"exclude,omitempty"`      // ids not to answer with
	Session     string     `json:"session,omitempty"`      // who asks; for the audit
	Source      string     `json:"source,omitempty"`       // through which door
	User        string     `json:"user,omitempty"`
	Explain     bool       `json:"explain,omitempty"` // say why, in numbers, and what was just below
	Trial       bool       `json:"trial,omitempty"`   // only to look, or to choose among the answers: neither counted nor noted in the audit
}

// Hit is one memory that answers a query, with why.
type Hit struct {
	ID           string     `json:"id"`
	Text         string     `json:"text"`
	Truncated    bool       `json:"truncated,omitempty"` // the text is longer; get it by id
	Collection   string     `json:"collection"`
	Project      string     `json:"project"`
	Type         string     `json:"type"`
	Tags         []string   `json:"tags"`
	Confidence   float64    `json:"confidence"`
	Score        float64    `json:"score"`  // 0 to 1: the chance that it answers; comparable over queries and models
	Strong       bool       `json:"strong"` // the score is above StrongAbove
	Reasons      []string   `json:"reasons,omitempty"`
	CreatedAt    time.Time  `json:"created_at"`
	LastAccessed time.Time  `json:"last_accessed"`
	Session      string     `json:"session,omitempty"`
	Position     int        `json:"position,omitempty"`
	SupersededBy *Successor `json:"superseded_by,omitempty"` // what says that this is no longer so
	Why          *Why       `json:"why,omitempty"`           // with Query.Explain
	Question     int        `json:"question,omitempty"`      // with Query.Each and several questions: which one it answers, from 1
}

// RecallResult answers a query. Hits are best first; those of a later question
// come after those of an earlier one.
type RecallResult struct {
	Hits      []Hit  `json:"results"`
	JustBelow []Hit  `json:"just_below,omitempty"` // with Query.Explain: the best that are not among Hits
	BelowBar  int    `json:"below_bar"`            // how many more Text found, but not above MinScore
	Degraded  string `json:"degraded,omitempty"`   // what could not be used, such as the embedding
	// AsOf is set when the answer is what was remembered then, and not now.
	AsOf *time.Time `json:"as_of,omitempty"`
	// TookMillis is the time that each part of the search took, in milliseconds.
	TookMillis map[string]float64 `json:"took_ms,omitempty"`
}

// Clean returns the query with defaults filled in, or an [Invalid] error.
func (q Query) Clean() (Query, error) {
	for _, clean := range []func(*Query) error{(*Query).cleanQuestions, (*Query).cleanPlaces, (*Query).cleanBounds} {
		if err := clean(&q); err != nil {
			return q, err
		}
	}
	return q, nil
}

func (q *Query) cleanQuestions() error {
	questions := q.Questions()
	if len(questions) > MaxQuestions {
		return Errorf(Invalid, "ask again for the others", "%d questions in one query, the limit is %d", len(questions), MaxQuestions)
	}
	for i, text := range questions {
		if err := checkQuery(text); err != nil {
			return err
		}
		questions[i] = strings.TrimSpace(text)
	}
	q.Text, q.Then = questions[0], append([]string(nil), questions[1:]...)
	return nil
}

// cleanPlaces is about where to look, and for what kind of memory.
func (q *Query) cleanPlaces() error {
	q.Project = orDefault(strings.TrimSpace(q.Project), Global)
	if err := CheckName("project", q.Project); err != nil {
		return err
	}
	if len(q.Collections) == 0 {
		q.Collections = Collections()
	}
	for _, c := range q.Collections {
		if !KnownCollection(c) {
			return unknown("collection", c, Collections())
		}
	}
	for _, t := range q.Types {
		if !KnownType(t) {
			return unknown("type", t, Types())
		}
	}
	q.FromSession = strings.TrimSpace(q.FromSession)
	if err := q.cleanFiles(); err != nil {
		return err
	}
	tags, err := CleanTags(q.Tags)
	q.Tags = tags
	return err
}

func (q *Query) cleanFiles() error {
	if len(q.Files) > MaxFiles {
		return Errorf(Invalid, "name the ones that matter", "%d files given, the limit is %d", len(q.Files), MaxFiles)
	}
	names := map[string]string{"session": q.FromSession}
	for _, f := range q.Files {
		names["file"] = f
		if err := checkNames(names); err != nil {
			return err
		}
		if strings.TrimSpace(f) == "" {
			return Errorf(Invalid, "leave it out", "the name of a file is empty")
		}
	}
	return checkNames(names)
}

// cleanBounds is about what of it to answer with.
func (q *Query) cleanBounds() error {
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return Errorf(Invalid, "leave it out for 5", "limit must be 1 to %d, got %d", MaxLimit, q.Limit)
	}
	if v := q.MinScore; v != nil && !(*v >= 0 && *v <= 1) {
		return Errorf(Invalid, "leave it out to get weak answers too, each with its mark", "min_score must be 0 to 1, got %v", *v)
	}
	for _, id := range q.Exclude {
		if err := CheckRef(id); err != nil {
			return err
		}
	}
	return nil
}

// Questions returns what a query asks, in its order: Text and Then.
func (q Query) Questions() []string { return append([]string{q.Text}, q.Then...) }

// Asking returns the query with one text, for what is missing in an answer: a
// memory is found once.
func (q Query) Asking(text string, found []Hit) Query {
	q.Text, q.Then = text, nil
	if !q.Each {
		q.Limit -= len(found)
	}
	q.Exclude = slices.Clone(q.Exclude)
	for _, h := range found {
		q.Exclude = append(q.Exclude, h.ID)
	}
	return q
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

// Projects returns the projects that a cleaned query sees; none means all. A folder
// that is a project of its own, because no repository's remote names it, sees those above it too.
func (q Query) Projects() []string {
	switch {
	case q.AllProjects:
		return nil
	case q.Project == Global:
		return []string{Global}
	default:
		return append(append([]string{q.Project}, foldersAbove(q.Project)...), Global)
	}
}
