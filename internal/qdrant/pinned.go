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

// maxPinned bounds how many memories of a collection are looked at that may matter whatever
// is asked.
const maxPinned = 100

// Pinned returns what is pinned or weighty (see [memory.WeightyTypes]) of the projects,
// collections, types and tags of a search: what is pinned first, then the most important, and of
// equals the newest, at most s.Limit. Where no collection is there nothing is pinned.
func (x *Index) Pinned(ctx context.Context, s memory.Search) ([]memory.Memory, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.Timeout)
	defer cancel()
	collections := s.Collections
	if len(collections) == 0 {
		collections = memory.Collections()
	}
	filter := searchFilter(s)
	weighty := &qdrant.Filter{Must: []*qdrant.Condition{
		qdrant.NewRange("importance", &qdrant.Range{Gte: qdrant.PtrOf(memory.WeightyFrom)}),
		qdrant.NewMatchKeywords("type", memory.WeightyTypes()...),
	}}
	filter.Must = append(filter.Must, qdrant.NewFilterAsCondition(&qdrant.Filter{
		Should: []*qdrant.Condition{qdrant.NewMatchBool("pinned", true), qdrant.NewFilterAsCondition(weighty)},
	}))
	found := make([][]memory.Memory, len(collections))
	errs := make([]error, len(collections))
	var asked sync.WaitGroup
	for i, name := range collections {
		asked.Go(func() { found[i], errs[i] = x.pinnedIn(ctx, name, filter) })
	}
	asked.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, memory.ErrNoCollection) {
			return nil, err
		}
	}
	all := slices.Concat(found...)
	slices.SortFunc(all, func(a, b memory.Memory) int {
		return cmp.Or(memory.ComparePinned(a, b), cmp.Compare(b.Importance, a.Importance), b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all[:min(len(all), s.Limit)], nil
}

func (x *Index) pinnedIn(ctx context.Context, collection string, filter *qdrant.Filter) ([]memory.Memory, error) {
	var out []memory.Memory
	err := x.with(ctx, collection, func(name string) error {
		points, err := x.client.Scroll(ctx, &qdrant.ScrollPoints{
			CollectionName: name, Filter: filter, Limit: qdrant.PtrOf(uint32(maxPinned)), WithPayload: qdrant.NewWithPayload(true),
		})
		if err != nil {
			return x.explain("look for what is pinned in "+collection, err)
		}
		out = out[:0]
		for _, p := range points {
			out = append(out, fromPayload(p.GetId().GetUuid(), collection, p.GetPayload()))
		}
		return nil
	})
	return out, err
}
