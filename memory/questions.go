package memory

import (
	"slices"
	"strings"
	"time"
)

// The bounds of questions that organize checks.
const (
	MaxQuestionBytes = 2000
	MaxExpected      = 20  // memories that may answer one question
	MaxPinned        = 200 // questions of all projects
	// AnswerWithin is how far up a pinned question's answer must be found: a
	// recall shows so many memories unless it is asked for more.
	AnswerWithin = DefaultLimit
)

// PinnedQuestion is a question whose answer no organize run may lose.
type PinnedQuestion struct {
	ID        string    `json:"id"`
	Project   string    `json:"project"`
	Text      string    `json:"text"`
	Expect    []string  `json:"expect"` // ids of the memories that answer it: one of them, or what it was merged into, must be found
	CreatedAt time.Time `json:"created_at"`
	User      string    `json:"user,omitempty"`
}

// Clean returns the question in its normal form, or an [Invalid] error. Its id
// follows from project and text.
func (q PinnedQuestion) Clean() (PinnedQuestion, error) {
	q.Text, q.Project = strings.TrimSpace(q.Text), strings.TrimSpace(q.Project)
	if q.Project == "" {
		q.Project = Global
	}
	if err := CheckText(q.Text, MaxQuestionBytes); err != nil {
		return q, err
	}
	if err := CheckName("project", q.Project); err != nil {
		return q, err
	}
	if len(q.Expect) == 0 || len(q.Expect) > MaxExpected {
		return q, Errorf(Invalid, `name the memories that answer it with --expect ID; "mneme recall" shows ids`,
			"a question takes 1 to %d memories that answer it, got %d", MaxExpected, len(q.Expect))
	}
	for _, id := range q.Expect {
		if err := CheckID(id); err != nil {
			return q, err
		}
	}
	slices.Sort(q.Expect)
	q.Expect = slices.Compact(q.Expect)
	q.ID = NewID(q.Project, "pinned question", q.Text)
	return q, nil
}

// Asked is a question with the candidates that the index has for it now. Of its
// answers one must stay among the first Within.
type Asked struct {
	ID         string // of a pinned question; "" for a recall
	Name       string // how a report calls it, without its words
	Query      Query
	Vector     Vector
	Candidates []Candidate
	Answers    []string
	Within     int
}

// place returns the place, from 1, at which the first of its answers is found; 0
// if none is.
func (a Asked) place(cal Calibration, now time.Time) int {
	q := a.Query
	q.Limit, q.MinScore, q.Explain = max(a.Within, 1), nil, false
	for i, h := range Rank(q, cal, a.Candidates, now).Hits {
		if slices.Contains(a.Answers, h.ID) {
			return i + 1
		}
	}
	return 0
}

// standing returns the question with its candidates as they stand now.
func (a Asked) standing(live func(id string) (confidence float64, there bool)) Asked {
	if live == nil {
		return a
	}
	var now []Candidate
	for _, c := range a.Candidates {
		confidence, there := live(c.ID)
		if c.Confidence = confidence; there {
			now = append(now, c)
		}
	}
	a.Candidates = now
	return a
}

// merged returns the question as it would be after a merge: the survivor in
// place of all, its cosine that of its new vector, its keyword score the best
// that one of them has.
func (a Asked) merged(after Record, gone []string) (then Asked, touched bool) {
	keyword := 0.0
	var rest []Candidate
	for _, c := range a.Candidates {
		if c.ID != after.ID && !slices.Contains(gone, c.ID) {
			rest = append(rest, c)
			continue
		}
		keyword, touched = max(keyword, c.Keyword), true
	}
	if !touched {
		return a, false
	}
	a.Candidates = append(rest, Candidate{
		Memory: after.Memory, Cosine: Cosine(a.Vector, after.Vector), HasCosine: len(a.Vector) > 0, Keyword: keyword,
	})
	answers := slices.DeleteFunc(slices.Clone(a.Answers), func(id string) bool { return slices.Contains(gone, id) })
	if len(answers) < len(a.Answers) {
		answers = append(answers, after.ID)
	}
	a.Answers = answers
	return a, true
}

// LeftOut says that a merge of ids is not done because of the question.
func (a Asked) LeftOut(ids []string) LeftOut {
	return LeftOut{Action: ActionMerge, IDs: ids, Question: a.ID, Why: a.Name + " would lose its answer"}
}

// KeptAnswers says that memories are not expired or pruned because they answer
// pinned questions.
func KeptAnswers(action string, ids []string) LeftOut {
	return LeftOut{Action: action, IDs: ids, Why: "what answers a pinned question is kept"}
}

// Watch holds merges against questions. Each merge that passes changes what the
// next ones are held against.
type Watch struct {
	// Live says how a candidate stands now, where steps are only played. Nil:
	// as it was found.
	Live func(id string) (confidence float64, there bool)

	cal   Calibration
	now   time.Time
	asked []Asked
	known map[string]bool // the ids of all candidates
}

// NewWatch watches over questions. Those that have no answer have none to lose.
func NewWatch(cal Calibration, now time.Time, asked []Asked) *Watch {
	w := &Watch{cal: cal, now: now, asked: asked, known: map[string]bool{}}
	for _, a := range asked {
		for _, c := range a.Candidates {
			w.known[c.ID] = true
		}
	}
	return w
}

// Touches reports whether any question has one of ids among its candidates.
func (w *Watch) Touches(ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return w.known[id] })
}

// Merge returns a question that would lose its answer by a merge, and whether
// there is one. If there is none the merge counts as done.
func (w *Watch) Merge(after Record, gone []string) (lost Asked, loses bool) {
	next := make([]Asked, len(w.asked))
	for i, a := range w.asked {
		before := a
		if w.Touches(gone) || w.known[after.ID] {
			before = a.standing(w.Live)
		}
		then, touched := before.merged(after, gone)
		if touched && then.place(w.cal, w.now) == 0 && before.place(w.cal, w.now) > 0 {
			return a, true
		}
		next[i] = then
	}
	w.asked, w.known[after.ID] = next, w.known[after.ID] || w.Touches(gone)
	return Asked{}, false
}
