package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// The weights that tell from what a memory has in common with the work at hand whether it
// fits. They were fitted on the session starts of the scenarios (docs/evaluation.md).
const (
	fitShare     = 0.3 // for having all words of one description
	fitSecond    = 0.3 // part of the second best description that counts beside the best
	fitIntercept = -3.6
	fitSlope     = 7.9
)

// WeightyFrom is the importance from which on a memory of one of [WeightyTypes] is shown when
// a session starts, whatever the work is.
const WeightyFrom = 0.8

// WeightyAtMost is how many memories are answered with for their importance alone: with more
// there would be no place for what fits the work.
const WeightyAtMost = 2

// WeightyTypes are the types that bind the work in a project when they are important:
// preferences, decisions and errors.
func WeightyTypes() []string { return []string{TypePreference, TypeDecision, TypeError} }

// ComparePinned sorts pinned memories first.
func ComparePinned(a, b Memory) int { return cmp.Compare(one(b.Pinned), one(a.Pinned)) }

// A Fit is a memory and how far it stands out for one description of the work at hand.
type Fit struct {
	Hit Hit
	Out float64 // 0 for one of the field, about 1 for what stands out as much as can be
}

// Fits returns how far each candidate stands out for one description of the work at hand,
// which is the query's text: the name of a branch, what a commit says, the names of files.
//
// A question has one answer, and [Rank] asks how far the best one leads. Work has many
// memories that fit it, so that here a candidate only has to stand out of the field of
// those that have nothing to do with the text. Where the text is an identifier, such as a
// ticket's number, only what holds it fits.
func Fits(q Query, cal Calibration, candidates []Candidate, now time.Time) []Fit {
	all, words := inOrder(q, candidates, now)
	normal := strings.Fields(q.Text)
	only := len(normal) == 1 && identifier(normal[0])
	var out []Fit
	for i, lead := range leads(all, cal) {
		r := all[i]
		if only && !r.exact {
			continue
		}
		out = append(out, Fit{Hit: r.hit(words), Out: lead.Sixth + fitShare*r.share})
	}
	return out
}

// Together returns the answer to a query whose texts all describe one piece of work: each
// memory once, what fits best first, with the chance that it fits as its score. What is in
// found already is not answered with again. Of equals the newer memory comes first.
func Together(q Query, fits [][]Fit, found []Hit) RecallResult {
	best := make(map[string][2]Fit)
	for _, one := range fits {
		for _, f := range one {
			b, known := best[f.Hit.ID]
			switch {
			case !known || f.Out > b[0].Out:
				b[0], b[1] = f, b[0]
			case f.Out > b[1].Out:
				b[1] = f
			}
			best[f.Hit.ID] = b
		}
	}
	for _, h := range found {
		delete(best, h.ID)
	}
	hits := make([]Hit, 0, len(best))
	for _, b := range best {
		h := b[0].Hit
		h.Score = 1 / (1 + math.Exp(-(fitIntercept + fitSlope*(b[0].Out+fitSecond*b[1].Out))))
		h.Strong = h.Score > StrongAbove
		h.Reasons = append(h.Reasons, fmt.Sprintf("fits the work %.2f", h.Score))
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	res := RecallResult{Hits: []Hit{}}
	for _, h := range hits {
		switch {
		case q.MinScore != nil && *q.MinScore > 0 && h.Score <= *q.MinScore:
			res.BelowBar++
		case len(res.Hits) < q.Limit-len(found):
			res.Hits = append(res.Hits, h)
		}
	}
	return res
}
