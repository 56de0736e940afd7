package conversation

import (
	"slices"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// The bounds and defaults of a search.
const (
	MaxLimit     = 50
	DefaultLimit = 5

	// DefaultRecency is how much the age of a message counts by default: one that
	// is very old counts a tenth less than one of today.
	DefaultRecency = 0.1
)

// Query asks for messages about a subject. A query searches one project unless
// AllProjects is set, so that conversations stay within their project.
type Query struct {
	Text        string     `json:"query"`
	Project     string     `json:"project,omitempty"`
	AllProjects bool       `json:"all_projects,omitempty"`
	Session     string     `json:"session,omitempty"`
	Roles       []Role     `json:"roles,omitempty"`     // any of them; none means all
	Since       *time.Time `json:"since,omitempty"`     // said at or after
	Before      *time.Time `json:"before,omitempty"`    // said before
	Limit       int        `json:"limit,omitempty"`     // 1 to MaxLimit; 0 means DefaultLimit
	MinScore    float64    `json:"min_score,omitempty"` // leave out what does not score above this
	Recency     *float64   `json:"recency,omitempty"`   // 0 to 1, how much age counts; nil means DefaultRecency
}

// Clean returns the query with defaults filled in and without secrets, or an
// error that is [memory.Invalid].
func (q Query) Clean(r memory.Redactor) (Query, error) {
	q.Text, _ = r.Redact(strings.TrimSpace(q.Text))
	q.Project, _ = r.Redact(strings.TrimSpace(q.Project))
	q.Session, _ = r.Redact(strings.TrimSpace(q.Session))
	if q.Text == "" {
		return q, memory.Errorf(memory.Invalid, "ask in a few plain words", "the query is empty")
	}
	if err := memory.CheckText(q.Text, memory.MaxQueryBytes); err != nil {
		return q, err
	}
	if err := cleanScope(&q.Project, q.AllProjects, q.Session); err != nil {
		return q, err
	}
	for _, role := range q.Roles {
		if !knownRole(role) {
			return q, memory.Errorf(memory.Invalid, "use one of user, assistant, tool, thinking", "there is no role %q", memory.Clip(string(role), 40))
		}
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Recency == nil {
		usual := DefaultRecency
		q.Recency = &usual
	}
	switch {
	case q.Limit < 1 || q.Limit > MaxLimit:
		return q, memory.Errorf(memory.Invalid, "leave it out for 5", "limit must be 1 to %d, got %d", MaxLimit, q.Limit)
	case !(q.MinScore >= 0 && q.MinScore <= 1):
		return q, memory.Errorf(memory.Invalid, "leave it out to get weak answers too", "min_score must be 0 to 1, got %v", q.MinScore)
	case !(*q.Recency >= 0 && *q.Recency <= 1):
		return q, memory.Errorf(memory.Invalid, "leave it out for 0.1", "recency must be 0 to 1, got %v", *q.Recency)
	}
	return q, nil
}

// cleanScope checks of which projects and session something is asked.
func cleanScope(project *string, all bool, session string) error {
	if err := memory.CheckName("project", *project); err != nil {
		return err
	}
	if err := memory.CheckName("session", session); err != nil {
		return err
	}
	if *project == "" && !all {
		*project = memory.Global
	}
	if all {
		*project = ""
	}
	return nil
}

// Search is a query in the words of an index.
type Search struct {
	Text    string
	Vector  memory.Vector // nil: words must do
	Project string        // "" means all
	Session string
	Roles   []Role
	Since   *time.Time
	Before  *time.Time
	Limit   int
}

// Candidate is a passage that an index found, without its text.
type Candidate struct {
	ID        string // of the message
	Part      int
	From      int // see Passage
	Runes     int
	Cosine    float64
	HasCosine bool
	Keyword   float64
}

// Found is a candidate with what the ledger knows of it.
type Found struct {
	Candidate
	Said Message // its text is the passage's
}

// Hit is a message that answers a query.
type Hit struct {
	Message
	Score float64 `json:"score"` // 0 to 1: the chance that the passage answers, as with memories
}

// Result answers a query; hits are best first.
type Result struct {
	Hits     []Hit  `json:"results"`
	BelowBar int    `json:"below_bar"`          // how many more were found, and do not score above MinScore
	Degraded string `json:"degraded,omitempty"` // what could not be used
}

// halfLife is the age at which half of what recency can take is taken.
const halfLife = 30 * 24 * time.Hour

// Rank makes the answer to a cleaned query of what was found. A message is
// answered once, with its best passage. The score is that of memories, see
// [memory.Rank]; the order is that of the scores, each less by how old the
// message is, see Query.Recency.
func Rank(q Query, cal memory.Calibration, found []Found, now time.Time) Result {
	candidates := make([]memory.Candidate, len(found))
	byID := make(map[string]Message, len(found))
	for i, f := range found {
		id := passageKey(f)
		byID[id] = f.Said
		candidates[i] = memory.Candidate{
			Memory: memory.Memory{ID: id, Text: f.Said.Text, Project: f.Said.Project, CreatedAt: f.Said.At, State: memory.Live, Type: memory.TypeNote},
			Cosine: f.Cosine, HasCosine: f.HasCosine, Keyword: f.Keyword,
		}
	}
	ranked := memory.Rank(memory.Query{Text: q.Text, Limit: max(1, len(candidates))}, cal, candidates, now)
	res := Result{Hits: []Hit{}}
	seen := map[string]bool{}
	for _, h := range ranked.Hits {
		m := byID[h.ID]
		if seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		if q.MinScore > 0 && h.Score <= q.MinScore {
			res.BelowBar++
			continue
		}
		res.Hits = append(res.Hits, Hit{Message: m, Score: h.Score})
	}
	slices.SortStableFunc(res.Hits, func(a, b Hit) int {
		switch x, y := q.weight(a, now), q.weight(b, now); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	res.Hits = res.Hits[:min(q.Limit, len(res.Hits))]
	return res
}

func passageKey(f Found) string {
	return PassageID(f.ID, f.Part, f.From)
}

// weight is a hit's score, less by its age.
func (q Query) weight(h Hit, now time.Time) float64 {
	recency := DefaultRecency
	if q.Recency != nil {
		recency = *q.Recency
	}
	age := max(0, now.Sub(h.At))
	return h.Score * (1 - recency*float64(age)/float64(age+halfLife))
}
