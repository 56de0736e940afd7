package qdrant

import (
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
)

// A condition is one part of a filter. It is asked of indexes first, which
// answer for all rows at once, and only else of each point.
type condition interface {
	// rows returns exactly the rows that match, if an index knows them. What
	// lies outside of within need not be looked at. The set is the caller's to
	// change and may hold rows that are free.
	rows(c *collection, within bitset) (bitset, bool)
	// match decides for one point.
	match(v *view) bool
}

// A view is what match sees: a point, or inside a nested condition one item of
// a list, which has no id and no vectors.
type view struct {
	c      *collection
	row    uint32
	fields map[string]*pb.Value
	nested bool
}

// A filter is a Filter message after all that can be wrong in it was checked.
type filter struct {
	must, should, mustNot, some []condition
	least                       int  // of some
	counted                     bool // some is in force
}

// newFilter compiles a filter; nil stays nil and lets everything through.
func newFilter(f *pb.Filter) (*filter, error) {
	if f == nil {
		return nil, nil
	}
	out := &filter{least: int(min(f.GetMinShould().GetMinCount(), 1<<30)), counted: f.MinShould != nil}
	lists := []struct {
		from []*pb.Condition
		to   *[]condition
	}{
		{f.Must, &out.must},
		{f.Should, &out.should},
		{f.MustNot, &out.mustNot},
		{f.GetMinShould().GetConditions(), &out.some},
	}
	for _, list := range lists {
		for _, c := range list.from {
			compiled, err := newCondition(c)
			if err != nil {
				return nil, err
			}
			if compiled != nil {
				*list.to = append(*list.to, compiled)
			}
		}
	}
	return out, nil
}

// newCondition compiles a condition; one of no kind is nil and left out.
func newCondition(c *pb.Condition) (condition, error) {
	switch k := c.GetConditionOneOf().(type) {
	case nil:
		return nil, nil
	case *pb.Condition_Field:
		return newFieldCondition(k.Field)
	case *pb.Condition_IsEmpty:
		path, err := parsePath(k.IsEmpty.GetKey())
		return &presence{key: k.IsEmpty.GetKey(), path: path, empty: true, want: true}, err
	case *pb.Condition_IsNull:
		path, err := parsePath(k.IsNull.GetKey())
		return &presence{key: k.IsNull.GetKey(), path: path, want: true}, err
	case *pb.Condition_HasId:
		ids, err := parseIDs(k.HasId.GetHasId())
		return hasID(ids), err
	case *pb.Condition_HasVector:
		return hasVector(k.HasVector.GetHasVector()), nil
	case *pb.Condition_Filter:
		if k.Filter == nil {
			return &filter{}, nil
		}
		return newFilter(k.Filter)
	case *pb.Condition_Nested:
		return newNested(k.Nested)
	default:
		return nil, unsupported("this kind of filter condition")
	}
}

// allowed returns the live rows that a filter lets through, nil if all rows
// are allowed.
func (c *collection) allowed(f *filter) (bitset, error) {
	if f == nil || f.empty() {
		return nil, nil
	}
	out := c.live.clone()
	rest := f.narrow(c, out)
	if rest.empty() {
		if out.count() == len(c.byID) {
			return nil, nil // a whole table is read faster than its rows one by one
		}
		return out, nil
	}
	var failure error
	out.each(func(row uint32) bool {
		fields, err := decodePayload(c.payloads[row])
		if err != nil {
			failure = err
			return false
		}
		if !rest.match(&view{c: c, row: row, fields: fields}) {
			out.remove(row)
		}
		return true
	})
	return out, failure
}

func (f *filter) empty() bool {
	return len(f.must)+len(f.should)+len(f.mustNot) == 0 && !f.counted
}

// narrow takes out of set what indexes rule out, and returns the part of the
// filter that they cannot decide.
func (f *filter) narrow(c *collection, set bitset) *filter {
	rest := &filter{}
	for _, cond := range f.must {
		if rows, ok := cond.rows(c, set); ok {
			set.and(rows)
		} else {
			rest.must = append(rest.must, cond)
		}
	}
	for _, cond := range f.mustNot {
		if rows, ok := cond.rows(c, set); ok {
			set.andNot(rows)
		} else {
			rest.mustNot = append(rest.mustNot, cond)
		}
	}
	if rows, ok := union(c, f.should, set); !ok {
		rest.should = f.should
	} else if len(f.should) > 0 {
		set.and(rows)
	}
	if f.counted {
		rest.counted, rest.least, rest.some = true, f.least, f.some
	}
	return rest
}

