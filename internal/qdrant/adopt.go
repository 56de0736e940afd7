package qdrant

import (
	"context"
	"fmt"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// adoptPage is how many points are compared with the ledger at once.
const adoptPage = 1000

// adopt writes the ledger's identity into a collection that names none, as
// those that mneme made before there were identities do. On a server
// with other users the collection must first be proven to be the ledger's.
func (x *Index) adopt(ctx context.Context, physical, ledger string, info *qdrant.CollectionInfo) error {
	if !x.options.Private {
		if err := x.adoptable(ctx, physical, info); err != nil {
			return err
		}
	}
	return x.explain("write the ledger's identity to "+physical, x.client.UpdateCollection(ctx, &qdrant.UpdateCollection{
		CollectionName: physical, Metadata: map[string]*qdrant.Value{ledgerKey: qdrant.NewValueString(ledger)},
	}))
}

// adoptable returns nil for a collection that is made as ours are and in which
// the ledger wrote every point. Nothing is lost with an empty one.
func (x *Index) adoptable(ctx context.Context, physical string, info *qdrant.CollectionInfo) error {
	if !ourShape(info.GetConfig().GetParams()) {
		return x.strange(physical, "has other vectors than mneme's")
	}
	var from *qdrant.PointId
	for {
		points, next, err := x.adoptPage(ctx, physical, from)
		if err != nil {
			return err
		}
		ours, err := x.options.Ledger.Wrote(ctx, points)
		if err != nil {
			return err
		}
		if !ours {
			return x.strange(physical, "holds what this ledger did not write")
		}
		if next == nil {
			return nil
		}
		from = next
	}
}

// adoptPage reads ids and content hashes. An id that is no UUID stays a text
// that is none.
func (x *Index) adoptPage(ctx context.Context, physical string, from *qdrant.PointId) (map[string]string, *qdrant.PointId, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	points, next, err := x.client.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
		CollectionName: physical, Offset: from, Limit: qdrant.PtrOf(uint32(adoptPage)),
		WithPayload: qdrant.NewWithPayloadInclude("content_hash"),
	})
	if err != nil {
		return nil, nil, x.explain("read "+physical, err)
	}
	hashes := make(map[string]string, len(points))
	for _, p := range points {
		id := p.GetId().GetUuid()
		if id == "" {
			id = fmt.Sprint(p.GetId().GetNum())
		}
		hashes[id] = p.GetPayload()["content_hash"].GetStringValue()
	}
	return hashes, next, nil
}

// ourShape reports whether a collection has the vectors that ours have, of
// whatever dimension.
func ourShape(params *qdrant.CollectionParams) bool {
	sparse := params.GetSparseVectorsConfig().GetMap()
	return params.GetVectorsConfig().GetParams().GetDistance() == qdrant.Distance_Cosine &&
		len(sparse) == 1 && sparse[keywordVector].GetModifier() == qdrant.Modifier_Idf
}

// strange is the error for a collection that names no ledger and is not to be
// adopted.
func (x *Index) strange(physical, why string) error {
	return memory.Refusal("Qdrant", hintStrange, fmt.Errorf(
		"the collection %s in Qdrant at %s is not known to be this ledger's: it names no ledger and %s", physical, x.options.Address, why))
}

const hintStrange = hintOther + "; if nobody needs it, delete it yourself: mneme writes its own from the ledger"
