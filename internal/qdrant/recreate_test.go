package qdrant_test

import (
	"slices"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	server "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// administered makes collections of the first ledger, one of which an
// administrator has given settings, an index and an alias. It has name.
func administered(t *testing.T, s *server.Server, name string) {
	t.Helper()
	admin := raw(t, s)
	err := admin.CreateCollection(t.Context(), &pb.CreateCollection{
		CollectionName: name,
		VectorsConfig: pb.NewVectorsConfig(&pb.VectorParams{
			Size: 3, Distance: pb.Distance_Cosine, OnDisk: pb.PtrOf(true), HnswConfig: &pb.HnswConfigDiff{M: pb.PtrOf(uint64(24))},
		}),
		SparseVectorsConfig: pb.NewSparseVectorsConfig(map[string]*pb.SparseVectorParams{
			"keyword": {Modifier: pb.Modifier_Idf.Enum(), Index: &pb.SparseIndexConfig{OnDisk: pb.PtrOf(true)}},
		}),
		HnswConfig:       &pb.HnswConfigDiff{M: pb.PtrOf(uint64(32)), OnDisk: pb.PtrOf(true)},
		OptimizersConfig: &pb.OptimizersConfigDiff{IndexingThreshold: pb.PtrOf(uint64(1234))},
		ShardNumber:      pb.PtrOf(uint32(3)), ReplicationFactor: pb.PtrOf(uint32(2)), OnDiskPayload: pb.PtrOf(false),
		Metadata: pb.NewValueMap(map[string]any{"mneme_ledger": first.name, "team": "search"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.CreateAlias(t.Context(), "team-memories", name); err != nil {
		t.Fatal(err)
	}
	for field, kind := range map[string]pb.FieldType{"source": pb.FieldType_FieldTypeKeyword, "text": pb.FieldType_FieldTypeText} {
		_, err := admin.CreateFieldIndex(t.Context(), &pb.CreateFieldIndexCollection{
			CollectionName: name, FieldName: field, FieldType: kind.Enum(), Wait: pb.PtrOf(true),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// settled checks that the collection "memories" is as the administrator wants
// it, of a dimension, and that nothing is left beside the seven.
func settled(t *testing.T, s *server.Server, before *pb.CollectionConfig, dimension uint64) {
	t.Helper()
	admin := raw(t, s)
	after, err := admin.GetCollectionInfo(t.Context(), memory.Memories)
	if err != nil {
		t.Fatal(err)
	}
	want := proto.CloneOf(before)
	want.GetParams().GetVectorsConfig().GetParams().Size = dimension
	if got := after.GetConfig(); !proto.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, field := range []string{"source", "text", "project"} {
		if after.GetPayloadSchema()[field] == nil {
			t.Errorf("the payload index of %s is gone", field)
		}
	}
	if after.GetPayloadSchema()["text"].GetDataType() != pb.PayloadSchemaType_Text {
		t.Errorf("the index of text is now of type %v", after.GetPayloadSchema()["text"].GetDataType())
	}
	aliases, err := admin.ListCollectionAliases(t.Context(), memory.Memories)
	slices.Sort(aliases)
	if want := []string{memory.Memories + "." + first.name, "team-memories"}; err != nil || !slices.Equal(aliases, want) {
		t.Errorf("aliases %q, %v", aliases, err)
	}
	if names, err := admin.ListCollections(t.Context()); err != nil || len(names) != len(memory.Collections()) {
		t.Errorf("collections %q, %v", names, err)
	}
}

// TestRecreateKeepsSettings makes a collection anew for other vectors.
func TestRecreateKeepsSettings(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "")
	administered(t, s, memory.Memories)
	before, err := raw(t, s).GetCollectionInfo(t.Context(), memory.Memories)
	if err != nil {
		t.Fatal(err)
	}
	x := dialAs(t, s.Addr(), first, withKey)
	ready(t, x, rec("a", memory.Vector{1, 0, 0}, nil))
	if err := x.Recreate(t.Context(), memory.Memories, 5); err != nil {
		t.Fatal(err)
	}
	settled(t, s, before.GetConfig(), 5)
	if n, err := x.Counts(t.Context(), true); err != nil || n[memory.Memories] != 0 {
		t.Errorf("it holds %d points, %v", n[memory.Memories], err)
	}
}

// TestRecreateKilled finds what a process left that was killed while the
// settings lay aside: the next one to need the collection puts them back.
func TestRecreateKilled(t *testing.T) {
	t.Parallel()
	for name, goOn := range map[string]func(*qdrant.Index) error{
		"ensured":   func(x *qdrant.Index) error { return x.EnsureCollections(t.Context(), 5) },
		"recreated": func(x *qdrant.Index) error { return x.Recreate(t.Context(), memory.Memories, 5) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, t.TempDir(), "")
			const aside = memory.Memories + ".settings"
			administered(t, s, aside)
			before, err := raw(t, s).GetCollectionInfo(t.Context(), aside)
			if err != nil {
				t.Fatal(err)
			}
			x := dialAs(t, s.Addr(), first, withKey)
			if err := goOn(x); err != nil {
				t.Fatal(err)
			}
			if err := x.EnsureCollections(t.Context(), 5); err != nil { // the other six
				t.Fatal(err)
			}
			settled(t, s, before.GetConfig(), 5)
		})
	}
}
