package qdrant

import (
	"math"
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
)

// defaultK is Qdrant's, and not the 60 of the literature.
const defaultK = 2

// fuse merges the lists of the prefetches. A threshold on a fusion lets the
// score that equals it through.
func (c *collection) fuse(s stage, lists [][]scored) ([]scored, error) {
	if len(lists) == 0 {
		return nil, wrongInput("Validation failed: cannot apply Fusion without prefetches")
	}
	if s.using != "" {
		return nil, invalid("Bad request: Fusion queries cannot be combined with the 'using' field.")
	}
	k, weights, err := rrfParams(s.query.GetRrf(), len(lists))
	if err != nil {
		return nil, err
	}
	give := func(list, rank int) float32 { return reciprocal(rank, k, weights[list]) }
	if f, ok := s.query.GetVariant().(*pb.Query_Fusion); ok && f.Fusion == pb.Fusion_DBSF {
		scaled := make([][]float32, len(lists))
		for i, list := range lists {
			scaled[i] = distributed(list)
		}
		give = func(list, rank int) float32 { return scaled[list][rank] }
	}
	sums := map[uint32]*scored{}
	for i, list := range lists {
		for rank, h := range list {
			if sums[h.row] == nil {
				h.score = 0
				sums[h.row] = &h
			}
			sums[h.row].score += give(i, rank)
		}
	}
	best := newRanking(s.limit, nil, c.ids)
	for _, h := range sums {
		if s.threshold == nil || h.score >= *s.threshold {
			best.offer(h.row, h.score)
		}
	}
	out := make([]scored, 0, len(best.hits))
	for _, h := range best.sorted() {
		out = append(out, *sums[h.row])
	}
	return out, nil
}

func rrfParams(r *pb.Rrf, lists int) (float32, []float32, error) {
	k := float32(defaultK)
	if r != nil && r.K != nil {
		if r.GetK() == 0 {
			return 0, nil, invalid("Validation error in body: [query.variant.k: value 0 invalid, must be 1 or larger]")
		}
		k = float32(r.GetK())
	}
	weights := r.GetWeights()
	if len(weights) == 0 {
		return k, slices.Repeat([]float32{1}, lists), nil
	}
	if len(weights) != lists {
		return 0, nil, wrongInput("Validation failed: RRF weights length (%d) does not match number of prefetches (%d)", len(weights), lists)
	}
	return k, weights, nil
}

// reciprocal is what a rank, counted from 0, is worth: the weight divides the
// rank, and one of nothing is worth nothing.
func reciprocal(rank int, k, weight float32) float32 {
	if weight <= 0 {
		return 0
	}
	return 1 / ((float32(rank)+1)/weight + k - 1)
}

// distributed scales scores so that mean ± 3 sample deviations become 0 and 1.
func distributed(list []scored) []float32 {
	out := make([]float32, len(list))
	var sum, squares float64
	for _, h := range list {
		sum += float64(h.score)
	}
	mean := sum / float64(len(list))
	for _, h := range list {
		squares += (float64(h.score) - mean) * (float64(h.score) - mean)
	}
	deviation := math.Sqrt(squares / float64(len(list)-1))
	for i, h := range list {
		out[i] = 0.5
		if len(list) > 1 && deviation > 0 {
			out[i] = float32((float64(h.score) - (mean - 3*deviation)) / (6 * deviation))
		}
	}
	return out
}
