package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// The weights of ranking. They were chosen on public data sets of
// conversations, commands, code and bug reports (internal/test/evaluation).
const (
	keywordHalf = 20.0 // BM25 score that is worth half of a perfect cosine
	// A neighbour in the session lends of what it has above a floor: only a
	// turn that is itself a hit says that the next one may be the answer.
	// Without the floor a session would outweigh all else. Chosen in a sweep on
	// the development sets of internal/test/evaluation.
	lendFloor = 0.6
	lendShare = 0.8
	// The share of the query's words that a text has, beside the cosine. It
	// does not depend on the size of the store as BM25 does, whose
	// frequencies mean little among ten memories.
	coverageWeight = 0.5
	// What is known without the query decides only between near equals: all
	// three together move a memory by less than 0.05, where the spread of
	// the evidence within ten hits is 0.3 and more.
	confidenceWeight = 0.02
	importanceWeight = 0.015
	recencyWeight    = 0.01
)

// Evidence is what query and text alone say about a candidate: the cosine,
// and the keyword score pressed into 0 to 1. It needs no look at the other
// candidates, so that those of several collections can be compared.
func Evidence(c Candidate) float64 {
	keyword := max(0, c.Keyword)
	return cosineOf(c) + keyword/(keyword+keywordHalf)
}

func cosineOf(c Candidate) float64 {
	if !c.HasCosine || math.IsNaN(c.Cosine) {
		return 0
	}
	return max(0, c.Cosine)
}

// Lends reports whether a candidate is good enough to lift its neighbours in
// the session. Those of others need not be looked for.
func Lends(c Candidate) bool { return Evidence(c) > lendFloor }

// ranked is a candidate on its way to being a hit.
type ranked struct {
	Candidate
	lent       float64
	similarity float64
	score      float64
	words      []string // of the query, in the text
}

// Rank turns candidates into the answer to a cleaned query, best first.
//
// A hit's score is its [Evidence], what its neighbours in the session lend
// it, and small terms for confidence, importance and recency. Its similarity,
// which must be above q.MinScore, is the calibrated evidence: that of the
// score, or cosine and the share of the query's words that the text has,
// whichever is more. A text that is the query has similarity 1. The bar 0
// lets everything pass. Ties are broken by id, so the order of candidates
// does not matter; of two with one id the better counts.
func Rank(q Query, cal Calibration, candidates []Candidate, now time.Time) RecallResult {
	bar := DefaultMinScore
	if q.MinScore != nil {
		bar = *q.MinScore
	}
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	all := evaluate(q, cal, candidates, now)
	slices.SortFunc(all, func(a, b *ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.ID, b.ID))
	})
	res := RecallResult{Hits: []Hit{}}
	seen := make(map[string]bool, len(all))
	for _, r := range all {
		if seen[r.ID] {
			continue
		}
		seen[r.ID] = true
		switch {
		case bar > 0 && r.similarity <= bar:
			res.BelowBar++
		case len(res.Hits) < limit:
			res.Hits = append(res.Hits, r.hit())
		}
	}
	return res
}

func evaluate(q Query, cal Calibration, candidates []Candidate, now time.Time) []*ranked {
	excluded := make(map[string]bool, len(q.Exclude))
	for _, id := range q.Exclude {
		excluded[id] = true
	}
	lend := lending(candidates, excluded)
	asked, normal := askedIn(q.Text), strings.Fields(q.Text)
	all := make([]*ranked, 0, len(candidates)) // pointers, because sorting moves them
	for _, c := range candidates {
		if excluded[c.ID] {
			continue
		}
		r := &ranked{Candidate: c}
		if c.Session != "" && c.Position > 0 {
			r.lent = lend[placeOf(c, -1)] + lend[placeOf(c, +1)]
		}
		share := 0.0
		if c.Keyword > 0 || !c.HasCosine {
			r.words = asked.in(c.Text)
			share = asked.share(len(r.words))
		}
		evidence := Evidence(c) + r.lent
		r.similarity = similarityOf(c, cal, evidence, r.lent, share)
		if normalizesTo(c.Text, normal) {
			r.similarity = 1
		}
		r.score = evidence + prior(c.Memory, now)
		all = append(all, r)
	}
	return all
}

// similarityOf puts the evidence for a candidate on the product's scale.
func similarityOf(c Candidate, cal Calibration, evidence, lent, share float64) float64 {
	if !c.HasCosine {
		// A script the model does not know: the words must carry it alone.
		return min(1, max(along(cal.Recall, evidence), share*0.95))
	}
	cosine := cosineOf(c)
	// A long query shares some words with every text: what they are worth for
	// the bar depends on how much of the query they are.
	keyword := evidence - cosine - lent
	best := max(cosine+lent+keyword*min(1, 2*share), cosine+coverageWeight*share)
	return min(1, max(along(cal.Recall, best), cosine))
}

// prior is what is known of a memory before the query.
func prior(m Memory, now time.Time) float64 {
	unused := max(0, now.Sub(m.LastAccessed))
	return confidenceWeight*m.Confidence + importanceWeight*m.Importance + recencyWeight*Decay(1, unused)
}

// place is where in a session something was said.
type place struct {
	collection, project, session string
	position                     int
}

func placeOf(c Candidate, offset int) place {
	return place{c.Collection, c.Project, c.Session, c.Position + offset}
}

// lending returns what the memory at each place lends to its neighbours.
func lending(candidates []Candidate, excluded map[string]bool) map[place]float64 {
	lend := make(map[place]float64)
	for _, c := range candidates {
		if c.Session == "" || c.Position < 1 || excluded[c.ID] {
			continue
		}
		if share := lendShare * (Evidence(c) - lendFloor); share > lend[placeOf(c, 0)] {
			lend[placeOf(c, 0)] = share
		}
	}
	return lend
}

func (r *ranked) hit() Hit {
	return Hit{
		ID: r.ID, Text: r.Text, Collection: r.Collection, Project: r.Project, Type: r.Type, Tags: r.Tags,
		Confidence: r.Confidence, Similarity: r.similarity, Score: r.score, Reasons: r.reasons(),
		CreatedAt: r.CreatedAt, LastAccessed: r.LastAccessed, Session: r.Session, Position: r.Position,
	}
}

// reasons says in a few words why a hit is one.
func (r *ranked) reasons() []string {
	const mostWords = 6
	reasons := []string{fmt.Sprintf("similarity %.2f", r.similarity)}
	if len(r.words) > 0 {
		reasons = append(reasons, "keywords: "+strings.Join(r.words[:min(mostWords, len(r.words))], ", "))
	}
	if r.lent > 0 {
		reasons = append(reasons, "next to a hit in the same session")
	}
	switch {
	case r.AccessCount == 1:
		reasons = append(reasons, "recalled once")
	case r.AccessCount > 1:
		reasons = append(reasons, fmt.Sprintf("recalled %d times", r.AccessCount))
	}
	if r.Pinned {
		reasons = append(reasons, "pinned")
	}
	return reasons
}
