package qdrant

import (
	"slices"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestNewCollectionKeepsEverySetting fails when Qdrant learns a setting that
// is not copied from the old collection to the new.
func TestNewCollectionKeepsEverySetting(t *testing.T) {
	t.Parallel()
	like := &qdrant.CollectionConfig{}
	fill(like.ProtoReflect(), 6)
	like.Params.VectorsConfig = qdrant.NewVectorsConfig(&qdrant.VectorParams{OnDisk: qdrant.PtrOf(true), Datatype: qdrant.Datatype_Float16.Enum()})
	like.Params.SparseVectorsConfig = qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{
		keywordVector: {Index: &qdrant.SparseIndexConfig{OnDisk: qdrant.PtrOf(true)}},
	})
	like.OptimizerConfig.DeprecatedMaxOptimizationThreads = nil // the new form says it
	got := newCollection("p-memories", "ledger", 9, like).ProtoReflect()

	// What goes elsewhere: the vectors, which are compared below, and what can only be set afterwards.
	elsewhere := []protoreflect.Name{"vectors_config", "sparse_vectors_config", "metadata", "read_fan_out_factor", "read_fan_out_delay_ms"}
	renamed := map[protoreflect.Name]protoreflect.Name{"optimizer_config": "optimizers_config"}
	for _, from := range []protoreflect.Message{like.ProtoReflect(), like.GetParams().ProtoReflect()} {
		fields := from.Descriptor().Fields()
		for i := range fields.Len() {
			name := fields.Get(i).Name()
			if name == "params" || slices.Contains(elsewhere, name) {
				continue
			}
			to := name
			if new, ok := renamed[name]; ok {
				to = new
			}
			field := got.Descriptor().Fields().ByName(to)
			if field == nil {
				t.Errorf("a new collection has no setting %s", to)
			} else if !got.Get(field).Equal(from.Get(fields.Get(i))) {
				t.Errorf("%s: %v, was %v", to, got.Get(field), from.Get(fields.Get(i)))
			}
		}
	}
	created, _ := got.Interface().(*qdrant.CreateCollection)
	dense := like.GetParams().GetVectorsConfig().GetParams()
	dense.Size, dense.Distance = 9, qdrant.Distance_Cosine
	if !proto.Equal(created.GetVectorsConfig().GetParams(), dense) {
		t.Errorf("vectors %v, were %v", created.GetVectorsConfig(), dense)
	}
	if sparse := created.GetSparseVectorsConfig().GetMap()[keywordVector]; !sparse.GetIndex().GetOnDisk() || sparse.GetModifier() != qdrant.Modifier_Idf {
		t.Errorf("sparse vectors %v", sparse)
	}
	if owner := created.GetMetadata()[ledgerKey].GetStringValue(); owner != "ledger" || len(created.GetMetadata()) != len(like.GetMetadata())+1 {
		t.Errorf("metadata %v", created.GetMetadata())
	}
}

// fill sets every field of a message, and of those in it, to something.
func fill(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case depth == 0 || f.IsList():
		case f.IsMap():
			if f.MapKey().Kind() == protoreflect.StringKind && f.MapValue().Message() != nil {
				entry := m.Mutable(f).Map()
				fill(entry.Mutable(protoreflect.ValueOfString("key").MapKey()).Message(), depth-1)
			}
		case f.Message() != nil:
			fill(m.Mutable(f).Message(), depth-1)
		case f.Enum() != nil:
			m.Set(f, protoreflect.ValueOfEnum(1))
		default:
			m.Set(f, scalar(f.Kind()))
		}
	}
}

func scalar(kind protoreflect.Kind) protoreflect.Value {
	switch kind { //nolint:exhaustive // the others are not in use there
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("text")
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(7)
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(7)
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(7)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(.5)
	default:
		return protoreflect.ValueOfFloat64(.5)
	}
}
