package qdrant

import (
	"context"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// defaultLimit holds where a request names none, in prefetches too.
const defaultLimit = 10

// A stage is a query or a prefetch, which have the same fields.
type stage struct {
	prefetch  []*pb.PrefetchQuery
	query     *pb.Query
	using     string
	filter    *filter
	sent      *pb.Filter // what filter was made of
	threshold *float32
	limit     int
}

// A scored point may lie in no ranking: then it has no version to show.
type scored struct {
	hit
	plain bool // listed, not searched
	order *pb.OrderValue
}

// newStage checks a query's fields; where is its place in the request.
func newStage(prefetch []*pb.PrefetchQuery, query *pb.Query, using *string, f *pb.Filter, threshold *float32, limit *uint64, where string) (stage, error) {
	s := stage{prefetch: prefetch, query: query, sent: f, threshold: threshold, limit: defaultLimit}
	if using != nil {
		s.using = *using
	}
	if limit != nil {
		if *limit == 0 {
			return s, invalid("Validation error in body: [%slimit: value 0 invalid, must be 1 or larger]", where)
		}
		s.limit = int(min(*limit, 1<<30))
	}
	if query == nil && len(prefetch) > 0 {
		return s, invalid("Bad request: A query is needed to merge the prefetches. Can't have prefetches without defining a query.")
	}
	if query != nil && query.GetVariant() == nil {
		return s, invalid("Query variant is missing")
	}
	var err error
	s.filter, err = newFilter(f)
	return s, err
}

// run carries out a stage. outer is what outer filters let through; nil is
// everything. The caller holds the collection for reading.
func (c *collection) run(m *memo, s stage, outer bitset) ([]scored, error) {
	allowed, err := m.allowed(c, s)
	if err != nil {
		return nil, err
	}
	allowed = intersect(allowed, outer)
	lists := make([][]scored, len(s.prefetch))
	for i, p := range s.prefetch {
		if lists[i], err = m.prefetched(c, p, allowed); err != nil {
			return nil, err
		}
	}
	switch q := s.query.GetVariant().(type) {
	case nil:
		return c.listed(allowed, s.limit), nil
	case *pb.Query_Nearest:
		return c.nearest(s, q.Nearest, narrowed(lists, allowed))
	case *pb.Query_OrderBy:
		return c.ordered(q.OrderBy, narrowed(lists, allowed), s.limit)
	case *pb.Query_Fusion, *pb.Query_Rrf:
		return c.fuse(s, lists)
	default:
		return nil, unsupported("this kind of query")
	}
}

// intersect is what is in both sets, where nil holds everything.
func intersect(a, b bitset) bitset {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := a.clone()
	out.and(b)
	return out
}

// narrowed is what prefetches found, if there are any.
func narrowed(lists [][]scored, allowed bitset) bitset {
	if len(lists) == 0 {
		return allowed
	}
	out := bitset{}
	for _, list := range lists {
		for _, h := range list {
			out.add(h.row)
		}
	}
	return out
}

// nearest ranks by likeness to a vector, or to a point's vector, which is then
// left out itself.
func (c *collection) nearest(s stage, v *pb.VectorInput, allowed bitset) ([]scored, error) {
	in, err := readInput(v)
	if err != nil {
		return nil, err
	}
	t, x := c.dense[s.using], c.sparse[s.using]
	if t == nil && x == nil {
		return nil, noVector(s.using)
	}
	if in.kind == inputID {
		if in, allowed, err = c.vectorOf(in.id, s.using, allowed); err != nil {
			return nil, err
		}
	}
	threshold := s.threshold
	if t != nil && threshold != nil && smallerIsBetter(t.distance) {
		threshold = proto.Float32(-*threshold)
	}
	best := newRanking(s.limit, threshold, c.ids)
	if t != nil {
		query, err := in.fitDense(t)
		if err != nil {
			return nil, err
		}
		t.search(query, allowed, best)
	} else {
		if in.kind != inputSparse {
			return nil, wrongInput("Conversion between sparse and regular vectors failed")
		}
		x.search(in.sparse, len(c.ids), allowed, best)
	}
	out := make([]scored, len(best.hits))
	for i, h := range best.sorted() {
		if t != nil && smallerIsBetter(t.distance) {
			h.score = -h.score
		}
		out[i] = scored{hit: h}
	}
	return out, nil
}

// vectorOf takes a point's vector for the query and the point out of allowed.
func (c *collection) vectorOf(id pointID, using string, allowed bitset) (vectorInput, bitset, error) {
	row, ok := c.byID[id]
	if !ok {
		return vectorInput{}, nil, noPoint(id)
	}
	if allowed == nil {
		allowed = c.live
	}
	allowed = allowed.clone()
	allowed.remove(row)
	if t := c.dense[using]; t != nil {
		if v := t.get(row); v != nil {
			return vectorInput{dense: v}, allowed, nil
		}
	} else if x := c.sparse[using]; x.present.has(row) {
		return vectorInput{kind: inputSparse, sparse: x.vectors[row]}, allowed, nil
	}
	return vectorInput{}, nil, status.Errorf(codes.NotFound, "Not found: Vector with name %q for point not found", using)
}

// listed are points in the order of their ids, each of score 1.
func (c *collection) listed(allowed bitset, limit int) []scored {
	var out []scored
	for _, id := range c.order.list(c.byID) {
		if len(out) == limit {
			break
		}
		if row := c.byID[id]; allowed == nil || allowed.has(row) {
			out = append(out, scored{hit: hit{row, 1}, plain: true})
		}
	}
	return out
}

// Query answers one query.
func (s *pointsService) Query(_ context.Context, r *pb.QueryPoints) (*pb.QueryResponse, error) {
	out := &pb.QueryResponse{}
	took, err := s.store.read(r.GetCollectionName(), func(c *collection) (err error) {
		out.Result, err = c.query(&memo{}, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Time = took
	return out, nil
}

// QueryBatch answers several queries of one collection, or fails as a whole.
// Writes may come between two of them: readers that hold on for long would
// make all who come after a writer wait.
func (s *pointsService) QueryBatch(_ context.Context, r *pb.QueryBatchPoints) (*pb.QueryBatchResponse, error) {
	out := &pb.QueryBatchResponse{}
	shared := &memo{}
	took, err := s.store.read(r.GetCollectionName(), func(c *collection) error {
		for i, q := range r.GetQueryPoints() {
			if q.GetCollectionName() == "" {
				return invalid("Validation error in body: [query_points[%d].collection_name: value %q invalid, must be from 1 to 255 characters]", i, "")
			}
			points, err := c.query(shared, q)
			if err != nil {
				return err
			}
			out.Result = append(out.Result, &pb.BatchResult{Result: points})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Time = took
	return out, nil
}

// Search is the older form of a query.
func (s *pointsService) Search(ctx context.Context, r *pb.SearchPoints) (*pb.SearchResponse, error) {
	q := searchQuery(r)
	resp, err := s.Query(ctx, q)
	return &pb.SearchResponse{Result: resp.GetResult(), Time: resp.GetTime()}, err
}

// SearchBatch is several searches in one call.
func (s *pointsService) SearchBatch(ctx context.Context, r *pb.SearchBatchPoints) (*pb.SearchBatchResponse, error) {
	batch := &pb.QueryBatchPoints{CollectionName: r.GetCollectionName()}
	for _, search := range r.GetSearchPoints() {
		batch.QueryPoints = append(batch.QueryPoints, searchQuery(search))
	}
	resp, err := s.QueryBatch(ctx, batch)
	return &pb.SearchBatchResponse{Result: resp.GetResult(), Time: resp.GetTime()}, err
}

func searchQuery(r *pb.SearchPoints) *pb.QueryPoints {
	limit := r.GetLimit()
	q := &pb.QueryPoints{
		CollectionName: r.GetCollectionName(), Query: pb.NewQueryDense(r.GetVector()), Using: r.VectorName,
		Filter: r.GetFilter(), ScoreThreshold: r.ScoreThreshold, Limit: &limit, Offset: r.Offset,
		WithVectors: r.GetWithVectors(), WithPayload: r.GetWithPayload(), Timeout: r.Timeout,
	}
	if r.GetSparseIndices() != nil {
		q.Query = pb.NewQuerySparse(r.GetSparseIndices().GetData(), r.GetVector())
	}
	return q
}

func (c *collection) query(m *memo, r *pb.QueryPoints) ([]*pb.ScoredPoint, error) {
	if r.Timeout != nil && r.GetTimeout() == 0 {
		return nil, invalid("Validation error in body: [timeout: value 0 invalid, must be 1 or larger]")
	}
	s, err := newStage(r.GetPrefetch(), r.GetQuery(), r.Using, r.GetFilter(), r.ScoreThreshold, r.Limit, "")
	if err != nil {
		return nil, err
	}
	offset := int(min(r.GetOffset(), 1<<30))
	s.limit += offset
	var out []*pb.ScoredPoint
	err = c.show(r.GetWithPayload(), false, r.GetWithVectors(), func(v shown) error {
		m.at(c)
		hits, err := c.run(m, s, nil)
		if err != nil {
			return err
		}
		hits = hits[min(offset, len(hits)):]
		out = make([]*pb.ScoredPoint, len(hits))
		for i, h := range hits {
			out[i] = &pb.ScoredPoint{
				Id: c.ids[h.row].message(), Score: h.score, Version: c.versions[h.row],
				Vectors: c.vectors(h.row, v.vectors), OrderValue: h.order,
			}
			if err := v.payload.attach(c.payloads[h.row], out[i].ProtoReflect()); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}
