package qdrant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

// TestSearchIsExact compares the ranking, over chunks and two goroutines, with
// a plain sort of all scores.
func TestSearchIsExact(t *testing.T) {
	t.Parallel()
	const n, dim = 20_000, 256 // above the size from which two share the work
	rng := rand.New(rand.NewPCG(1, 1))
	table := newDenseTable(dim, pb.Distance_Dot)
	ids := make([]pointID, n)
	for row := range n {
		ids[row] = numberID(uint64(row))
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		table.put(uint32(row), v)
	}
	for row := 0; row < n; row += 3 {
		table.remove(uint32(row))
	}
	query := slices.Clone(table.row(1))
	best := newRanking(50, nil, ids)
	table.search(query, nil, best)
	var all []hit
	for row := range uint32(n) {
		if v := table.get(row); v != nil {
			all = append(all, hit{row, score(pb.Distance_Dot, query, v)})
		}
	}
	slices.SortFunc(all, func(a, b hit) int {
		if a.score > b.score {
			return -1
		}
		return 1
	})
	if got := best.sorted(); !slices.Equal(got, all[:50]) {
		t.Fatalf("got %v, want %v", got, all[:50])
	}
}

func TestNormaliseGivesLengthOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-100, 100), 1, 20).Draw(t, "v")
		var before, after float64
		for i, x := range normalise(v) {
			after += float64(x) * float64(x)
			before += float64(v[i]) * float64(v[i])
		}
		if before > 1e-6 && math.Abs(after-1) > 1e-4 {
			t.Fatalf("length² %v became %v", before, after)
		}
	})
}

// TestSparseIndexAgreesWithScan writes, replaces and removes at random: the
// inverted index must find what a look at every vector finds.
func TestSparseIndexAgreesWithScan(t *testing.T) {
	t.Parallel()
	const rows = 12
	ids := make([]pointID, rows)
	for i := range ids {
		ids[i] = numberID(uint64(i))
	}
	rapid.Check(t, func(t *rapid.T) {
		x := newSparseIndex(true)
		draw := func() sparseVector {
			terms := rapid.SliceOfNDistinct(rapid.Uint32Range(0, 6), 0, 5, rapid.ID[uint32]).Draw(t, "terms")
			slices.Sort(terms)
			v := sparseVector{indices: terms}
			for range terms {
				v.values = append(v.values, float32(rapid.IntRange(-2, 3).Draw(t, "value")))
			}
			return v
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			row := rapid.Uint32Range(0, rows-1).Draw(t, "row")
			if rapid.Bool().Draw(t, "remove") {
				x.remove(row)
			} else {
				x.put(row, draw())
			}
		}
		query := draw()
		best := newRanking(rows, nil, ids)
		x.search(query, rows, nil, best)
		found := map[uint32]float32{}
		for _, h := range best.hits {
			found[h.row] = h.score
		}
		for row := range uint32(rows) {
			want, shared := x.scoreRow(query, row)
			got, ok := found[row]
			if ok != shared || math.Abs(float64(got-want)) > 1e-4 {
				t.Fatalf("row %d: got %v %v, want %v %v", row, got, ok, want, shared)
			}
		}
	})
}

