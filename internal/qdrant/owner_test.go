package qdrant_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	pb "github.com/qdrant/go-client/qdrant"

	server "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// serve starts a server on data in dir, at addr or, if that is "", at any.
func serve(t *testing.T, dir, addr string) *server.Server {
	t.Helper()
	s, err := server.Start(t.Context(), server.Options{Dir: dir, Addr: addr, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

func withKey(o *qdrant.Options) { o.APIKey = "key" }

// raw is what an administrator, or somebody else, does to a server.
func raw(t *testing.T, s *server.Server) *pb.Client {
	t.Helper()
	host, port, _ := strings.Cut(s.Addr(), ":")
	c, err := pb.NewClient(&pb.Config{Host: host, Port: number(t, port), APIKey: "key", SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// ready makes the collections of an index of three numbers and puts records there.
func ready(t *testing.T, x *qdrant.Index, records ...memory.Record) {
	t.Helper()
	if err := x.EnsureCollections(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	put(t, x, records...)
}

func foundBy(t *testing.T, x *qdrant.Index) []string {
	t.Helper()
	var found []memory.Candidate
	var err error
	for range 100 { // a connection to a server that was stopped may not have noticed yet
		found, err = x.Search(t.Context(), memory.Search{Vector: memory.Vector{1, 0, 0}, Limit: 5})
		if memory.CodeOf(err) != memory.Unavailable {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	return texts(found)
}

// uses are all that can be done with an index.
func uses(t *testing.T, x *qdrant.Index) map[string]error {
	t.Helper()
	r := rec("what another ledger writes", memory.Vector{1, 0, 0}, nil)
	out := map[string]error{
		"ensure":   x.EnsureCollections(t.Context(), 3),
		"resize":   x.EnsureCollections(t.Context(), 4),
		"recreate": x.Recreate(t.Context(), memory.Memories, 3),
		"fit":      x.Fit(t.Context(), memory.Memories, 3),
		"fit anew": x.Fit(t.Context(), memory.Memories, 4),
		"upsert":   x.Upsert(t.Context(), []memory.Record{r}),
		"delete":   x.Delete(t.Context(), memory.Memories, []string{rec("a", memory.Vector{1, 0, 0}, nil).ID}),
	}
	_, out["search"] = x.Search(t.Context(), memory.Search{Text: "word", Vector: memory.Vector{1, 0, 0}})
	_, out["near"] = x.Alike(t.Context(), r, []string{"p"}, []string{memory.Memories}, 5)
	_, out["missing"] = x.Missing(t.Context(), memory.Memories, []string{r.ID})
	_, out["compare"] = x.Compare(t.Context(), memory.Memories, []memory.Record{r})
	_, out["ids"] = x.IDs(t.Context(), memory.Memories, "", 5)
	_, out["counts"] = x.Counts(t.Context(), true)
	_, out["graphs"] = x.RebuildGraphs(t.Context(), memory.Memories)
	return out
}

// refused checks that a ledger can do nothing with the index of another one.
func refused(t *testing.T, x *qdrant.Index, owner string) {
	t.Helper()
	for name, err := range uses(t, x) {
		if memory.CodeOf(err) != memory.Refused || !strings.Contains(memory.HintOf(err), "MNEME_QDRANT_PREFIX") {
			t.Errorf("%s: %v (%s; %s)", name, err, memory.CodeOf(err), memory.HintOf(err))
		} else if !strings.Contains(err.Error(), owner) {
			t.Errorf("%s does not say whose it is: %v", name, err)
		}
	}
}

// TestTwoLedgers has two share a server: the second does nothing with what is
// the first's, and has its own with a prefix.
func TestTwoLedgers(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "")
	x := dialAs(t, s.Addr(), first, withKey)
	a := rec("a", memory.Vector{1, 0, 0}, nil)
	ready(t, x, a)
	refused(t, dialAs(t, s.Addr(), second, withKey), first.name)
	refused(t, dialAs(t, s.Addr(), second, func(o *qdrant.Options) { o.APIKey, o.Private = "key", true }), first.name)

	y := dialAs(t, s.Addr(), second, func(o *qdrant.Options) { o.APIKey, o.Prefix = "key", "second-" })
	ready(t, y, rec("b", memory.Vector{1, 0, 0}, nil))
	if got := foundBy(t, y); !slices.Equal(got, []string{"b"}) {
		t.Errorf("the second finds %q", got)
	}
	for _, collection := range memory.Collections() {
		if err := y.Recreate(t.Context(), collection, 4); err != nil {
			t.Fatal(err)
		}
	}
	if d, err := x.Compare(t.Context(), memory.Memories, []memory.Record{a}); err != nil || len(d.IDs()) > 0 {
		t.Errorf("of the first, %v differ, %v", d, err)
	}
	// Another machine with the same ledger shares it.
	if got := foundBy(t, dialAs(t, s.Addr(), first, withKey)); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the first, elsewhere, finds %q", got)
	}
}

// TestSwapped has the index of another ledger come where that of the first was,
// while the first is at work: with another server, and within one.
func TestSwapped(t *testing.T) {
	t.Parallel()
	dirs := t.TempDir()
	s := serve(t, filepath.Join(dirs, "first"), "")
	x := dialAs(t, s.Addr(), first, withKey)
	ready(t, x, rec("a", memory.Vector{1, 0, 0}, nil))
	swap := func(dir string) *server.Server {
		t.Helper()
		addr := s.Addr()
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		s = serve(t, filepath.Join(dirs, dir), addr)
		return s
	}
	swap("second")
	y := dialAs(t, s.Addr(), second, withKey)
	ready(t, y, rec("b", memory.Vector{1, 0, 0}, nil))
	refused(t, x, second.name)
	if got := foundBy(t, y); !slices.Equal(got, []string{"b"}) {
		t.Errorf("the second's index holds %q", got)
	}
	swap("first")
	if got := foundBy(t, x); !slices.Equal(got, []string{"a"}) {
		t.Errorf("back at its own, the first finds %q", got)
	}

	admin := raw(t, s)
	for _, collection := range memory.Collections() {
		if err := admin.DeleteCollection(t.Context(), collection); err != nil {
			t.Fatal(err)
		}
	}
	y = dialAs(t, s.Addr(), second, withKey)
	ready(t, y, rec("c", memory.Vector{1, 0, 0}, nil))
	refused(t, x, second.name)
	if got := foundBy(t, y); !slices.Equal(got, []string{"c"}) {
		t.Errorf("the second's index holds %q", got)
	}
}

// TestAliasLost has the collections come back without the name under which they
// are addressed, as from a snapshot.
func TestAliasLost(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "")
	x := dialAs(t, s.Addr(), first, withKey)
	ready(t, x, rec("a", memory.Vector{1, 0, 0}, nil))
	if err := raw(t, s).DeleteAlias(t.Context(), memory.Memories+"."+first.name); err != nil {
		t.Fatal(err)
	}
	if got := foundBy(t, x); !slices.Equal(got, []string{"a"}) {
		t.Errorf("found %q", got)
	}
}

// anonymous takes the identity from the collections of an index, as a release
// without identities left them.
func anonymous(t *testing.T, s *server.Server) {
	t.Helper()
	admin := raw(t, s)
	for _, collection := range memory.Collections() {
		err := admin.CreateCollection(t.Context(), &pb.CreateCollection{
			CollectionName: collection,
			VectorsConfig:  pb.NewVectorsConfig(&pb.VectorParams{Size: 3, Distance: pb.Distance_Cosine}),
			SparseVectorsConfig: pb.NewSparseVectorsConfig(map[string]*pb.SparseVectorParams{
				"keyword": {Modifier: pb.Modifier_Idf.Enum()},
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// point writes a point as a release without identities did.
func point(t *testing.T, s *server.Server, r memory.Record) {
	t.Helper()
	_, err := raw(t, s).Upsert(t.Context(), &pb.UpsertPoints{
		CollectionName: r.Collection, Wait: pb.PtrOf(true),
		Points: []*pb.PointStruct{{
			Id: pb.NewID(r.ID), Vectors: pb.NewVectorsDense(r.Vector),
			Payload: pb.NewValueMap(map[string]any{"content_hash": r.ContentHash, "text": r.Text, "project": r.Project}),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAdoption gives collections that name no ledger to the one whose they are
// proven to be, and to nobody else.
func TestAdoption(t *testing.T) {
	t.Parallel()
	a, b := rec("a", memory.Vector{1, 0, 0}, nil), rec("b", memory.Vector{1, 0, 0}, nil)
	changed := a
	changed.ContentHash = memory.ContentHash("another text")
	for name, c := range map[string]struct {
		ledger  *ledger
		private bool
		points  []memory.Record
		want    memory.Code
	}{
		"a server of the home's own":  {stored(first.name), true, []memory.Record{a, b}, ""},
		"nothing in it":               {stored(first.name), false, nil, ""},
		"all of it is the ledger's":   {stored(first.name, a, b), false, []memory.Record{a, b}, ""},
		"one is somebody else's":      {stored(first.name, a), false, []memory.Record{a, b}, memory.Refused},
		"one has another text":        {stored(first.name, a, b), false, []memory.Record{changed, b}, memory.Refused},
		"all of it is somebody's":     {stored(first.name), false, []memory.Record{a}, memory.Refused},
		"an empty ledger finds texts": {stored(second.name), false, []memory.Record{b}, memory.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, t.TempDir(), "")
			anonymous(t, s)
			for _, r := range c.points {
				point(t, s, r)
			}
			x := dialAs(t, s.Addr(), c.ledger, func(o *qdrant.Options) { o.APIKey, o.Private = "key", c.private })
			err := x.EnsureCollections(t.Context(), 3)
			if memory.CodeOf(err) != c.want || c.want != "" && !strings.Contains(memory.HintOf(err), "MNEME_QDRANT_PREFIX") {
				t.Fatalf("%v (%s; %s)", err, memory.CodeOf(err), memory.HintOf(err))
			}
			count, err := raw(t, s).Count(t.Context(), &pb.CountPoints{CollectionName: memory.Memories, Exact: pb.PtrOf(true)})
			if err != nil || count != uint64(len(c.points)) {
				t.Errorf("%d points of %d, %v", count, len(c.points), err)
			}
			info, err := raw(t, s).GetCollectionInfo(t.Context(), memory.Memories)
			if err != nil {
				t.Fatal(err)
			}
			if owner := info.GetConfig().GetMetadata()["mneme_ledger"].GetStringValue(); (owner == c.ledger.name) != (c.want == "") {
				t.Errorf("it names the ledger %q", owner)
			}
		})
	}
}

// TestOtherShapes leaves alone what has our names and is made for something
// else, and never says that a rebuild would mend it.
func TestOtherShapes(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "")
	for _, collection := range memory.Collections() {
		err := raw(t, s).CreateCollection(t.Context(), &pb.CreateCollection{
			CollectionName: collection, VectorsConfig: pb.NewVectorsConfig(&pb.VectorParams{Size: 768, Distance: pb.Distance_Dot}),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	x := dialAs(t, s.Addr(), first, withKey)
	refused(t, x, "names no ledger")
	for name, err := range uses(t, x) {
		if strings.Contains(memory.HintOf(err), "rebuild") {
			t.Errorf("%s: %s", name, memory.HintOf(err))
		}
	}
	info, err := raw(t, s).GetCollectionInfo(t.Context(), memory.Memories)
	if err != nil || info.GetConfig().GetParams().GetVectorsConfig().GetParams().GetSize() != 768 {
		t.Errorf("it is now %v, %v", info, err)
	}
}

// TestAdoptionRace has two ledgers find the same empty collections in the same
// moment: each collection becomes one ledger's.
func TestAdoptionRace(t *testing.T) {
	t.Parallel()
	for range 8 {
		s := serve(t, t.TempDir(), "")
		anonymous(t, s)
		indexes := map[string]*qdrant.Index{
			first.name: dialAs(t, s.Addr(), first, withKey), second.name: dialAs(t, s.Addr(), second, withKey),
		}
		var both sync.WaitGroup
		for _, x := range indexes {
			both.Go(func() { _ = x.EnsureCollections(t.Context(), 3) })
		}
		both.Wait()
		for _, collection := range memory.Collections() {
			var owners []string
			for name, x := range indexes {
				r := rec("by "+name, memory.Vector{1, 0, 0}, func(r *memory.Record) { r.Collection = collection })
				if err := x.Upsert(t.Context(), []memory.Record{r}); err == nil {
					owners = append(owners, name)
				} else if memory.CodeOf(err) != memory.Refused {
					t.Errorf("%s of %s: %v", collection, name, err)
				}
			}
			if len(owners) != 1 {
				t.Errorf("%s is written to by %q of %q", collection, owners, slices.Collect(maps.Keys(indexes)))
			}
		}
	}
}
