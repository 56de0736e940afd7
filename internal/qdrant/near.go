package qdrant

import (
	"context"
	"fmt"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// nearBatch bounds the queries of one call.
const nearBatch = 100

// Near returns the memories of like's project, collection and type whose
// cosine with it is above the bar, nearest first, without like itself. A zero
// vector is near nothing.
func (x *Index) Near(ctx context.Context, like memory.Record, above float64, limit int) ([]memory.Match, error) {
	all, err := x.NearEach(ctx, []memory.Record{like}, above, limit)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// NearEach is [Index.Near] for many; the answers are in the order of the question.
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
