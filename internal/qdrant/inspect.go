package qdrant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// Oldest is the oldest Qdrant that the index works with: it was the first to weigh sparse
// vectors by how rare a word is, and to answer the queries that we make.
const Oldest = "1.10"

// Inspect asks the server for its version, whether it takes the key, and whether the
// collections are as this program makes them. It changes nothing.
func (x *Index) Inspect(ctx context.Context) memory.Inspection {
	var i memory.Inspection
	health, err := x.client.HealthCheck(ctx)
	if err != nil {
		i.Fail(x.plain(err))
		return i
	}
	i.Learn("Qdrant", health.GetVersion(), Oldest)
	there, err := x.client.ListCollections(ctx) // the first question for which a key is needed
	if err != nil {
		i.Fail(x.plain(err))
		return i
	}
	generations := x.generationsIn(there)
	complete := len(generations) == 0
	var missing []string
	for _, generation := range slices.Sorted(maps.Keys(generations)) {
		of := x.Of(generation)
		var ours []string
		missing = nil
		for _, collection := range memory.Collections() {
			if name := of.physical(collection); slices.Contains(there, name) {
				ours = append(ours, name)
			} else {
				missing = append(missing, name)
			}
		}
		complete = complete || len(missing) == 0
		of.inspectCollections(ctx, ours, &i)
	}
	switch {
	case len(generations) == 0:
		i.Tell("no collections yet")
	case !complete:
		i.Warn(memory.Errorf(memory.NotFound, hintRebuild, "collections are missing: %s", strings.Join(missing, ", ")))
	}
	return i
}

// generationsIn returns the generations of which there are collections of memories.
func (x *Index) generationsIn(there []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range there {
		for _, collection := range memory.Collections() {
			if generation, ok := x.generationOf(name, collection); ok {
				out[generation] = true
			}
		}
	}
	return out
}

// plain sorts an error as [Index.explain] does, and tells it in the server's own words, or as the
// cause that there is no answer.
func (x *Index) plain(err error) error {
	sorted := x.explain("ask", err)
	_, text := grpcCode(err)
	what := "no answer at " + x.options.Address
	if memory.CodeOf(sorted) == memory.Refused {
		what = "it refuses at " + x.options.Address
	}
	// What gRPC puts around the cause of a connection that was not made.
	text = strings.TrimPrefix(text, `connection error: desc = "transport: Error while dialing: `)
	text = strings.TrimSuffix(text, `"`)
	return &memory.Error{Code: memory.CodeOf(sorted), Part: "Qdrant", Hint: memory.HintOf(sorted), Err: fmt.Errorf("%s: %s", what, text)}
}

// inspectCollections looks whose the collections are and what vectors they have.
func (x *Index) inspectCollections(ctx context.Context, names []string, i *memory.Inspection) {
	infos := make([]*qdrant.CollectionInfo, len(names))
	owners, errs := make([]string, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for n, name := range names {
		all.Go(func() {
			info, aliases, err := x.look(ctx, name)
			infos[n], owners[n], errs[n] = info, ownerOf(info, name, aliases), err
		})
	}
	all.Wait()
	if err := cmp.Or(errs...); err != nil {
		i.Fail(err)
		return
	}
	sizes := map[int]bool{}
	for n, info := range infos {
		params := info.GetConfig().GetParams()
		sizes[int(params.GetVectorsConfig().GetParams().GetSize())] = true
		if !ourShape(params) {
			i.Fail(x.strange(names[n], "has other vectors than mneme's"))
		}
	}
	owners = slices.Compact(slices.Sorted(slices.Values(owners)))
	owners = slices.DeleteFunc(owners, func(owner string) bool { return owner == "" }) // of before there were identities
	switch {
	case len(owners) == 1 && i.Ledger != "" && i.Ledger != owners[0]:
		i.Fail(memory.Refusal("Qdrant", hintOther, fmt.Errorf("the collections belong to several ledgers: %s, %s", i.Ledger, owners[0])))
	case len(owners) == 1:
		i.Ledger = owners[0]
	case len(owners) > 1:
		i.Fail(memory.Refusal("Qdrant", hintOther, fmt.Errorf("the collections belong to several ledgers: %s", strings.Join(owners, ", "))))
	}
	if len(sizes) > 1 {
		i.Fail(memory.Refusal("Qdrant", hintRebuild, errors.New("the collections hold vectors of different dimensions")))
	}
	if len(sizes) == 1 {
		for size := range sizes {
			i.Dimension = size
			i.Dimensions = append(i.Dimensions, size)
		}
		i.Tell("%d collections of %d dimensions", len(names), i.Dimension)
	}
}
