package qdrant_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	client "github.com/qdrant/go-client/qdrant"

	server "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// many are records of every kind of field.
func many(n int) []memory.Record {
	expires := start().Add(time.Hour)
	records := make([]memory.Record, n)
	for i := range records {
		records[i] = rec(fmt.Sprintf("memory %d", i), memory.Vector{float32(i%7) - 3.3, 1.1, float32(i) / 31}, func(r *memory.Record) {
			r.Confidence, r.Position = float64(i)/1300, 3 // a place in no session is not kept
			if i%2 == 1 {
				r.Tags, r.Session, r.ExpiresAt = []string{"a", "b"}, "s", &expires
			}
			if i%5 == 1 {
				r.Text += " again again again" // terms of more weight
			}
		})
	}
	return records
}

func TestCompare(t *testing.T) {
	x := open(t)
	records := many(1203)
	put(t, x, records...)
	same := func(what string, records ...memory.Record) {
		t.Helper()
		d, err := x.Compare(t.Context(), memory.Memories, records)
		if err != nil || len(d.IDs()) > 0 {
			t.Errorf("%s: %d missing and %d other, %v; want none", what, len(d.Missing), len(d.Other), err)
		}
	}
	same("as they were written", records...)
	scaled := records[1]
	scaled.Vector = memory.Vector{scaled.Vector[0] * 3, scaled.Vector[1] * 3, scaled.Vector[2] * 3}
	same("a vector of the same direction", scaled)
	again := records[2]
	again.CreatedAt = again.CreatedAt.Add(300 * time.Nanosecond).In(time.FixedZone("", 3600))
	again.Confidence += 1e-12
	same("times and numbers with more digits than are kept", again)
	same("nothing at all")

	elsewhere := start().Add(2 * time.Hour)
	for what, change := range map[string]func(*memory.Record){
		"text": func(r *memory.Record) { r.Text += "!" }, "project": func(r *memory.Record) { r.Project = "q" },
		"type": func(r *memory.Record) { r.Type = memory.TypeNote }, "tags": func(r *memory.Record) { r.Tags = []string{"b", "a"} },
		"no tags": func(r *memory.Record) { r.Tags = nil }, "confidence": func(r *memory.Record) { r.Confidence += .001 },
		"importance": func(r *memory.Record) { r.Importance = .5 }, "pinned": func(r *memory.Record) { r.Pinned = !r.Pinned },
		"count": func(r *memory.Record) { r.AccessCount++ }, "created": func(r *memory.Record) { r.CreatedAt = elsewhere },
		"accessed": func(r *memory.Record) { r.LastAccessed = r.LastAccessed.Add(time.Microsecond) },
		"expires":  func(r *memory.Record) { r.ExpiresAt = &elsewhere }, "never expires": func(r *memory.Record) { r.ExpiresAt = nil },
		"source": func(r *memory.Record) { r.Source = memory.SourceHook }, "session": func(r *memory.Record) { r.Session = "t" },
		"position": func(r *memory.Record) { r.Position = 4 }, "hash": func(r *memory.Record) { r.ContentHash = "x" },
		"model":  func(r *memory.Record) { r.Model = "n" },
		"vector": func(r *memory.Record) { r.Vector = memory.Vector{1, 0, .01} }, "zero": func(r *memory.Record) { r.Vector = memory.Vector{0, 0, 0} },
	} {
		other := records[1]
		change(&other)
		if d, err := x.Compare(t.Context(), memory.Memories, []memory.Record{records[0], other}); err != nil || !slices.Equal(d.Other, []string{other.ID}) || len(d.Missing) > 0 {
			t.Errorf("%s: %+v, %v; want it to differ", what, d, err)
		}
	}
	unknown := rec("nobody wrote this", memory.Vector{1, 0, 0}, nil)
	if d, err := x.Compare(t.Context(), memory.Memories, []memory.Record{unknown, records[0]}); err != nil || !slices.Equal(d.Missing, []string{unknown.ID}) || len(d.Other) > 0 {
		t.Errorf("missing: %+v, %v", d, err)
	}
	put(t, x, unknown)
	zero := rec("nothing", memory.Vector{0, 0, 0}, nil)
	put(t, x, zero)
	same("a vector of nothing", zero)
}

