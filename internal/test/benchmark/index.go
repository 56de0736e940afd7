package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"github.com/viterin/vek/vek32"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	embedded "github.com/mneme-memory/mneme/embedded/qdrant"
)

const (
	dimension    = 768
	searchRounds = 60
	upsertRounds = 200
	points       = "points" // the collection
)

// The real Qdrant 1.17.1 on two cores, p50 over gRPC, exact search for 20.
const (
	realSearch10k  = 2200 * time.Microsecond
	realSearch100k = 29 * time.Millisecond
	realUpsert     = 3700 * time.Microsecond
)

// runIndex measures the embedded index alone: searches beside a pass over as
// much memory, durable writes beside a plain write to the same disk.
func runIndex(ctx context.Context, env *Env) (rows []Row, err error) {
	for _, size := range []int{10_000, 100_000} {
		more, err := indexOf(ctx, env, size)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// indexOf fills an index and measures it.
func indexOf(ctx context.Context, env *Env, size int) (rows []Row, err error) {
	dir := filepath.Join(env.Dir, fmt.Sprintf("index-%d", size))
	server, err := embedded.Start(ctx, embedded.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop(), os.RemoveAll(dir)) }()
	conn, err := grpc.NewClient(server.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("connect to the index: %w", err)
	}
	defer conn.Close()
	x := &index{client: qdrant.NewGrpcClientFromConn(conn), random: rand.New(rand.NewPCG(5, uint64(size)))}
	env.say("filling an index with %d vectors of %d numbers", size, dimension)
	if err := x.fill(ctx, size); err != nil {
		return nil, err
	}
	rows, err = x.searches(ctx, size)
	if err != nil || size > 10_000 {
		return rows, err
	}
	writes, err := x.upserts(ctx, dir, size)
	return append(rows, writes...), err
}

// index is a client of the embedded server.
type index struct {
	client *qdrant.GrpcClient
	random *rand.Rand
}

func (x *index) vector() []float32 {
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(x.random.NormFloat64())
	}
	return v
}

func (x *index) fill(ctx context.Context, size int) error {
	_, err := x.client.Collections().Create(ctx, &qdrant.CreateCollection{
		CollectionName: points,
		VectorsConfig:  qdrant.NewVectorsConfig(&qdrant.VectorParams{Size: dimension, Distance: qdrant.Distance_Cosine}),
	})
	if err != nil {
		return fmt.Errorf("create collection: %w", err)
	}
	for first := 0; first < size; first += 500 {
		batch := make([]*qdrant.PointStruct, 500)
		for i := range batch {
			batch[i] = point(first+i, x.vector())
		}
		if err := x.upsert(ctx, batch...); err != nil {
			return err
		}
	}
	return nil
}

func point(id int, v []float32) *qdrant.PointStruct {
	return &qdrant.PointStruct{
		Id: qdrant.NewIDNum(uint64(id)), Vectors: qdrant.NewVectors(v...),
		Payload: map[string]*qdrant.Value{"text": qdrant.NewValueString(fmt.Sprintf("text %d", id))},
	}
}

func (x *index) upsert(ctx context.Context, batch ...*qdrant.PointStruct) error {
	_, err := x.client.Points().Upsert(ctx, &qdrant.UpsertPoints{
		CollectionName: points, Points: batch, Wait: qdrant.PtrOf(true),
	})
	if err != nil {
		return fmt.Errorf("write %d points: %w", len(batch), err)
	}
	return nil
}

// searches asks for the 20 nearest, and adds up as many numbers in between.
func (x *index) searches(ctx context.Context, size int) ([]Row, error) {
	table := make([]float32, size*dimension)
	for i := range table {
		table[i] = float32(i % 7)
	}
	var sum float32
	pass := func(int) (time.Duration, error) {
		return timed(func() error { sum += vek32.Sum(table); return nil })
	}
	var inside durations
	search := func(round int) (time.Duration, error) {
		query := qdrant.NewQueryDense(x.vector())
		return timed(func() error {
			r, err := x.client.Points().Query(ctx, &qdrant.QueryPoints{CollectionName: points, Query: query, Limit: qdrant.PtrOf(uint64(20))})
			if err != nil || len(r.GetResult()) != 20 {
				return fmt.Errorf("search found %d points, want 20: %w", len(r.GetResult()), err)
			}
			if round >= warmUp {
				inside = append(inside, time.Duration(r.GetTime()*float64(time.Second)))
			}
			return nil
		})
	}
	each, err := inTurns(ctx, searchRounds, 0, pass, search)
	if err != nil {
		return nil, err
	}
	if sum == 0 {
		return nil, errors.New("nothing was added up")
	}
	label := fmt.Sprintf("%d × %d", size, dimension)
	realOne, most := realSearch100k, 1.3
	if size == 10_000 {
		realOne, most = realSearch10k, 0 // the call itself weighs too much
	}
	return []Row{
		ratioRow("search of "+label+", inside the server", inside.p50(), "one pass over memory", each[0].p50(), most, len(inside)),
		ratioRow("search of "+label+", the whole call", each[1].p50(), "one pass over memory", each[0].p50(), 0, len(each[1])),
		ratioRow("the same", each[1].p50(), "recorded of Qdrant 1.17.1", realOne, 1, len(each[1])),
	}, nil
}

// upserts writes one point at a time and waits for the disk, and writes and
// syncs as many bytes to a plain file in between.
func (x *index) upserts(ctx context.Context, dir string, size int) ([]Row, error) {
	f, err := os.OpenFile(filepath.Join(dir, "plain"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open plain file: %w", err)
	}
	defer f.Close()
	data := make([]byte, 4*dimension)
	plain := func(int) (time.Duration, error) {
		return timed(func() error {
			if _, err := f.Write(data); err != nil {
				return fmt.Errorf("write plain file: %w", err)
			}
			return f.Sync()
		})
	}
	upsert := func(round int) (time.Duration, error) {
		p := point(size+round, x.vector())
		return timed(func() error { return x.upsert(ctx, p) })
	}
	each, err := inTurns(ctx, upsertRounds, 0, plain, upsert)
	if err != nil {
		return nil, err
	}
	return []Row{
		ratioRow("one durable upsert", each[1].p50(), "recorded of Qdrant 1.17.1", realUpsert, 1, len(each[1])),
		ratioRow("the same", each[1].p50(), "plain write and sync", each[0].p50(), 0, len(each[1])),
	}, nil
}