// TestIndexAgreesWithPayload checks random filters with and without indexes
// over random changes: on values of the index's type both must agree.
func TestIndexAgreesWithPayload(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plain, indexed := exampleCollection(t, false), exampleCollection(t, true)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			id := numberID(rapid.Uint64Range(0, 9).Draw(t, "id"))
			if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
				plain.remove(id)
				indexed.remove(id)
				continue
			}
			payload, err := encodePayload(pb.NewValueMap(map[string]any{
				"k": rapid.SampledFrom([]any{"a", "b", []any{"a", "c"}, nil}).Draw(t, "k"),
				"n": rapid.SampledFrom([]any{1, 2, []any{2, 30}, nil}).Draw(t, "n"),
			}))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []*collection{plain, indexed} {
				if err := c.put(&storedPoint{id: id, payload: payload}); err != nil {
					t.Fatal(err)
				}
			}
		}
		f := &pb.Filter{}
		for _, list := range []*[]*pb.Condition{&f.Must, &f.Should, &f.MustNot} {
			for range rapid.IntRange(0, 2).Draw(t, "conditions") {
				*list = append(*list, drawCondition(t))
			}
		}
		compiled, err := newFilter(f)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := idsOf(t, plain, compiled), idsOf(t, indexed, compiled); !slices.Equal(a, b) {
			t.Fatalf("filter %v: without indexes %v, with %v", f, a, b)
		}
	})
}

func drawCondition(t *rapid.T) *pb.Condition {
	return rapid.SampledFrom([]*pb.Condition{
		pb.NewMatch("k", "a"), pb.NewMatchKeywords("k", "b", "c"), pb.NewMatchExcept("k", "a"), pb.NewIsEmpty("k"), pb.NewIsNull("n"),
		pb.NewMatchInt("n", 2), pb.NewRange("n", &pb.Range{Gt: proto.Float64(1.5)}), pb.NewMatchExceptInts("n", 2),
		pb.NewHasID(pb.NewIDNum(1), pb.NewIDNum(2)),
	}).Draw(t, "condition")
}

func exampleCollection(t *rapid.T, indexed bool) *collection {
	c := &collection{}
	c.shape(&pb.CollectionConfig{})
	if indexed {
		for field, kind := range map[string]pb.PayloadSchemaType{"k": pb.PayloadSchemaType_Keyword, "n": pb.PayloadSchemaType_Integer} {
			x, err := newFieldIndex(field, &pb.PayloadSchemaInfo{DataType: kind})
			if err != nil {
				t.Fatal(err)
			}
			c.indexes[field] = x
		}
	}
	return c
}

func idsOf(t *rapid.T, c *collection, f *filter) []string {
	set, err := c.allowed(f)
	if err != nil {
		t.Fatal(err)
	}
	if set == nil {
		set = c.live
	}
	out := []string{}
	set.each(func(row uint32) bool { out = append(out, c.ids[row].String()); return true })
	slices.Sort(out)
	return out
}

// TestCompaction rewrites a log and reads the same points back.
func TestCompaction(t *testing.T) {
	t.Parallel()
	st, err := openStore(t.Context(), t.TempDir(), discard())
	if err != nil {
		t.Fatal(err)
	}
	config := newConfig(&pb.CreateCollection{VectorsConfig: pb.NewVectorsConfig(&pb.VectorParams{Size: 2, Distance: pb.Distance_Dot})})
	if err := st.create("c", config); err != nil {
		t.Fatal(err)
	}
	c := st.collections["c"]
	for i := range 1000 {
		p := storedPoint{id: numberID(uint64(i % 10)), dense: []namedDense{{"", []float32{float32(i), 1}}}}
		if _, _, err := c.change(func(*collection) (*record, error) { return &record{kind: recordPut, points: []storedPoint{p}}, nil }); err != nil {
			t.Fatal(err)
		}
	}
	before := c.log.Size()
	if err := c.log.Replace(c.dump); err != nil {
		t.Fatal(err)
	}
	if after := c.log.Size(); after > before/20 {
		t.Fatalf("log of %d bytes is still %d", before, after)
	}
	if err := st.close(); err != nil {
		t.Fatal(err)
	}
	again, err := openStore(t.Context(), st.dir, discard())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.close() }()
	c = again.collections["c"]
	if len(c.byID) != 10 || c.seq < 1000 {
		t.Fatalf("%d points, operation %d", len(c.byID), c.seq)
	}
	if v := c.dense[""].get(c.byID[numberID(3)]); v[0] != 993 {
		t.Fatalf("point 3 is %v", v)
	}
}