// union is all rows that meet one condition at least, if indexes know.
func union(c *collection, list []condition, within bitset) (bitset, bool) {
	var out bitset
	for _, cond := range list {
		rows, ok := cond.rows(c, within)
		if !ok {
			return nil, false
		}
		out.or(rows)
	}
	return out, true
}

// rows makes a filter a condition of another filter.
func (f *filter) rows(c *collection, within bitset) (bitset, bool) {
	set := within.clone()
	if rest := f.narrow(c, set); !rest.empty() {
		return nil, false
	}
	return set, true
}

func (f *filter) match(v *view) bool {
	holds := func(cond condition) bool { return cond.match(v) }
	for _, cond := range f.must {
		if !cond.match(v) {
			return false
		}
	}
	if slices.ContainsFunc(f.mustNot, holds) {
		return false
	}
	if len(f.should) > 0 && !slices.ContainsFunc(f.should, holds) {
		return false
	}
	if !f.counted {
		return true
	}
	n := 0
	for _, cond := range f.some {
		if cond.match(v) {
			n++
		}
	}
	return n >= f.least
}

// hasID matches points by id.
type hasID []pointID

func (h hasID) rows(c *collection, _ bitset) (bitset, bool) {
	out := newBitset(len(c.ids))
	for _, id := range h {
		if row, ok := c.byID[id]; ok {
			out.add(row)
		}
	}
	return out, true
}

func (h hasID) match(v *view) bool { return !v.nested && slices.Contains(h, v.c.ids[v.row]) }

// hasVector matches points that have a vector of this name.
type hasVector string

func (h hasVector) rows(c *collection, _ bitset) (bitset, bool) {
	if t := c.dense[string(h)]; t != nil {
		return t.present.clone(), true
	}
	if s := c.sparse[string(h)]; s != nil {
		return s.present.clone(), true
	}
	return nil, true
}

func (h hasVector) match(v *view) bool {
	rows, _ := h.rows(v.c, nil)
	return !v.nested && rows.has(v.row)
}

// nested matches points of which one item of a list meets a whole filter.
type nested struct {
	path  jsonPath
	inner *filter
}

func newNested(n *pb.NestedCondition) (condition, error) {
	path, err := parsePath(n.GetKey())
	if err != nil {
		return nil, err
	}
	inner, err := newFilter(n.GetFilter())
	if err != nil {
		return nil, err
	}
	if inner == nil {
		inner = &filter{}
	}
	return &nested{path: path, inner: inner}, nil
}

func (n *nested) rows(*collection, bitset) (bitset, bool) { return nil, false }

func (n *nested) match(v *view) bool {
	return slices.ContainsFunc(n.path.values(v.fields), func(value *pb.Value) bool {
		return scalars(value, func(item *pb.Value) bool {
			object := item.GetStructValue()
			if object == nil {
				return false
			}
			return n.inner.match(&view{c: v.c, row: v.row, fields: object.GetFields(), nested: true})
		})
	})
}

// presence asks whether a field is empty, or null.
type presence struct {
	key   string
	path  jsonPath
	empty bool // else null
	want  bool
}

func (p *presence) rows(c *collection, within bitset) (bitset, bool) {
	x := c.indexes[p.key]
	if x == nil {
		return nil, false
	}
	set, holds := x.null, p.want
	if p.empty {
		set, holds = x.nonEmpty, !p.want
	}
	if holds {
		return set.clone(), true
	}
	out := within.clone()
	out.andNot(set)
	return out, true
}

func (p *presence) match(v *view) bool {
	values := p.path.values(v.fields)
	if p.empty {
		return !slices.ContainsFunc(values, func(v *pb.Value) bool { return !isEmpty(v) }) == p.want
	}
	return slices.ContainsFunc(values, isNull) == p.want
}
