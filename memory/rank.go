package memory

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
)

// The weights of ranking: one set for all kinds of texts, chosen in sweeps
// over public data sets of conversations, commands, code and bug reports
// (docs/evaluation.md).
const (
	cosineWeight = 0.7
	keywordHalf  = 40.0 // BM25 score that is worth half of the most that words can give
	keywordAlone = 0.8  // part of the keyword score that counts however little of the query the text has
	coverWeight  = 0.14 // for having all words of the query
	suitsWeight  = 0.12 // for being what the form of the question asks for: steps, a number, a reason
	timelyWeight = 0.05 // for being of the time that the question names
)

// Lending within a session: an answer often stands beside what the question
// is like. What a memory has above the floor, which is the evidence of the
// query's LendingRank-th best candidate, it lends to its neighbours; and the
// best of a session lift all of it.
const (
	LendingRank  = 20 // candidates behind this lend nothing
	LendingReach = 2  // places in the session
	lendNext     = 0.5
	lendSecond   = 0.5
	lendSession  = 0.4
	lenders      = 3 // of a session that lift all of it
)

// What is known without the query decides only between near equals.
const (
	confidenceWeight = 0.02
	importanceWeight = 0.015
	recencyWeight    = 0.01
	priorOfMost      = 0.025 // what all three add for a common memory
)

// Evidence is what cosine and keyword score alone say about a candidate.
// [Rank] adds what the words themselves tell; an index picks by it those whose
// neighbours it has to fetch.
func Evidence(c Candidate) float64 {
	keyword := max(0, c.Keyword)
	return cosineWeight*cosineOf(c) + keyword/(keyword+keywordHalf)
}

func cosineOf(c Candidate) float64 {
	if !c.HasCosine || math.IsNaN(c.Cosine) {
		return 0
	}
	return max(0, c.Cosine)
}

// ranked is a candidate on its way to being a hit.
type ranked struct {
	Candidate
	cover    cover   // of the query's words
	share    float64 // of the query's words, by weight
	evidence float64
	lent     float64
	score    float64
	chance   float64 // 0 to 1, that it answers
	by       *Successor
	exact    bool // the text is the query, or holds the identifier that is the query
}

// Rank turns candidates into the answer to a cleaned query, best first.
//
// The order is that of the evidence (cosine, keyword score, the share of the
// query's words, whether the memory is of the kind and time that the question
// asks for), of what its session lends to a candidate, and of small terms for
// confidence, importance and age. A hit's score is the chance that it answers;
// see [Calibration]. It never rises from one hit to the next, and a text that
// is the query has 1. Ties are broken by id, so the order of candidates does
// not matter; of two with one id the better counts.
func Rank(q Query, cal Calibration, candidates []Candidate, now time.Time) RecallResult {
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	all, words := inOrder(q, candidates, now)
	estimate(all, cal, cal.Knows(LanguageOf(q.Text)))
	succeed(all, limit)
	hit := func(r *ranked) Hit {
		if q.Explain {
			return r.explained(words, len(all), now)
		}
		return r.hit(words)
	}
	res := RecallResult{Hits: []Hit{}}
	for _, r := range all {
		below := q.MinScore != nil && *q.MinScore > 0 && r.chance <= *q.MinScore
		if below {
			res.BelowBar++
		}
		switch {
		case !below && len(res.Hits) < limit:
			res.Hits = append(res.Hits, hit(r))
		case q.Explain && len(res.JustBelow) < JustBelow:
			res.JustBelow = append(res.JustBelow, hit(r))
		}
	}
	return res
}

// inOrder scores the candidates, best first and each id once.
func inOrder(q Query, candidates []Candidate, now time.Time) ([]*ranked, *asked) {
	all, words := weighed(q, candidates, now)
	lend(all)
	for _, r := range all {
		r.score = r.evidence + r.lent + prior(r.Memory, now)
	}
	slices.SortFunc(all, func(a, b *ranked) int {
		return cmp.Or(cmp.Compare(one(b.exact), one(a.exact)), cmp.Compare(b.score, a.score), cmp.Compare(a.ID, b.ID))
	})
	return all, words
}

// weighed gives each candidate that may be answered with its evidence.
func weighed(q Query, candidates []Candidate, now time.Time) ([]*ranked, *asked) {
	all := once(q, candidates)
	words, wanted, normal := askedIn(q.Text), wantedBy(q.Text), strings.Fields(q.Text)
	covers := words.weigh(textsOf(all))
	for i, r := range all {
		r.cover, r.share = covers[i], words.share(covers[i])
		keyword := max(0, r.Keyword) / (max(0, r.Keyword) + keywordHalf)
		r.evidence = cosineWeight*cosineOf(r.Candidate) + keyword*(keywordAlone+(1-keywordAlone)*r.share) +
			coverWeight*r.share + suitsWeight*wanted.suits(r.Memory) + timelyWeight*wanted.timely(r.Memory, now)
		r.exact = normalizesTo(r.Text, normal) || holdsIdentifier(r.Text, normal)
	}
	return all, words
}

