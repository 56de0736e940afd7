package qdrant

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// How deep a collection is looked into. Ranking cannot lift what was not
// found; what lies deeper than this does not come into the first places.
const (
	minDepth      = 100
	depthPerHit   = 2
	lendingHits   = 10 // as many of the best hits of a collection pull their neighbours in
	neighbourMost = 4 * lendingHits
)

// question is a search in the form in which every collection is asked.
type question struct {
	filter  *qdrant.Filter
	dense   memory.Vector // nil: none
	indices []uint32      // of the query's terms; empty: none
	values  []float32
	depth   uint64
}

// Search returns candidates of all collections asked, each with the cosine and
// the keyword score that it has by itself, so that they can be ranked
// together; in no particular order. The neighbours in their sessions of the
// best ones are among them. Without a vector, or with a zero one, keywords
// alone decide; when there are no keywords either nothing is found.
func (x *Index) Search(ctx context.Context, s memory.Search) ([]memory.Candidate, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.Timeout)
	defer cancel()
	q := question{filter: searchFilter(s), depth: uint64(max(minDepth, depthPerHit*s.Limit))}
	q.indices, q.values = x.options.Query(s.Text)
	if !s.Vector.IsZero() {
		if err := s.Vector.Check(); err != nil {
			return nil, memory.Errorf(memory.Invalid, "", "search: %w", err)
		}
		q.dense = s.Vector
	}
	if q.dense == nil && len(q.indices) == 0 {
		return nil, nil
	}
	collections := s.Collections
	if len(collections) == 0 {
		collections = memory.Collections()
	}
	type answer struct {
		found []memory.Candidate
		err   error
	}
	answers := make([]chan answer, len(collections))
	for i, name := range collections {
		answers[i] = make(chan answer, 1)
		go func() {
			found, err := x.searchOne(ctx, name, q)
			answers[i] <- answer{found, err}
		}()
	}
	var all []memory.Candidate
	var errs []error
	for _, c := range answers {
		a := <-c
		all, errs = append(all, a.found...), append(errs, a.err)
	}
	// The first is enough: when the server is down all say the same.
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil && !errors.Is(err, context.Canceled) }); i >= 0 {
		return nil, errs[i]
	}
	return all, errors.Join(errs...)
}

func (x *Index) searchOne(ctx context.Context, collection string, q question) ([]memory.Candidate, error) {
	found, err := x.ask(ctx, collection, q)
	if err != nil {
		return nil, err
	}
	beside := besides(found)
	if len(beside) == 0 {
		return found, nil
	}
	// Found by place and not by likeness, they need their own question.
	q.filter = &qdrant.Filter{Must: []*qdrant.Condition{
		qdrant.NewFilterAsCondition(q.filter), qdrant.NewFilterAsCondition(&qdrant.Filter{Should: beside}),
	}}
	q.depth = neighbourMost
	neighbours, err := x.ask(ctx, collection, q)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(found))
	for _, c := range found {
		seen[c.ID] = true
	}
	return append(found, slices.DeleteFunc(neighbours, func(c memory.Candidate) bool { return seen[c.ID] })...), nil
}

// ask makes one call of two queries: candidates of both kinds with their
// cosines, and the keyword scores. In the first the dense query rescores what
// either kind found, so that a text found by its words has its cosine too.
func (x *Index) ask(ctx context.Context, collection string, q question) ([]memory.Candidate, error) {
	var queries []*qdrant.QueryPoints
	sparse := qdrant.NewQuerySparse(q.indices, q.values)
	if q.dense != nil {
		dense := qdrant.NewQueryDense(q.dense)
		prefetch := []*qdrant.PrefetchQuery{{Query: dense, Filter: q.filter, Limit: &q.depth}}
		if len(q.indices) > 0 {
			prefetch = append(prefetch, &qdrant.PrefetchQuery{
				Query: sparse, Using: qdrant.PtrOf(keywordVector), Filter: q.filter, Limit: &q.depth,
			})
		}
		queries = append(queries, &qdrant.QueryPoints{
			CollectionName: collection, Prefetch: prefetch, Query: dense,
			Limit: qdrant.PtrOf(2 * q.depth), WithPayload: qdrant.NewWithPayload(true),
		})
	}
	if len(q.indices) > 0 {
		queries = append(queries, &qdrant.QueryPoints{
			CollectionName: collection, Query: sparse, Using: qdrant.PtrOf(keywordVector),
			Filter: q.filter, Limit: &q.depth,
			WithPayload: qdrant.NewWithPayload(q.dense == nil), // the first query has it already
		})
	}
	answers, err := x.client.QueryBatch(ctx, &qdrant.QueryBatchPoints{CollectionName: collection, QueryPoints: queries})
	if err != nil {
		return nil, x.explain("search "+collection, err)
	}
	if len(answers) != len(queries) {
		return nil, memory.Errorf(memory.Internal, "", "Qdrant answered %d of %d queries", len(answers), len(queries))
	}
	var found []memory.Candidate
	place := make(map[string]int)
	if q.dense != nil {
		for _, p := range answers[0].GetResult() {
			c := candidate(collection, p)
			// A zero vector's cosine is exactly 0, and means nothing.
			c.Cosine, c.HasCosine = float64(p.GetScore()), p.GetScore() != 0
			place[c.ID] = len(found)
			found = append(found, c)
		}
	}
	if len(q.indices) > 0 {
		for _, p := range answers[len(answers)-1].GetResult() {
			i, ok := place[p.GetId().GetUuid()]
			switch {
			case ok:
				found[i].Keyword = float64(p.GetScore())
			case q.dense == nil: // else written between the two queries: without payload
				c := candidate(collection, p)
				c.Keyword = float64(p.GetScore())
				found = append(found, c)
			}
		}
	}
	return found, nil
}

func candidate(collection string, p *qdrant.ScoredPoint) memory.Candidate {
	return memory.Candidate{Memory: fromPayload(p.GetId().GetUuid(), collection, p.GetPayload())}
}

// besides selects the neighbours of the best candidates that are not found
// yet, in a session that some of them may share.
func besides(found []memory.Candidate) []*qdrant.Condition {
	type spot struct {
		project, session string
		position         int
	}
	there := make(map[spot]bool)
	var placed []memory.Candidate
	for _, c := range found {
		if c.Session != "" && c.Position > 0 {
			there[spot{c.Project, c.Session, c.Position}] = true
			placed = append(placed, c)
		}
	}
	slices.SortFunc(placed, func(a, b memory.Candidate) int {
		return cmp.Or(cmp.Compare(memory.Evidence(b), memory.Evidence(a)), cmp.Compare(a.ID, b.ID))
	})
	var conditions []*qdrant.Condition
	for _, c := range placed[:min(len(placed), lendingHits)] {
		var wanted []int64
		for _, position := range []int{c.Position - 1, c.Position + 1} {
			at := spot{c.Project, c.Session, position}
			if position > 0 && !there[at] {
				there[at] = true
				wanted = append(wanted, int64(position))
			}
		}
		if len(wanted) == 0 {
			continue
		}
		conditions = append(conditions, qdrant.NewFilterAsCondition(&qdrant.Filter{Must: []*qdrant.Condition{
			qdrant.NewMatchKeyword("project", c.Project), qdrant.NewMatchKeyword("session", c.Session),
			qdrant.NewMatchInts("position", wanted...),
		}}))
	}
	return conditions
}
