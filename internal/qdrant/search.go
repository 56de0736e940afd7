package qdrant

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// How deep a collection is looked into. Ranking cannot lift what was not
// found; what lies deeper than this does not come into the first places
// (internal/test/evaluation finds as much at 30 as at 100), and costs time.
const (
	minDepth      = 30
	depthPerHit   = 2
	neighbourMost = 2 * memory.LendingReach * memory.LendingRank
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
// alone decide; when there are no keywords either nothing is found. Source,
// model, content hash and expiry of what is found are not filled in.
//
// Where none of the collections exists nothing was ever stored, and so
// nothing is found; where some are missing they are lost, and what the others
// have comes with a [memory.ErrNoCollection].
func (x *Index) Search(ctx context.Context, s memory.Search) ([]memory.Candidate, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.Timeout)
	defer cancel()
	q, err := x.question(s)
	if err != nil || q.dense == nil && len(q.indices) == 0 {
		return nil, err
	}
	collections := s.Collections
	if len(collections) == 0 {
		collections = memory.Collections()
	}
	found := make([][]memory.Candidate, len(collections))
	errs := make([]error, len(collections))
	var asked sync.WaitGroup
	for i, name := range collections {
		asked.Go(func() { found[i], errs[i] = x.searchOne(ctx, name, q) })
	}
	asked.Wait()
	if !slices.ContainsFunc(errs, func(err error) bool { return !missing(err) }) {
		return nil, nil
	}
	// The first is enough: when the server is down all say the same.
	if i := slices.IndexFunc(errs, func(err error) bool {
		return err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, memory.ErrNoCollection)
	}); i >= 0 {
		return nil, errs[i]
	}
	return slices.Concat(found...), errors.Join(errs...)
}