// once returns the candidates that are not excluded; of two with one id the
// one with more evidence.
func once(q Query, candidates []Candidate) []*ranked {
	place := make(map[string]*ranked, len(candidates)+len(q.Exclude))
	for _, id := range q.Exclude {
		place[id] = nil
	}
	all := make([]*ranked, 0, len(candidates)) // pointers, because sorting moves them
	for _, c := range candidates {
		known, there := place[c.ID]
		switch {
		case !there:
			r := &ranked{Candidate: c}
			place[c.ID] = r
			all = append(all, r)
		case known != nil && Evidence(c) > Evidence(known.Candidate):
			known.Candidate = c
		}
	}
	return all
}

func textsOf(all []*ranked) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, r := range all {
			if !yield(r.Text) {
				return
			}
		}
	}
}

// prior is what is known of a memory before the query. Earlier recalls do not
// count: what is shown often is not better for it.
func prior(m Memory, now time.Time) float64 {
	age := max(0, now.Sub(m.CreatedAt))
	return confidenceWeight*m.Confidence + importanceWeight*m.Importance + recencyWeight*Decay(1, age)
}

// sitting is a session of one project in one collection.
type sitting struct{ collection, project, session string }

func (r *ranked) sitting() sitting { return sitting{r.Collection, r.Project, r.Session} }

// lend lifts what stands near good candidates in its session.
func lend(all []*ranked) {
	floor := floorOf(all)
	above := make(map[sitting]map[int]float64)
	for _, r := range all {
		if x := r.evidence - floor; x > 0 && r.Session != "" && r.Position > 0 {
			at := above[r.sitting()]
			if at == nil {
				at = make(map[int]float64)
				above[r.sitting()] = at
			}
			at[r.Position] = max(at[r.Position], x)
		}
	}
	best := make(map[sitting]float64, len(above))
	for s, at := range above {
		best[s] = largest(at, lenders)
	}
	for _, r := range all {
		if at := above[r.sitting()]; at != nil && r.Position > 0 {
			p := r.Position
			r.lent = lendNext*(at[p-1]+at[p+1]) + lendSecond*(at[p-2]+at[p+2]) + lendSession*best[r.sitting()]
		}
	}
}

// floorOf is the evidence that a candidate must surpass to lend.
func floorOf(all []*ranked) float64 {
	if len(all) == 0 {
		return 0
	}
	evidence := make([]float64, len(all))
	for i, r := range all {
		evidence[i] = r.evidence
	}
	slices.Sort(evidence)
	return evidence[max(0, len(evidence)-LendingRank)]
}

// largest adds up the n largest values.
func largest(values map[int]float64, n int) float64 {
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		sorted = append(sorted, v)
	}
	slices.Sort(sorted)
	sum := 0.0
	for _, v := range sorted[max(0, len(sorted)-n):] {
		sum += v
	}
	return sum
}

// PinnedHit is a memory that is answered with because it is pinned or weighty, whatever was asked.
func PinnedHit(m Memory) Hit {
	reason := "pinned"
	if !m.Pinned {
		reason = "important"
	}
	return Hit{
		ID: m.ID, Text: m.Text, Collection: m.Collection, Project: m.Project, Type: m.Type, Tags: m.Tags,
		Confidence: m.Confidence, Score: 1, Strong: true, Reasons: []string{reason},
		CreatedAt: m.CreatedAt, LastAccessed: m.LastAccessed, Session: m.Session, Position: m.Position,
	}
}

func (r *ranked) hit(words *asked) Hit {
	return Hit{
		ID: r.ID, Text: r.Text, Collection: r.Collection, Project: r.Project, Type: r.Type, Tags: r.Tags,
		Confidence: r.Confidence, Score: r.chance, Strong: r.chance > StrongAbove, Reasons: r.reasons(words),
		CreatedAt: r.CreatedAt, LastAccessed: r.LastAccessed, Session: r.Session, Position: r.Position, SupersededBy: r.by,
	}
}

// hitOf is a hit that was not found by itself.
func hitOf(m Memory) Hit {
	return Hit{
		ID: m.ID, Text: m.Text, Collection: m.Collection, Project: m.Project, Type: m.Type, Tags: m.Tags, Confidence: m.Confidence,
		CreatedAt: m.CreatedAt, LastAccessed: m.LastAccessed, Session: m.Session, Position: m.Position,
	}
}

// reasons says in a few words why a hit is one.
func (r *ranked) reasons(words *asked) []string {
	const mostWords = 6
	var reasons []string
	if cosine := cosineOf(r.Candidate); cosine > 0 {
		reasons = append(reasons, fmt.Sprintf("cosine %.2f", cosine))
	}
	if has := words.in(r.cover); len(has) > 0 {
		reasons = append(reasons, "keywords: "+strings.Join(has[:min(mostWords, len(has))], ", "))
	}
	if r.lent > 0 {
		reasons = append(reasons, "near other hits in its session")
	}
	if r.Pinned {
		reasons = append(reasons, "pinned")
	}
	return reasons
}
