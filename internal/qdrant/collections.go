package qdrant

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"

	"github.com/mneme-memory/mneme/memory"
)

// keywordVector is the name of the sparse vector.
const keywordVector = "keyword"

// field is a payload field that is filtered and therefore indexed.
type field struct {
	name string
	kind qdrant.FieldType
}

func fields() []field {
	return []field{
		{"project", qdrant.FieldType_FieldTypeKeyword},
		{"type", qdrant.FieldType_FieldTypeKeyword},
		{"tags", qdrant.FieldType_FieldTypeKeyword},
		{"session", qdrant.FieldType_FieldTypeKeyword},
		{"position", qdrant.FieldType_FieldTypeInteger},
		{"created_at", qdrant.FieldType_FieldTypeDatetime},
		{"last_accessed", qdrant.FieldType_FieldTypeDatetime},
		{"expires_at", qdrant.FieldType_FieldTypeDatetime},
		{"confidence", qdrant.FieldType_FieldTypeFloat},
		{"pinned", qdrant.FieldType_FieldTypeBool},
	}
}

// EnsureCollections creates the collections that are missing, and refuses
// ([memory.Conflict]) when one there holds vectors of another dimension.
func (x *Index) EnsureCollections(ctx context.Context, dimension int) error {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	there, err := x.client.ListCollections(ctx)
	if err != nil {
		return x.explain("list the collections", err)
	}
	// All at once, because the server writes every step to its disk, and the
	// first memory of all waits for them.
	errs := make([]error, len(memory.Collections()))
	var done sync.WaitGroup
	for i, name := range memory.Collections() {
		done.Go(func() {
			if slices.Contains(there, name) {
				errs[i] = x.check(ctx, name, dimension)
			} else {
				errs[i] = x.create(ctx, name, dimension)
			}
		})
	}
	done.Wait()
	return cmp.Or(errs...)
}

// check refuses a collection that was made for other vectors, and completes
// the payload indexes of one whose creation was cut short.
func (x *Index) check(ctx context.Context, name string, dimension int) error {
	info, err := x.client.GetCollectionInfo(ctx, name)
	if err != nil {
		return x.explain("look at collection "+name, err)
	}
	params := info.GetConfig().GetParams()
	size := int(params.GetVectorsConfig().GetParams().GetSize())
	if size != dimension {
		return &memory.Error{
			Code: memory.Conflict, Part: "Qdrant", Hint: hintRebuild,
			Err: memory.Errorf(memory.Conflict, "", "collection %s holds vectors of %d numbers, the embedding model makes %d", name, size, dimension),
		}
	}
	if _, ok := params.GetSparseVectorsConfig().GetMap()[keywordVector]; !ok {
		return &memory.Error{
			Code: memory.Conflict, Part: "Qdrant", Hint: hintRebuild,
			Err: memory.Errorf(memory.Conflict, "", "collection %s has no sparse vector %q: something else made it", name, keywordVector),
		}
	}
	return x.indexFields(ctx, name, info.GetPayloadSchema())
}

func (x *Index) create(ctx context.Context, name string, dimension int) error {
	err := x.client.CreateCollection(ctx, &qdrant.CreateCollection{
		CollectionName: name,
		VectorsConfig: qdrant.NewVectorsConfig(&qdrant.VectorParams{
			Size: uint64(dimension), Distance: qdrant.Distance_Cosine,
		}),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{
			keywordVector: {Modifier: qdrant.Modifier_Idf.Enum()},
		}),
	})
	if err != nil {
		if code, _ := grpcCode(err); code != codes.AlreadyExists {
			return x.explain("create collection "+name, err)
		}
	}
	return x.indexFields(ctx, name, nil)
}

func (x *Index) indexFields(ctx context.Context, name string, there map[string]*qdrant.PayloadSchemaInfo) error {
	for _, f := range fields() {
		if there[f.name] != nil {
			continue
		}
		_, err := x.client.CreateFieldIndex(ctx, &qdrant.CreateFieldIndexCollection{
			CollectionName: name, FieldName: f.name, FieldType: f.kind.Enum(), Wait: qdrant.PtrOf(true),
		})
		if err != nil {
			return x.explain("index field "+f.name+" of "+name, err)
		}
	}
	return nil
}

// Recreate drops a collection, if it is there, and creates it empty.
func (x *Index) Recreate(ctx context.Context, collection string, dimension int) error {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	there, err := x.client.CollectionExists(ctx, collection)
	if err != nil {
		return x.explain("look for collection "+collection, err)
	}
	if there {
		if err := x.client.DeleteCollection(ctx, collection); err != nil {
			return x.explain("drop collection "+collection, err)
		}
	}
	return x.create(ctx, collection, dimension)
}
