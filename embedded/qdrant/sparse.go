package qdrant

import (
	"math"
	"slices"
	"sort"
)

// A sparseIndex holds the sparse vectors of one name and, for each term, the
// rows that have it.
type sparseIndex struct {
	idf      bool
	vectors  map[uint32]sparseVector // by row
	present  bitset
	nonEmpty int // vectors with at least one term: the N of IDF
	terms    map[uint32]*posting
}

// A posting lists the rows of a term in ascending order.
type posting struct {
	rows   []uint32
	values []float32
}

func newSparseIndex(idf bool) *sparseIndex {
	return &sparseIndex{idf: idf, vectors: map[uint32]sparseVector{}, terms: map[uint32]*posting{}}
}

// newSparse checks and sorts a vector of a request. The error is of the kind
// Qdrant's validator returns, for the field named.
func newSparse(indices []uint32, values []float32, field string) (sparseVector, error) {
	if len(indices) != len(values) {
		return sparseVector{}, invalid("Validation error in body: [%s.values: Validation error: must be the same length as indices [{}]]", field)
	}
	v := sparseVector{slices.Clone(indices), slices.Clone(values)}
	if !slices.IsSorted(v.indices) {
		sort.Sort(byIndex(v))
	}
	for i := 1; i < len(v.indices); i++ {
		if v.indices[i] == v.indices[i-1] {
			return sparseVector{}, invalid("Validation error in body: [%s.indices: Validation error: must be unique [{}]]", field)
		}
	}
	return v, nil
}

// byIndex sorts the two slices of a vector together.
type byIndex sparseVector

func (v byIndex) Len() int           { return len(v.indices) }
func (v byIndex) Less(i, j int) bool { return v.indices[i] < v.indices[j] }
func (v byIndex) Swap(i, j int) {
	v.indices[i], v.indices[j] = v.indices[j], v.indices[i]
	v.values[i], v.values[j] = v.values[j], v.values[i]
}

// put replaces the vector of a row. Terms that stay are changed in place.
func (s *sparseIndex) put(row uint32, v sparseVector) {
	old, had := s.vectors[row]
	if had {
		for _, term := range old.indices {
			if _, stays := slices.BinarySearch(v.indices, term); !stays {
				s.drop(term, row)
			}
		}
		s.count(old, -1)
	}
	for i, term := range v.indices {
		p := s.terms[term]
		if p == nil {
			p = &posting{}
			s.terms[term] = p
		}
		p.put(row, v.values[i])
	}
	s.vectors[row] = v
	s.present.add(row)
	s.count(v, 1)
}

func (s *sparseIndex) remove(row uint32) {
	old, had := s.vectors[row]
	if !had {
		return
	}
	for _, term := range old.indices {
		s.drop(term, row)
	}
	s.count(old, -1)
	delete(s.vectors, row)
	s.present.remove(row)
}

func (s *sparseIndex) count(v sparseVector, by int) {
	if len(v.indices) > 0 {
		s.nonEmpty += by
	}
}

func (s *sparseIndex) drop(term, row uint32) {
	p := s.terms[term]
	if p == nil {
		return
	}
	if i, found := slices.BinarySearch(p.rows, row); found {
		p.rows = slices.Delete(p.rows, i, i+1)
		p.values = slices.Delete(p.values, i, i+1)
	}
	if len(p.rows) == 0 {
		delete(s.terms, term)
	}
}

func (p *posting) put(row uint32, value float32) {
	if n := len(p.rows); n == 0 || p.rows[n-1] < row {
		p.rows, p.values = append(p.rows, row), append(p.values, value)
		return
	}
	i, found := slices.BinarySearch(p.rows, row)
	if found {
		p.values[i] = value
		return
	}
	p.rows = slices.Insert(p.rows, i, row)
	p.values = slices.Insert(p.values, i, value)
}

// weight is how much a term counts: rare ones more, none less than nothing.
// Deleted points count no longer, which Qdrant reaches once it has optimised.
func (s *sparseIndex) weight(p *posting) float64 {
	if !s.idf {
		return 1
	}
	df := float64(len(p.rows))
	return math.Log(1 + (float64(s.nonEmpty)-df+0.5)/(df+0.5))
}

// fewRows are scored one by one; more are found through their terms.
const fewRows = 256

// search ranks the rows that share a term with the query.
func (s *sparseIndex) search(query sparseVector, rows int, allowed bitset, best *ranking) {
	if len(query.indices) == 1 {
		s.searchOne(query, allowed, best)
		return
	}
	if allowed != nil && allowed.count() <= fewRows {
		allowed.each(func(row uint32) bool {
			if score, shared := s.scoreRow(query, row); shared {
				best.offer(row, score)
			}
			return true
		})
		return
	}
	scores := make([]float32, rows)
	touched := newBitset(rows)
	for i, term := range query.indices {
		p := s.terms[term]
		if p == nil {
			continue
		}
		w := float32(float64(query.values[i]) * s.weight(p))
		for j, row := range p.rows {
			if p.values[j] != 0 {
				scores[row] += w * p.values[j]
				touched[row>>6] |= 1 << (row & 63)
			}
		}
	}
	if allowed != nil {
		touched.and(allowed)
	}
	touched.each(func(row uint32) bool {
		best.offer(row, scores[row])
		return true
	})
}

// searchOne needs no table of sums.
func (s *sparseIndex) searchOne(query sparseVector, allowed bitset, best *ranking) {
	p := s.terms[query.indices[0]]
	if p == nil {
		return
	}
	w := float32(float64(query.values[0]) * s.weight(p))
	for j, row := range p.rows {
		if p.values[j] != 0 && (allowed == nil || allowed.has(row)) {
			best.offer(row, w*p.values[j])
		}
	}
}

// scoreRow is the score of one row, and whether it shares a term at all.
func (s *sparseIndex) scoreRow(query sparseVector, row uint32) (float32, bool) {
	v := s.vectors[row]
	var sum float32
	shared := false
	for i, term := range query.indices {
		j, found := slices.BinarySearch(v.indices, term)
		if !found || v.values[j] == 0 {
			continue
		}
		shared = true
		sum += float32(float64(query.values[i])*s.weight(s.terms[term])) * v.values[j]
	}
	return sum, shared
}
