package qdrant

import (
	"context"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// How long building graphs may take, and how often the server is asked. A
// real one took 20 s for 30,000 points of 768 numbers on two cores.
const (
	graphsTimeout = 30 * time.Minute
	graphsPoll    = 200 * time.Millisecond
)

// nobody is an id that no memory has: those are of version 8.
const nobody = "00000000-0000-0000-0000-000000000000"

// RebuildGraphs makes the server build a collection's HNSW graphs anew and
// waits until it has. It answers false where there are none: in the embedded
// server, whose search is exact, and below the indexing threshold.
//
// Qdrant has no call for this, but a change of ef_construct makes its
// optimizer build every graph again. So the number goes up by one, and down
// again the next time.
func (x *Index) RebuildGraphs(ctx context.Context, collection string) (rebuilt bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, graphsTimeout)
	defer cancel()
	err = x.with(ctx, collection, func(name string) error {
		rebuilt, err = x.rebuildGraphs(ctx, name)
		return err
	})
	return rebuilt, err
}

func (x *Index) rebuildGraphs(ctx context.Context, name string) (bool, error) {
	info, err := x.client.GetCollectionInfo(ctx, name)
	if err != nil {
		return false, x.explain("look at collection "+name, err)
	}
	server, err := x.client.HealthCheck(ctx)
	if err != nil {
		return false, x.explain("ask for the version", err)
	}
	// The embedded server searches exactly, and says what it is.
	if strings.Contains(server.GetTitle(), "embedded") || !hasGraphs(info) {
		return false, nil
	}
	// After a restart the status stays Grey until the first write; a delete
	// of nothing is one.
	if err := x.deleteBatch(ctx, name, []string{nobody}); err != nil {
		return false, err
	}
	const usual = 100
	ef := info.GetConfig().GetHnswConfig().GetEfConstruct()
	if ef == usual {
		ef++
	} else {
		ef = usual
	}
	if err := x.client.UpdateCollection(ctx, &qdrant.UpdateCollection{
		CollectionName: name, HnswConfig: &qdrant.HnswConfigDiff{EfConstruct: &ef},
	}); err != nil {
		return false, x.explain("rebuild the graphs of "+name, err)
	}
	return true, x.waitGreen(ctx, name)
}

// waitGreen waits until the optimizer is done: the status is Yellow at once
// after the change, and Green afterwards.
func (x *Index) waitGreen(ctx context.Context, name string) error {
	tick := time.NewTicker(graphsPoll)
	defer tick.Stop()
	for {
		info, err := x.client.GetCollectionInfo(ctx, name)
		if err != nil {
			return x.explain("look at collection "+name, err)
		}
		switch info.GetStatus() {
		case qdrant.CollectionStatus_Green:
			return nil
		case qdrant.CollectionStatus_Red:
			return memory.Errorf(memory.Internal, "look into Qdrant's log",
				"rebuild the graphs of %s: %s", name, info.GetOptimizerStatus().GetError())
		}
		select {
		case <-ctx.Done():
			return x.explain("wait for the graphs of "+name, ctx.Err())
		case <-tick.C:
		}
	}
}

// hasGraphs reports whether a collection can have graphs: its vectors must
// pass the indexing threshold, in KiB. The count of indexed vectors alone does
// not tell, because sparse ones are indexed from the first.
func hasGraphs(info *qdrant.CollectionInfo) bool {
	if info.GetIndexedVectorsCount() == 0 {
		return false
	}
	size := info.GetConfig().GetParams().GetVectorsConfig().GetParams().GetSize()
	kib := info.GetPointsCount() * size * 4 / 1024
	return kib >= info.GetConfig().GetOptimizerConfig().GetIndexingThreshold()
}
