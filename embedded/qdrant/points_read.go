package qdrant

import (
	"cmp"
	"context"
	"slices"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
)

// shown is what of each point a response carries.
type shown struct {
	payload payloadSelector
	vectors vectorSelector
}

// show reads what a request wants to see and calls f with the collection held
// for reading. Without a wish for payloads, all decides.
func (c *collection) show(payload *pb.WithPayloadSelector, all bool, vectors *pb.WithVectorsSelector, f func(shown) error) error {
	p, err := newPayloadSelector(payload, all)
	if err != nil {
		return err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, err := newVectorSelector(vectors, c)
	if err != nil {
		return err
	}
	return f(shown{p, v})
}

// retrieved are points as a response that ranks nothing carries them.
func (c *collection) retrieved(hits []scored, s shown) ([]*pb.RetrievedPoint, error) {
	var out []*pb.RetrievedPoint
	for _, h := range hits {
		p := &pb.RetrievedPoint{Id: c.ids[h.row].message(), Vectors: c.vectors(h.row, s.vectors), OrderValue: h.order}
		if err := s.payload.attach(c.payloads[h.row], p.ProtoReflect()); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// read finds a collection, calls f with it and returns the seconds that took.
func (s *store) read(name string, f func(*collection) error) (float64, error) {
	start := time.Now()
	c, err := s.find(name)
	if err == nil {
		err = f(c)
	}
	return time.Since(start).Seconds(), err
}

// Get returns points in the order asked for, each once, without the missing.
func (s *pointsService) Get(_ context.Context, r *pb.GetPoints) (*pb.GetResponse, error) {
	out := &pb.GetResponse{}
	took, err := s.store.read(r.GetCollectionName(), func(c *collection) error {
		ids, err := parseIDs(r.GetIds())
		if err != nil {
			return err
		}
		return c.show(r.GetWithPayload(), false, r.GetWithVectors(), func(v shown) error {
			out.Result, err = c.retrieved(c.there(ids), v)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	out.Time = took
	return out, nil
}

// there are the points of ids, each once, without the missing.
func (c *collection) there(ids []pointID) []scored {
	hits := make([]scored, 0, len(ids))
	seen := make(map[pointID]bool, len(ids))
	for _, id := range ids {
		if row, ok := c.byID[id]; ok && !seen[id] {
			seen[id] = true
			hits = append(hits, scored{hit: hit{row: row}})
		}
	}
	return hits
}

// Count counts points, always exactly.
func (s *pointsService) Count(_ context.Context, r *pb.CountPoints) (*pb.CountResponse, error) {
	var n int
	took, err := s.store.read(r.GetCollectionName(), func(c *collection) error {
		f, err := newFilter(r.GetFilter())
		if err != nil {
			return err
		}
		c.mu.RLock()
		defer c.mu.RUnlock()
		set, err := c.allowed(f)
		n = len(c.byID)
		if set != nil {
			n = set.count()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &pb.CountResponse{Result: &pb.CountResult{Count: uint64(n)}, Time: took}, nil
}

// Scroll pages through points by id, or by a field.
func (s *pointsService) Scroll(_ context.Context, r *pb.ScrollPoints) (*pb.ScrollResponse, error) {
	out := &pb.ScrollResponse{}
	took, err := s.store.read(r.GetCollectionName(), func(c *collection) error {
		limit := defaultLimit
		if r.Limit != nil {
			limit = int(r.GetLimit())
		}
		if limit == 0 {
			return invalid("Validation error in body: [limit: value 0 invalid, must be 1 or larger]")
		}
		f, err := newFilter(r.GetFilter())
		if err != nil {
			return err
		}
		return c.show(r.GetWithPayload(), true, r.GetWithVectors(), func(v shown) error {
			hits, next, err := c.page(r, f, limit)
			if err != nil {
				return err
			}
			out.NextPageOffset = next
			out.Result, err = c.retrieved(hits, v)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	out.Time = took
	return out, nil
}

// page finds the points of a scroll and the first of the next page.
func (c *collection) page(r *pb.ScrollPoints, f *filter, limit int) ([]scored, *pb.PointId, error) {
	allowed, err := c.allowed(f)
	if err != nil {
		return nil, nil, err
	}
	if by := r.GetOrderBy(); by != nil {
		if r.GetOffset() != nil {
			return nil, nil, wrongInput("Cannot use an `offset` when using `order_by`. The alternative for paging is to use `order_by.start_from` and a filter to exclude the IDs that you've already seen for the `order_by.start_from` value")
		}
		hits, err := c.ordered(by, allowed, limit)
		return hits, nil, err
	}
	ids := c.order.list(c.byID)
	if r.GetOffset() != nil {
		from, err := parseID(r.GetOffset())
		if err != nil {
			return nil, nil, err
		}
		i, _ := slices.BinarySearchFunc(ids, from, compareIDs)
		ids = ids[i:]
	}
	var hits []scored
	for _, id := range ids {
		row := c.byID[id]
		if allowed != nil && !allowed.has(row) {
			continue
		}
		if len(hits) == limit {
			return hits, id.message(), nil
		}
		hits = append(hits, scored{hit: hit{row: row}})
	}
	return hits, nil, nil
}

// ordered lists points by a field; a list is there once for each value.
func (c *collection) ordered(by *pb.OrderBy, allowed bitset, limit int) ([]scored, error) {
	x := c.indexes[by.GetKey()]
	if x == nil || !x.ranged() {
		return nil, wrongInput("No range index for `order_by` key: `%s`. Please create one to use `order_by`. Check https://qdrant.tech/documentation/concepts/indexing/#payload-index to see which payload schemas support Range conditions", by.GetKey())
	}
	desc := by.GetDirection() == pb.Direction_Desc
	if x.floats != nil {
		var from *float64
		if s := by.GetStartFrom(); s != nil {
			v := s.GetFloat()
			if i, ok := s.GetValue().(*pb.StartFrom_Integer); ok {
				v = float64(i.Integer)
			}
			from = &v
		}
		return orderColumn(c, x.floats, from, desc, allowed, limit, func(v float64) *pb.OrderValue {
			return &pb.OrderValue{Variant: &pb.OrderValue_Float{Float: v}}
		}), nil
	}
	from, err := startInt(by.GetStartFrom())
	if err != nil {
		return nil, err
	}
	return orderColumn(c, x.ints, from, desc, allowed, limit, func(v int64) *pb.OrderValue {
		return &pb.OrderValue{Variant: &pb.OrderValue_Int{Int: v}}
	}), nil
}

func startInt(s *pb.StartFrom) (*int64, error) {
	var v int64
	switch o := s.GetValue().(type) {
	case nil:
		return nil, nil
	case *pb.StartFrom_Integer:
		v = o.Integer
	case *pb.StartFrom_Float:
		v = int64(o.Float)
	case *pb.StartFrom_Timestamp:
		v = o.Timestamp.AsTime().UnixMicro()
	case *pb.StartFrom_Datetime:
		t, ok := parseTime(o.Datetime)
		if !ok {
			return nil, invalid("cannot parse datetime: %s", o.Datetime)
		}
		v = t.UnixMicro()
	}
	return &v, nil
}

func orderColumn[T int64 | float64](c *collection, col *column[T], from *T, desc bool, allowed bitset, limit int, show func(T) *pb.OrderValue) []scored {
	type entry struct {
		row   uint32
		value T
	}
	var list []entry
	col.each(func(row uint32, value T) {
		if allowed != nil && !allowed.has(row) || from != nil && (desc && value > *from || !desc && value < *from) {
			return
		}
		list = append(list, entry{row, value})
	})
	slices.SortFunc(list, func(a, b entry) int {
		by := cmp.Or(cmp.Compare(a.value, b.value), compareIDs(c.ids[a.row], c.ids[b.row]))
		if desc {
			return -by
		}
		return by
	})
	out := make([]scored, 0, min(limit, len(list)))
	for _, e := range list[:min(limit, len(list))] {
		out = append(out, scored{hit: hit{e.row, 1}, plain: true, order: show(e.value)})
	}
	return out
}