func (x *Index) question(s memory.Search) (question, error) {
	q := question{filter: searchFilter(s), depth: uint64(max(minDepth, depthPerHit*s.Limit))}
	q.indices, q.values = x.options.Query(s.Text)
	if !s.Vector.IsZero() {
		if err := s.Vector.Check(); err != nil {
			return q, memory.Errorf(memory.Invalid, "", "search: %w", err)
		}
		q.dense = s.Vector
	}
	return q, nil
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

// ask makes one call and reads its answers.
func (x *Index) ask(ctx context.Context, collection string, q question) ([]memory.Candidate, error) {
	var answers []*qdrant.BatchResult
	err := x.with(ctx, collection, func(name string) (err error) {
		queries := q.queries(name, shown())
		answers, err = x.client.QueryBatch(ctx, &qdrant.QueryBatchPoints{CollectionName: name, QueryPoints: queries})
		if err == nil && len(answers) != len(queries) {
			return memory.Errorf(memory.Internal, "", "Qdrant answered %d of %d queries", len(answers), len(queries))
		}
		return x.explain("search "+collection, err)
	})
	if err != nil {
		return nil, err
	}
	if q.dense == nil {
		return byWords(collection, answers[0].GetResult()), nil
	}
	found := byCosine(collection, answers[0].GetResult())
	if len(answers) > 1 {
		addKeywords(found, answers[1].GetResult())
	}
	return found, nil
}

// queries are one for candidates with their cosines, one for their keyword
// scores. Both begin with what either kind of search finds and score all of
// that: so a text found by its words has its cosine, and one found by its
// vector its keyword score.
func (q question) queries(collection string, payload *qdrant.WithPayloadSelector) []*qdrant.QueryPoints {
	sparse := qdrant.NewQuerySparse(q.indices, q.values)
	if q.dense == nil {
		return []*qdrant.QueryPoints{{
			CollectionName: collection, Query: sparse, Using: qdrant.PtrOf(keywordVector),
			Filter: q.filter, Limit: &q.depth, WithPayload: payload,
		}}
	}
	dense := qdrant.NewQueryDense(q.dense)
	either := []*qdrant.PrefetchQuery{{Query: dense, Filter: q.filter, Limit: &q.depth}}
	if len(q.indices) > 0 {
		either = append(either, &qdrant.PrefetchQuery{
			Query: sparse, Using: qdrant.PtrOf(keywordVector), Filter: q.filter, Limit: &q.depth,
		})
	}
	queries := []*qdrant.QueryPoints{{
		CollectionName: collection, Prefetch: either, Query: dense,
		Limit: qdrant.PtrOf(2 * q.depth), WithPayload: payload,
	}}
	if len(q.indices) > 0 {
		queries = append(queries, &qdrant.QueryPoints{
			CollectionName: collection, Prefetch: either, Query: sparse, Using: qdrant.PtrOf(keywordVector),
			Limit: qdrant.PtrOf(2 * q.depth),
		})
	}
	return queries
}

// shown are the fields of the payload that ranking and an answer need. The
// others would be a quarter of what has to be read.
func shown() *qdrant.WithPayloadSelector {
	return qdrant.NewWithPayloadInclude(
		"text", "project", "type", "tags", "confidence", "importance", "pinned", "access_count",
		"created_at", "last_accessed", "session", "position")
}

func byCosine(collection string, points []*qdrant.ScoredPoint) []memory.Candidate {
	found := make([]memory.Candidate, len(points))
	for i, p := range points {
		found[i] = candidate(collection, p)
		// A zero vector's cosine is exactly 0, and means nothing.
		found[i].Cosine, found[i].HasCosine = float64(p.GetScore()), p.GetScore() != 0
	}
	return found
}

// byWords are the candidates of a query without a vector.
func byWords(collection string, points []*qdrant.ScoredPoint) []memory.Candidate {
	found := make([]memory.Candidate, len(points))
	for i, p := range points {
		found[i] = candidate(collection, p)
		found[i].Keyword = float64(p.GetScore())
	}
	return found
}

// addKeywords gives candidates their keyword scores. What was written between
// the two queries has no payload and is left out.
func addKeywords(found []memory.Candidate, points []*qdrant.ScoredPoint) {
	place := make(map[string]int, len(found))
	for i, c := range found {
		place[c.ID] = i
	}
	for _, p := range points {
		if i, ok := place[p.GetId().GetUuid()]; ok {
			found[i].Keyword = float64(p.GetScore())
		}
	}
}

func candidate(collection string, p *qdrant.ScoredPoint) memory.Candidate {
	return memory.Candidate{Memory: fromPayload(p.GetId().GetUuid(), collection, p.GetPayload())}
}

// besides selects those neighbours of the best candidates that are not found
// yet and that have something to gain by it.
func besides(found []memory.Candidate) []*qdrant.Condition {
	type spot struct {
		project, session string
		position         int
	}
	there := make(map[spot]bool)
	for _, c := range found {
		if c.Session != "" && c.Position > 0 {
			there[spot{c.Project, c.Session, c.Position}] = true
		}
	}
	best := slices.Clone(found)
	slices.SortFunc(best, func(a, b memory.Candidate) int {
		return cmp.Or(cmp.Compare(memory.Evidence(b), memory.Evidence(a)), cmp.Compare(a.ID, b.ID))
	})
	wanted := make(map[string][]int64) // by session
	var sessions []string
	for _, c := range best[:min(len(best), memory.LendingRank)] {
		if c.Session == "" || c.Position < 1 {
			continue
		}
		for position := max(1, c.Position-memory.LendingReach); position <= c.Position+memory.LendingReach; position++ {
			at := spot{c.Project, c.Session, position}
			if there[at] {
				continue
			}
			there[at] = true
			if wanted[c.Session] == nil {
				sessions = append(sessions, c.Session)
			}
			wanted[c.Session] = append(wanted[c.Session], int64(position))
		}
	}
	conditions := make([]*qdrant.Condition, len(sessions))
	for i, session := range sessions {
		// Another project's session of the same name is only one more
		// candidate, and lends these nothing.
		conditions[i] = qdrant.NewFilterAsCondition(&qdrant.Filter{Must: []*qdrant.Condition{
			qdrant.NewMatchKeyword("session", session), qdrant.NewMatchInts("position", wanted[session]...),
		}})
	}
	return conditions
}
