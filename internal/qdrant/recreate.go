package qdrant

import (
	"context"
	"maps"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"github.com/mneme-memory/mneme/memory"
)

// aside ends the name of the empty collection that keeps an administrator's
// settings while a collection is made anew.
const aside = ".settings"

// Recreate drops this ledger's collection, if it is there, and creates it
// empty, with the settings, payload indexes and aliases that an administrator
// gave it. It is for what cannot be changed in place: other vectors.
//
// A collection cannot be renamed, so the settings go to an empty one beside it
// and back: if the process is killed in between, the next try finds them in the
// empty collection.
func (x *Index) Recreate(ctx context.Context, collection string, dimension int) error {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	if x.claims[collection] == nil {
		return memory.Errorf(memory.Invalid, "", "there is no collection %q", collection)
	}
	physical := x.physical(collection)
	if _, err := x.moveSettings(ctx, physical, physical+aside, dimension); err != nil {
		return err
	}
	return x.ensure(ctx, collection, dimension)
}

// moveSettings makes an empty collection with all that an administrator set of
// another one of this ledger's, and drops that. It answers false if there is
// nothing to move.
func (x *Index) moveSettings(ctx context.Context, from, to string, dimension int) (bool, error) {
	ledger, err := x.options.Ledger.Identity(ctx)
	if err != nil {
		return false, err
	}
	if _, err := x.claim(ctx, from); missing(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	info, aliases, err := x.look(ctx, from)
	if err != nil {
		return false, err
	}
	if err := x.make(ctx, newCollection(to, ledger, dimension, info.GetConfig())); err != nil {
		return false, err
	}
	name, err := x.claim(ctx, to)
	if err != nil {
		return false, err
	}
	if err := x.copyRest(ctx, name, info); err != nil {
		return false, err
	}
	if err := x.moveAliases(ctx, from, to, aliases); err != nil {
		return false, err
	}
	// A drop goes by the collection's own name, so look at it right before.
	if _, err := x.claim(ctx, from); err != nil {
		return false, err
	}
	return true, x.explain("drop collection "+from, x.client.DeleteCollection(ctx, from))
}

// newCollection describes a collection of ours with a dimension, and with the
// settings of another one, which may be nil.
func newCollection(physical, ledger string, dimension int, like *qdrant.CollectionConfig) *qdrant.CreateCollection {
	like = proto.CloneOf(like)
	params := like.GetParams()
	dense := params.GetVectorsConfig().GetParams()
	if dense == nil {
		dense = &qdrant.VectorParams{}
	}
	dense.Size, dense.Distance, dense.MultivectorConfig = uint64(dimension), qdrant.Distance_Cosine, nil
	sparse := params.GetSparseVectorsConfig().GetMap()[keywordVector]
	if sparse == nil {
		sparse = &qdrant.SparseVectorParams{}
	}
	sparse.Modifier = qdrant.Modifier_Idf.Enum()
	out := &qdrant.CreateCollection{
		CollectionName: physical, Metadata: map[string]*qdrant.Value{},
		VectorsConfig:       qdrant.NewVectorsConfig(dense),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{keywordVector: sparse}),
	}
	maps.Copy(out.Metadata, like.GetMetadata())
	out.Metadata[ledgerKey] = qdrant.NewValueString(ledger)
	if like == nil {
		return out
	}
	out.HnswConfig, out.WalConfig, out.OptimizersConfig = like.HnswConfig, like.WalConfig, like.OptimizerConfig
	out.QuantizationConfig, out.StrictModeConfig = like.QuantizationConfig, like.StrictModeConfig
	out.ReplicationFactor, out.WriteConsistencyFactor = params.ReplicationFactor, params.WriteConsistencyFactor
	out.ShardNumber, out.ShardingMethod, out.OnDiskPayload = &params.ShardNumber, params.ShardingMethod, &params.OnDiskPayload
	if out.OptimizersConfig.GetMaxOptimizationThreads() != nil {
		out.OptimizersConfig.DeprecatedMaxOptimizationThreads = nil // says the same in the old way
	}
	return out
}

// copyRest gives a new collection what can only be set afterwards: the payload
// indexes, with their settings, and how reads spread over replicas.
func (x *Index) copyRest(ctx context.Context, name string, like *qdrant.CollectionInfo) error {
	for field_, schema := range like.GetPayloadSchema() {
		f := field{field_, qdrant.FieldType(schema.GetDataType() - 1)} // the one counts from 0, the other from 1
		if err := x.indexField(ctx, name, f, schema.GetParams()); err != nil {
			return err
		}
	}
	params := like.GetConfig().GetParams()
	if params.ReadFanOutFactor == nil && params.ReadFanOutDelayMs == nil {
		return nil
	}
	return x.explain("set how "+name+" is read", x.client.UpdateCollection(ctx, &qdrant.UpdateCollection{
		CollectionName: name,
		Params:         &qdrant.CollectionParamsDiff{ReadFanOutFactor: params.ReadFanOutFactor, ReadFanOutDelayMs: params.ReadFanOutDelayMs},
	}))
}

// moveAliases lets the aliases of a collection that are not ours lead to another.
func (x *Index) moveAliases(ctx context.Context, from, to string, aliases []string) error {
	var actions []*qdrant.AliasOperations
	for _, a := range aliases {
		if _, ours := ledgerOf(from, a); !ours {
			actions = append(actions, qdrant.NewAliasDelete(a), qdrant.NewAliasCreate(a, to))
		}
	}
	if len(actions) == 0 {
		return nil
	}
	return x.explain("move the aliases of "+from, x.client.UpdateAliases(ctx, actions))
}
