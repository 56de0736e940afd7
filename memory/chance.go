package memory

import (
	"math"
	"slices"
	"time"
)

// StrongAbove is the line between a strong answer and a weak one, on the
// scale of a [Hit]'s score: the chance that the memory answers.
const StrongAbove = 0.7

// decidingShare is the share of the query's words that a text must have to be
// a strong answer where the model cannot tell: it does not know the language,
// or there is no vector.
const decidingShare = 0.1

// Chance are the weights of a logistic regression that tells from where a
// candidate stands among all candidates of its query whether it answers. The
// cosine alone tells little: see docs/evaluation.md.
type Chance struct {
	Intercept float64 `json:"intercept"`
	Second    float64 `json:"second"`
	Sixth     float64 `json:"sixth"`
}

// Lead is where a candidate stands among those of its query.
type Lead struct {
	ID     string
	Second float64 // root of its lead over the second; minus the root of what it is behind the first
	Sixth  float64 // root of its lead over the sixth
}

// Of returns the chance, 0 to 1, that a candidate which stands there answers.
func (c Chance) Of(s Lead) float64 {
	return 1 / (1 + math.Exp(-(c.Intercept + c.Second*s.Second + c.Sixth*s.Sixth)))
}

// Leads returns where the candidates of a query stand, best first, in the order
// in which [Rank] answers with them. A [Chance] is fitted on them.
func Leads(q Query, cal Calibration, candidates []Candidate, now time.Time) []Lead {
	all, _ := inOrder(q, candidates, now)
	return leads(all, cal)
}

func leads(all []*ranked, cal Calibration) []Lead {
	if len(all) == 0 {
		return nil
	}
	field := cal.Background.scores(leastField - len(all))
	for _, r := range all {
		field = append(field, r.score)
	}
	slices.Sort(field)
	slices.Reverse(field)
	sixth := field[min(5, len(field)-1)]
	out := make([]Lead, len(all))
	for i, r := range all {
		lead := r.score - all[0].score
		if i == 0 {
			lead = r.score - field[1] // below 0 when an imagined one is first
		}
		out[i] = Lead{
			ID:     r.ID,
			Second: math.Copysign(math.Sqrt(math.Abs(lead)), lead),
			Sixth:  math.Sqrt(max(0, r.score-sixth)),
		}
	}
	return out
}

// leastField is how many candidates are enough to tell what stands out.
const leastField = 10

// scores are those of imagined candidates that have nothing to do with a
// query, at most leastField. They stand among the real ones where a query
// finds too few.
func (b Background) scores(missing int) []float64 {
	var out []float64
	for _, deviation := range []float64{0, 0.7, -0.7, 1.3, -1.3, 0.3, -0.3, 1, -1, 0}[:min(leastField, max(0, missing))] {
		out = append(out, cosineWeight*max(0, b.Mean+deviation*b.Spread)+priorOfMost)
	}
	return out
}

// estimate gives each candidate, which are in order, its chance to answer. It
// never rises from one to the next, but for those whose text is the query.
func estimate(all []*ranked, cal Calibration, known bool) {
	most := 1.0
	for i, s := range leads(all, cal) {
		r := all[i]
		chance := min(most, cal.Chance.Of(s))
		if (!known || !r.HasCosine) && r.share < decidingShare {
			chance = min(chance, StrongAbove)
		}
		if r.exact {
			r.chance = 1
			continue
		}
		r.chance, most = chance, chance
	}
}
