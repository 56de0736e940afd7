package qdrant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"

	"github.com/mneme-memory/mneme/conversation"
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
		{"importance", qdrant.FieldType_FieldTypeFloat},
		{"pinned", qdrant.FieldType_FieldTypeBool},
	}
}

// fieldsOf are the fields of a collection that are filtered.
func fieldsOf(collection string) []field {
	if collection == conversation.Collection {
		return messageFields()
	}
	return fields()
}

// EnsureCollections creates the collections that are missing. It refuses
// ([memory.Refused]) when one there is not this ledger's, or holds vectors of
// another dimension.
func (x *Index) EnsureCollections(ctx context.Context, dimension int) error {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	// All at once, because the server writes every step to its disk, and the
	// first memory of all waits for them.
	errs := make([]error, len(memory.Collections()))
	var done sync.WaitGroup
	for i, collection := range memory.Collections() {
		done.Go(func() { errs[i] = x.ensure(ctx, collection, dimension) })
	}
	done.Wait()
	return cmp.Or(errs...)
}

// ensure creates a collection unless it is there, and checks it in either case:
// another worker may have been first, and so may somebody else.
func (x *Index) ensure(ctx context.Context, collection string, dimension int) error {
	check := func(name string) error { return x.check(ctx, name, collection, dimension) }
	err := x.with(ctx, collection, check)
	if !missing(err) {
		return err
	}
	if err := x.create(ctx, collection, dimension); err != nil {
		return err
	}
	return x.with(ctx, collection, check)
}

// check refuses a collection that was made for other vectors, and completes
// the payload indexes of one whose creation was cut short.
func (x *Index) check(ctx context.Context, name, collection string, dimension int) error {
	info, err := x.client.GetCollectionInfo(ctx, name)
	if err != nil {
		return x.explain("look at collection "+collection, err)
	}
	params := info.GetConfig().GetParams()
	size := int(params.GetVectorsConfig().GetParams().GetSize())
	if size != dimension {
		return memory.Refusal("Qdrant", hintRebuild,
			fmt.Errorf("collection %s holds vectors of %d numbers, the embedding model makes %d: %w", collection, size, dimension, errOtherShape))
	}
	if _, ok := params.GetSparseVectorsConfig().GetMap()[keywordVector]; !ok {
		return memory.Refusal("Qdrant", hintRebuild,
			fmt.Errorf("collection %s has no sparse vector %q: %w", collection, keywordVector, errOtherShape))
	}
	return x.indexFields(ctx, name, fieldsOf(collection), info.GetPayloadSchema())
}

// create makes a collection that is missing: with the settings of the one that
// a killed [Index.Recreate] put aside, else with the server's own.
func (x *Index) create(ctx context.Context, collection string, dimension int) error {
	physical := x.physical(collection)
	if done, err := x.moveSettings(ctx, physical+aside, physical, dimension); done || err != nil {
		return err
	}
	ledger, err := x.options.Ledger.Identity(ctx)
	if err != nil {
		return err
	}
	return x.make(ctx, newCollection(physical, ledger, dimension, nil))
}

// make creates a collection. An existing collection is no error.
func (x *Index) make(ctx context.Context, request *qdrant.CreateCollection) error {
	err := x.client.CreateCollection(ctx, request)
	if err == nil {
		return nil
	}
	if code, _ := grpcCode(err); code == codes.AlreadyExists {
		return nil
	}
	return x.explain("create collection "+request.GetCollectionName(), err)
}

func (x *Index) indexFields(
	ctx context.Context, name string, wanted []field, there map[string]*qdrant.PayloadSchemaInfo,
) error {
	for _, f := range wanted {
		if there[f.name] != nil {
			continue
		}
		if err := x.indexField(ctx, name, f, nil); err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) indexField(ctx context.Context, name string, f field, params *qdrant.PayloadIndexParams) error {
	_, err := x.client.CreateFieldIndex(ctx, &qdrant.CreateFieldIndexCollection{
		CollectionName: name, FieldName: f.name, FieldType: f.kind.Enum(), FieldIndexParams: params, Wait: qdrant.PtrOf(true),
	})
	return x.explain("index field "+f.name+" of "+name, err)
}

// Fit implements activities.Index.
func (x *Index) Fit(ctx context.Context, collection string, dimension int) error {
	checking, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	err := x.ensure(checking, collection, dimension)
	if errors.Is(err, errOtherShape) {
		return x.Recreate(ctx, collection, dimension)
	}
	return err
}

// errOtherShape says that a collection was made for other vectors than ours.
var errOtherShape = errors.New("it was made for other vectors")