// TestCompareFindsLostKeywords takes a point's sparse vector away.
func TestCompareFindsLostKeywords(t *testing.T) {
	x, raw := openRaw(t)
	r := rec("The retry policy is exponential.", memory.Vector{1, 0, 0}, nil)
	put(t, x, r)
	_, err := raw.DeleteVectors(t.Context(), &client.DeletePointVectors{
		CollectionName: memory.Memories, Wait: client.PtrOf(true), PointsSelector: client.NewPointsSelector(client.NewID(r.ID)),
		Vectors: &client.VectorsSelector{Names: []string{"keyword"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := x.Compare(t.Context(), memory.Memories, []memory.Record{r}); err != nil || !slices.Equal(d.Other, []string{r.ID}) {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestCompareVectorsThatAreScaledAgain writes vectors whose squared length, added up in
// float32, is as far from one as it gets: a server scales some of them once more, and none
// counts as another one.
func TestCompareVectorsThatAreScaledAgain(t *testing.T) {
	x := open(t)
	const dimension, n = 768, 2000
	for _, name := range memory.Collections() {
		if err := x.Recreate(t.Context(), name, dimension); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	var records []memory.Record
	for i := 0; len(records) < n; i++ {
		v := make(memory.Vector, dimension)
		for k := range v {
			v[k] = float32(random.NormFloat64())
		}
		var square float32
		for _, number := range v.Unit() {
			square += number * number
		}
		if math.Abs(float64(square)-1) > 3e-7 { // few are farther off
			records = append(records, rec(fmt.Sprintf("memory %d", i), v, nil))
		}
	}
	if err := x.Upsert(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	if d, err := x.Compare(t.Context(), memory.Memories, records); err != nil || len(d.IDs()) > 0 {
		t.Errorf("%d of %d differ, %v", len(d.IDs()), n, err)
	}
}

// TestIDs reads the points of a collection page by page: all of them, in the order in which
// PostgreSQL sorts UUIDs, which is that of their text.
func TestIDs(t *testing.T) {
	x, raw := openRaw(t)
	records := many(700)
	put(t, x, records...)
	if _, err := raw.Upsert(t.Context(), &client.UpsertPoints{ // somebody else's, and before all others
		CollectionName: memory.Memories, Wait: client.PtrOf(true),
		Points: []*client.PointStruct{{Id: client.NewIDNum(7), Vectors: client.NewVectors(1, 0, 0)}},
	}); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, r := range records {
		want = append(want, r.ID)
	}
	slices.Sort(want)
	for _, size := range []int{1000, 700, 699, 100} {
		var got []string
		for after := ""; ; after = got[len(got)-1] {
			ids, err := x.IDs(t.Context(), memory.Memories, after, size)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, ids...)
			if len(ids) < size {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: %d ids, want %d in their order", size, len(got), len(want))
		}
	}
	gone := want[10]
	if err := x.Delete(t.Context(), memory.Memories, []string{gone}); err != nil {
		t.Fatal(err)
	}
	if ids, err := x.IDs(t.Context(), memory.Memories, gone, 2); err != nil || !slices.Equal(ids, want[11:13]) {
		t.Errorf("after one that is gone: %v, %v", ids, err)
	}
}

func TestCounts(t *testing.T) {
	x, raw := openRaw(t)
	put(t, x, many(12)...)
	check := func(want map[string]int) {
		t.Helper()
		for _, exact := range []bool{true, false} {
			got, err := x.Counts(t.Context(), exact)
			if err != nil || len(got) != len(want) || got[memory.Memories] != want[memory.Memories] {
				t.Errorf("exact %v: %v, %v; want %v", exact, got, err, want)
			}
		}
	}
	all := map[string]int{}
	for _, name := range memory.Collections() {
		all[name] = 0
	}
	all[memory.Memories] = 12
	check(all)
	if err := raw.DeleteCollection(t.Context(), memory.Memories); err != nil {
		t.Fatal(err)
	}
	delete(all, memory.Memories)
	check(all)
}

// TestCollectionIsGone wants each call to say so, in a way that the activities understand.
func TestCollectionIsGone(t *testing.T) {
	x, raw := openRaw(t)
	if err := raw.DeleteCollection(t.Context(), memory.Memories); err != nil {
		t.Fatal(err)
	}
	r := rec("One.", memory.Vector{1, 0, 0}, nil)
	for what, call := range map[string]func(context.Context) error{
		"upsert": func(ctx context.Context) error { return x.Upsert(ctx, []memory.Record{r}) },
		"delete": func(ctx context.Context) error { return x.Delete(ctx, memory.Memories, []string{r.ID}) },
		"compare": func(ctx context.Context) error {
			_, err := x.Compare(ctx, memory.Memories, []memory.Record{r})
			return err
		},
		"ids": func(ctx context.Context) error { _, err := x.IDs(ctx, memory.Memories, "", 5); return err },
		"alike": func(ctx context.Context) error {
			_, err := x.Alike(ctx, r, []string{"p"}, memory.Collections(), 5)
			return err
		},
		"search": func(ctx context.Context) error {
			_, err := x.Search(ctx, memory.Search{Text: "one", Vector: memory.Vector{1, 0, 0}})
			return err
		},
	} {
		if err := call(t.Context()); !errors.Is(err, memory.ErrNoCollection) || memory.CodeOf(err) != memory.Unavailable {
			t.Errorf("%s: %v", what, err)
		}
	}
	if missing, err := x.Missing(t.Context(), memory.Memories, []string{r.ID}); err != nil || len(missing) != 1 {
		t.Errorf("missing: %v, %v", missing, err)
	}
}

// TestFit leaves what fits, and makes what does not.
func TestFit(t *testing.T) {
	x, raw := openRaw(t)
	r := rec("One.", memory.Vector{1, 0, 0}, nil)
	put(t, x, r)
	holds := func(what string, want int) {
		t.Helper()
		if counts, err := x.Counts(t.Context(), true); err != nil || counts[memory.Memories] != want {
			t.Errorf("%s: %v, %v; want %d", what, counts, err, want)
		}
	}
	fit := func(dimension int) {
		t.Helper()
		if err := x.Fit(t.Context(), memory.Memories, dimension); err != nil {
			t.Fatal(err)
		}
	}
	fit(3)
	holds("one that fits", 1)
	if err := raw.DeleteCollection(t.Context(), memory.Memories); err != nil {
		t.Fatal(err)
	}
	fit(3)
	holds("one that is missing", 0)
	put(t, x, r)
	fit(4)
	holds("one of another dimension", 0)
	r.Vector = memory.Vector{1, 0, 0, 0}
	put(t, x, r)
	holds("it takes such vectors", 1)
}

// openRaw is open with the client beside it that the index uses itself, for what mneme never does.
func openRaw(t *testing.T) (*qdrant.Index, *client.Client) {
	t.Helper()
	address := os.Getenv("MNEME_TEST_QDRANT_ADDRESS")
	if address == "" {
		s, err := server.Start(t.Context(), server.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Stop() })
		address = s.Addr()
	}
	x := openAt(t, address)
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := client.NewClient(&client.Config{Host: host, Port: port, SkipCompatibilityCheck: true, PoolSize: 1, KeepAliveTime: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	return x, raw
}
