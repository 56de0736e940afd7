package qdrant_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/embedded/qdrant"
)

const (
	things   = "things"
	serveDir = "MNEME_TEST_SERVE_DIR"
)

// TestMain is also the child that serves until it is killed.
func TestMain(m *testing.M) {
	dir := os.Getenv(serveDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	server, err := qdrant.Start(context.Background(), qdrant.Options{Dir: dir})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(server.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent is gone
	_ = server.Stop()
	os.Exit(0)
}

func dial(t testing.TB, addr string) *pb.Client {
	t.Helper()
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pb.NewClient(&pb.Config{Host: host, Port: port, SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// create makes the kind of collection that memories are kept in.
func create(t testing.TB, client *pb.Client, dim int) {
	t.Helper()
	err := client.CreateCollection(t.Context(), &pb.CreateCollection{
		CollectionName: things,
		VectorsConfig:  pb.NewVectorsConfig(&pb.VectorParams{Size: uint64(dim), Distance: pb.Distance_Cosine}),
		SparseVectorsConfig: pb.NewSparseVectorsConfig(map[string]*pb.SparseVectorParams{
			"keyword": {Modifier: pb.Modifier_Idf.Enum()},
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreateFieldIndex(t.Context(), &pb.CreateFieldIndexCollection{
		CollectionName: things, Wait: pb.PtrOf(true), FieldName: "project", FieldType: pb.FieldType_FieldTypeKeyword.Enum(),
	}); err != nil {
		t.Fatal(err)
	}
}

func randomVector(rng *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

func thing(id int, v []float32) *pb.PointStruct {
	return &pb.PointStruct{
		Id: pb.NewIDNum(uint64(id)),
		Vectors: pb.NewVectorsMap(map[string]*pb.Vector{
			"":        pb.NewVectorDense(v),
			"keyword": pb.NewVectorSparse([]uint32{uint32(id % 100), 1000 + uint32(id%7)}, []float32{1, 2}),
		}),
		Payload: pb.NewValueMap(map[string]any{"project": fmt.Sprintf("p%d", id%3), "n": id}),
	}
}

func upsert(ctx context.Context, client *pb.Client, points ...*pb.PointStruct) error {
	_, err := client.Upsert(ctx, &pb.UpsertPoints{CollectionName: things, Wait: pb.PtrOf(true), Points: points})
	return err
}

// TestKill kills a serving process in the midst of writes, three times over
// the same data: every point that was acknowledged is there afterwards.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acknowledged := map[int]bool{}
	for round := range 3 {
		child, client := serveInChild(t, dir)
		if round == 0 {
			create(t, client, 16)
		}
		writeUntilKilled(t, child, client, round, acknowledged)
	}
	server := start(t, qdrant.Options{Dir: dir})
	client := dial(t, server.Addr())
	for id := range acknowledged {
		got, err := client.Get(t.Context(), &pb.GetPoints{
			CollectionName: things, Ids: []*pb.PointId{pb.NewIDNum(uint64(id))},
			WithPayload: pb.NewWithPayload(true), WithVectors: pb.NewWithVectors(true),
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].GetPayload()["n"].GetIntegerValue() != int64(id) || len(got[0].GetVectors().GetVectors().GetVectors()) != 2 {
			t.Fatalf("acknowledged point %d: got %v", id, got)
		}
	}
	if len(acknowledged) < 100 {
		t.Fatalf("only %d points were acknowledged before the kills: the test shows nothing", len(acknowledged))
	}
}

func serveInChild(t *testing.T, dir string) (*exec.Cmd, *pb.Client) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), serveDir+"="+dir)
	child.Stderr = os.Stderr
	in, err := child.StdinPipe() // ends the child if this process dies
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = child.Process.Kill(); _ = child.Wait() })
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return child, dial(t, strings.TrimSpace(addr))
}

// writeUntilKilled lets four writers go on until the server is gone.
func writeUntilKilled(t *testing.T, child *exec.Cmd, client *pb.Client, round int, acknowledged map[int]bool) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	enough := make(chan struct{})
	count := 0
	for writer := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(round), uint64(writer)))
			for i := 0; ; i++ {
				id := round*1_000_000 + writer*100_000 + i
				if upsert(t.Context(), client, thing(id, randomVector(rng, 16))) != nil {
					return
				}
				mu.Lock()
				acknowledged[id] = true
				if count++; count == 200 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	<-enough
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	_ = child.Wait()
}

func TestSecondServerOfAFolderIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, qdrant.Options{Dir: dir})
	if _, err := qdrant.Start(t.Context(), qdrant.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Fatalf("second server: %v", err)
	}
	for range 2 {
		if err := first.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	start(t, qdrant.Options{Dir: dir})
}

func TestOnlyLoopback(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:6334", "nowhere"} {
		if _, err := qdrant.Start(t.Context(), qdrant.Options{Dir: t.TempDir(), Addr: addr}); err == nil {
			t.Errorf("%q was accepted", addr)
		}
	}
}

// TestReopen writes, changes and deletes, tears the end of the log off, and
// finds everything as it was.
func TestReopen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := start(t, qdrant.Options{Dir: dir})
	client := dial(t, server.Addr())
	create(t, client, 8)
	rng := rand.New(rand.NewPCG(1, 2))
	for id := range 50 {
		if err := upsert(t.Context(), client, thing(id, randomVector(rng, 8))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Delete(t.Context(), &pb.DeletePoints{CollectionName: things, Wait: pb.PtrOf(true), Points: pb.NewPointsSelector(pb.NewIDNum(7))}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.SetPayload(t.Context(), &pb.SetPayloadPoints{
		CollectionName: things, Wait: pb.PtrOf(true), Payload: pb.NewValueMap(map[string]any{"project": "moved"}),
		PointsSelector: pb.NewPointsSelector(pb.NewIDNum(8)),
	}); err != nil {
		t.Fatal(err)
	}
	before := everything(t, client)
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	tearLog(t, dir)
	client = dial(t, start(t, qdrant.Options{Dir: dir}).Addr())
	after := everything(t, client)
	if strings.Join(before, "\n") != strings.Join(after, "\n") || len(after) != 49 {
		t.Fatalf("%d points before, %d after, or they differ", len(before), len(after))
	}
	moved, err := client.Count(t.Context(), &pb.CountPoints{CollectionName: things, Filter: &pb.Filter{Must: []*pb.Condition{pb.NewMatch("project", "moved")}}})
	if err != nil || moved != 1 {
		t.Fatalf("by index after reopening: %d, %v", moved, err)
	}
}

func tearLog(t *testing.T, dir string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "c-*", "*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs: %v, %v", logs, err)
	}
	f, err := os.OpenFile(logs[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte{40, 0, 0, 0, 1, 2, 3, 4, 5, 6}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// everything reads all points as text.
func everything(t *testing.T, client *pb.Client) []string {
	t.Helper()
	points, err := client.Scroll(t.Context(), &pb.ScrollPoints{
		CollectionName: things, Limit: pb.PtrOf(uint32(1000)), WithVectors: pb.NewWithVectors(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range points {
		v := p.GetVectors().GetVectors().GetVectors()
		out = append(out, fmt.Sprint(p.GetId().GetNum(), p.GetPayload()["project"].GetStringValue(), p.GetPayload()["n"].GetIntegerValue(),
			v[""].GetDense().GetData(), v["keyword"].GetSparse().GetIndices(), v["keyword"].GetSparse().GetValues()))
	}
	return out
}
