package qdrant

import (
	"math"
	"slices"
)

// A hit is a row and its score; more is better.
type hit struct {
	row   uint32
	score float32
}

// A ranking keeps the best hits it is offered: a heap, the worst on top.
// Rows of equal score are ranked by id, so that answers do not depend on the
// order in which points came.
type ranking struct {
	limit  int
	floor  float32 // offers must be above
	strict bool    // there is a floor
	ids    []pointID
	hits   []hit
}

// newRanking keeps at most limit hits above the threshold, if there is one.
func newRanking(limit int, threshold *float32, ids []pointID) *ranking {
	r := &ranking{limit: limit, ids: ids}
	if threshold != nil {
		r.floor, r.strict = *threshold, true
	}
	return r
}

// empty is another ranking by the same rules.
func (r *ranking) empty() *ranking {
	return &ranking{limit: r.limit, floor: r.floor, strict: r.strict, ids: r.ids}
}

// beats ranks NaN first, as Qdrant does.
func (r *ranking) beats(a, b hit) bool {
	if a.score != b.score {
		aNaN, bNaN := isNaN(a.score), isNaN(b.score)
		if aNaN != bNaN {
			return aNaN
		}
		if !aNaN {
			return a.score > b.score
		}
	}
	return compareIDs(r.ids[a.row], r.ids[b.row]) < 0
}

func isNaN(x float32) bool { return math.IsNaN(float64(x)) }

// offer takes a hit if it is among the best so far.
func (r *ranking) offer(row uint32, score float32) {
	if len(r.hits) == r.limit && len(r.hits) > 0 && score < r.hits[0].score {
		return // by far the most frequent case
	}
	r.consider(hit{row, score})
}

func (r *ranking) consider(h hit) {
	if r.strict && !(h.score > r.floor) && !isNaN(h.score) || r.limit == 0 {
		return
	}
	if len(r.hits) < r.limit {
		r.hits = append(r.hits, h)
		r.up(len(r.hits) - 1)
		return
	}
	if r.beats(h, r.hits[0]) {
		r.hits[0] = h
		r.down(0)
	}
}

func (r *ranking) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !r.beats(r.hits[parent], r.hits[i]) {
			return
		}
		r.hits[parent], r.hits[i] = r.hits[i], r.hits[parent]
		i = parent
	}
}

func (r *ranking) down(i int) {
	for {
		worst := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(r.hits) && r.beats(r.hits[worst], r.hits[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		r.hits[worst], r.hits[i] = r.hits[i], r.hits[worst]
		i = worst
	}
}

// sorted returns the hits, best first. The ranking is used up.
func (r *ranking) sorted() []hit {
	slices.SortFunc(r.hits, func(a, b hit) int {
		if r.beats(a, b) {
			return -1
		}
		return 1
	})
	return r.hits
}
