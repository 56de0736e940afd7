package qdrant

import (
	"math"
	"sync"

	pb "github.com/qdrant/go-client/qdrant"
	"github.com/viterin/vek/vek32"
)

const (
	// chunkFloats bounds one piece of a table: pieces grow without copying
	// what is there, and are long enough to be read at memory speed.
	chunkFloats = 1 << 20

	// parallelFloats is the size of a scan from which a second core pays for
	// the handing over (about a millisecond of work for one).
	parallelFloats = 4 << 20

	// scanners is how many goroutines share a large scan.
	scanners = 2
)

// A denseTable holds the vectors of one name, row by row, in large pieces.
type denseTable struct {
	dim      int
	distance pb.Distance
	shift    int // rows per chunk as a power of two
	chunks   [][]float32
	present  bitset
	n        int // vectors present
}

func newDenseTable(dim int, distance pb.Distance) *denseTable {
	t := &denseTable{dim: dim, distance: distance}
	for dim > 0 && dim<<(t.shift+1) <= chunkFloats {
		t.shift++
	}
	return t
}

// row is the vector of a row, which must be present.
func (t *denseTable) row(row uint32) []float32 {
	chunk := t.chunks[row>>t.shift]
	start := int(row&(1<<t.shift-1)) * t.dim
	return chunk[start : start+t.dim : start+t.dim]
}

func (t *denseTable) put(row uint32, v []float32) {
	chunk, start := int(row>>t.shift), int(row&(1<<t.shift-1))*t.dim
	for chunk >= len(t.chunks) {
		t.chunks = append(t.chunks, nil)
	}
	if short := start + t.dim - len(t.chunks[chunk]); short > 0 {
		t.chunks[chunk] = append(t.chunks[chunk], make([]float32, short)...)
	}
	copy(t.chunks[chunk][start:], v)
	if !t.present.has(row) {
		t.present.add(row)
		t.n++
	}
}

func (t *denseTable) remove(row uint32) {
	if t.present.has(row) {
		t.present.remove(row)
		t.n--
	}
}

// get is the vector of a row, or nil.
func (t *denseTable) get(row uint32) []float32 {
	if !t.present.has(row) {
		return nil
	}
	return t.row(row)
}

// normalise gives a cosine vector the length one, as it is written and as it
// is asked for. Too short ones and those of almost that length stay.
func normalise(v []float32) []float32 {
	var square float32
	for _, x := range v {
		square += x * x
	}
	const epsilon = 1.1920929e-07
	if square < epsilon || abs32(square-1) <= 1e-6 {
		return v
	}
	length := float32(math.Sqrt(float64(square)))
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = x / length
	}
	return out
}

func abs32(x float32) float32 { return float32(math.Abs(float64(x))) }

// smallerIsBetter tells a distance from a similarity.
func smallerIsBetter(d pb.Distance) bool {
	return d == pb.Distance_Euclid || d == pb.Distance_Manhattan
}

// score compares two vectors; more is better, so distances are negative.
func score(d pb.Distance, a, b []float32) float32 {
	switch d {
	case pb.Distance_Euclid:
		return -euclid(a, b)
	case pb.Distance_Manhattan:
		return -vek32.ManhattanDistance(a, b)
	default:
		return vek32.Dot(a, b)
	}
}

// euclid is the distance of two points. The root must be exact, because a threshold may
// be: on some processors vek32's is not.
func euclid(a, b []float32) float32 {
	var square float32
	for i, x := range a {
		d := x - b[i]
		square += d * d
	}
	return float32(math.Sqrt(float64(square)))
}

// fewOf is the part of a table below which its rows are taken one by one
// rather than met on the way through.
const fewOf = 16

// search collects the best rows among those allowed; nil allows all. A scan
// of a large table is shared by two goroutines.
func (t *denseTable) search(query []float32, allowed bitset, best *ranking) {
	n := t.n
	if allowed != nil {
		n = allowed.count()
	}
	switch {
	case n*fewOf < t.n:
		t.searchSome(query, allowed, best)
	case n*t.dim >= parallelFloats && len(t.chunks) >= scanners:
		t.searchShared(query, allowed, best)
	default:
		for i := range t.chunks {
			t.searchChunk(query, i, allowed, best)
		}
	}
}

// searchShared gives each goroutine every second chunk.
func (t *denseTable) searchShared(query []float32, allowed bitset, best *ranking) {
	parts := make([]*ranking, scanners)
	var wg sync.WaitGroup
	for i := range parts {
		parts[i] = best.empty()
		wg.Go(func() {
			for c := i; c < len(t.chunks); c += scanners {
				t.searchChunk(query, c, allowed, parts[i])
			}
		})
	}
	wg.Wait()
	for _, part := range parts {
		for _, h := range part.hits {
			best.offer(h.row, h.score)
		}
	}
}

// searchChunk reads a chunk from front to end, which is what memory is fast at.
func (t *denseTable) searchChunk(query []float32, chunk int, allowed bitset, best *ranking) {
	first := uint32(chunk << t.shift)
	data := t.chunks[chunk]
	dot := t.distance == pb.Distance_Cosine || t.distance == pb.Distance_Dot
	for i := 0; i+t.dim <= len(data); i += t.dim {
		row := first
		first++
		if !t.present.has(row) || allowed != nil && !allowed.has(row) {
			continue
		}
		if dot {
			best.offer(row, vek32.Dot(query, data[i:i+t.dim]))
			continue
		}
		best.offer(row, score(t.distance, query, data[i:i+t.dim]))
	}
}

func (t *denseTable) searchSome(query []float32, allowed bitset, best *ranking) {
	allowed.each(func(row uint32) bool {
		if t.present.has(row) {
			best.offer(row, score(t.distance, query, t.row(row)))
		}
		return true
	})
}
