package qdrant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// nearBatch bounds the queries of one call.
const nearBatch = 100

// Alike returns memories of the given projects that may state the same fact as like: of each
// collection at most limit by the vector, and as many by the words, which decide in
// languages that the model does not know. Like itself is left out. The order means nothing;
// a memory found by its words alone has cosine 0.
func (x *Index) Alike(ctx context.Context, like memory.Record, projects, collections []string, limit int) ([]memory.Match, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	found, errs := make([][]memory.Match, len(collections)), make([]error, len(collections))
	indices, values := x.options.Query(like.Text)
	filter := alikeFilter(like, projects)
	var asked sync.WaitGroup
	for i, collection := range collections {
		asked.Go(func() {
			errs[i] = x.with(ctx, collection, func(name string) (err error) {
				queries := alikeQueries(name, like.Vector, indices, values, filter, limit)
				if len(queries) == 0 {
					return nil
				}
				found[i], err = x.alikeIn(ctx, name, queries)
				return err
			})
		})
	}
	asked.Wait()
	return slices.Concat(found...), errors.Join(errs...)
}

func alikeQueries(name string, v memory.Vector, indices []uint32, values []float32, filter *qdrant.Filter, limit int) []*qdrant.QueryPoints {
	var queries []*qdrant.QueryPoints
	most := qdrant.PtrOf(uint64(max(1, limit)))
	if !v.IsZero() {
		queries = append(queries, &qdrant.QueryPoints{CollectionName: name, Query: qdrant.NewQueryDense(v), Filter: filter, Limit: most})
	}
	if len(indices) > 0 {
		queries = append(queries, &qdrant.QueryPoints{
			CollectionName: name, Query: qdrant.NewQuerySparse(indices, values), Using: qdrant.PtrOf(keywordVector), Filter: filter, Limit: most,
		})
	}
	return queries
}

func (x *Index) alikeIn(ctx context.Context, name string, queries []*qdrant.QueryPoints) ([]memory.Match, error) {
	answers, err := x.client.QueryBatch(ctx, &qdrant.QueryBatchPoints{CollectionName: name, QueryPoints: queries})
	if err != nil {
		return nil, x.explain("find what is like a memory in "+name, err)
	}
	var out []memory.Match
	for i, answer := range answers {
		for _, p := range answer.GetResult() {
			m := memory.Match{ID: p.GetId().GetUuid()}
			if i < len(queries) && queries[i].Using == nil {
				m.Cosine = float64(p.GetScore())
			}
			out = append(out, m)
		}
	}
	return out, nil
}

// NearEach returns, for each of many, the memories of its project, collection
// and type whose cosine with it is above the bar, nearest first, without
// itself. A zero vector is near nothing. The answers are in the order of the
// question.
func (x *Index) NearEach(ctx context.Context, like []memory.Record, above float64, limit int) ([][]memory.Match, error) {
	out := make([][]memory.Match, len(like))
	asked := make(map[string][]int) // collection to places in like
	for i, r := range like {
		if !r.Vector.IsZero() {
			asked[r.Collection] = append(asked[r.Collection], i)
		}
	}
	for collection, places := range asked {
		for batch := range slices.Chunk(places, nearBatch) {
			if err := x.nearBatch(ctx, collection, like, batch, above, limit, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// nearBatch asks for the records at places and puts the answers into out.
func (x *Index) nearBatch(ctx context.Context, collection string, like []memory.Record, places []int, above float64, limit int, out [][]memory.Match) error {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	return x.with(ctx, collection, func(name string) error {
		return x.nearIn(ctx, name, like, places, above, limit, out)
	})
}

func (x *Index) nearIn(ctx context.Context, name string, like []memory.Record, places []int, above float64, limit int, out [][]memory.Match) error {
	queries := make([]*qdrant.QueryPoints, len(places))
	for i, place := range places {
		queries[i] = &qdrant.QueryPoints{
			CollectionName: name,
			Query:          qdrant.NewQueryDense(like[place].Vector),
			Filter:         likeFilter(like[place]),
			ScoreThreshold: qdrant.PtrOf(float32(above)), // strict on a nearest-neighbour query
			Limit:          qdrant.PtrOf(uint64(max(1, limit))),
		}
	}
	answers, err := x.client.QueryBatch(ctx, &qdrant.QueryBatchPoints{CollectionName: name, QueryPoints: queries})
	if err != nil {
		return x.explain(fmt.Sprintf("find what is near %d memories in %s", len(places), name), err)
	}
	if len(answers) != len(places) {
		return memory.Errorf(memory.Internal, "", "Qdrant answered %d of %d queries", len(answers), len(places))
	}
	for i, place := range places {
		for _, p := range answers[i].GetResult() {
			out[place] = append(out[place], memory.Match{ID: p.GetId().GetUuid(), Cosine: float64(p.GetScore())})
		}
	}
	return nil
}
