package qdrant

import (
	"maps"
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
)

// A selection names points by id or by filter.
type selection struct {
	ids    []pointID
	filter *filter
}

func newSelection(s *pb.PointsSelector, missing string) (selection, error) {
	if s == nil {
		return selection{}, invalid("%s", missing)
	}
	switch o := s.GetPointsSelectorOneOf().(type) {
	case *pb.PointsSelector_Points:
		ids, err := parseIDs(o.Points.GetIds())
		if err == nil && len(ids) == 0 {
			err = invalid("Bad request: Empty update request")
		}
		return selection{ids: ids}, err
	case *pb.PointsSelector_Filter:
		f, err := newFilter(o.Filter)
		if f == nil {
			f = &filter{}
		}
		return selection{filter: f}, err
	default:
		return selection{}, invalid("Malformed PointsSelector type")
	}
}

// rows are the points that are there, in the order asked for, and an error for
// the first that is not.
func (s selection) rows(c *collection) ([]uint32, error) {
	if s.filter != nil {
		set, err := c.allowed(s.filter)
		if err != nil {
			return nil, err
		}
		if set == nil {
			set = c.live
		}
		rows := make([]uint32, 0, set.count())
		set.each(func(row uint32) bool { rows = append(rows, row); return true })
		return rows, nil
	}
	var rows []uint32
	var missing error
	for _, id := range s.ids {
		row, ok := c.byID[id]
		if !ok {
			if missing == nil {
				missing = noPoint(id)
			}
			continue
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows, missing
}

func deletePoints(s *pb.PointsSelector) (change, error) {
	sel, err := newSelection(s, "PointSelector is missing")
	if err != nil {
		return nil, err
	}
	return func(c *collection) (*record, error) {
		if sel.filter == nil {
			return &record{kind: recordDelete, ids: sel.ids}, nil
		}
		rows, err := sel.rows(c)
		if err != nil {
			return nil, err
		}
		r := &record{kind: recordDelete}
		for _, row := range rows {
			r.ids = append(r.ids, c.ids[row])
		}
		return r, nil
	}, nil
}

// setPayload merges fields, or replaces all, of the points selected.
func setPayload(s *pb.PointsSelector, fields map[string]*pb.Value, key *string, replace bool) (change, error) {
	sel, err := newSelection(s, "points_selector is expected")
	if err != nil {
		return nil, err
	}
	var path jsonPath
	if key != nil {
		if path, err = parsePath(*key); err != nil {
			return nil, err
		}
	}
	if _, err := encodePayload(fields); err != nil {
		return nil, err
	}
	return editPayload(sel, func(old map[string]*pb.Value) map[string]*pb.Value {
		if replace {
			return fields
		}
		path.merge(old, fields)
		return old
	}), nil
}

func deleteKeys(s *pb.PointsSelector, keys []string) (change, error) {
	sel, err := newSelection(s, "points_selector is expected")
	if err != nil {
		return nil, err
	}
	paths, err := parsePaths(keys)
	if err != nil {
		return nil, err
	}
	return editPayload(sel, func(old map[string]*pb.Value) map[string]*pb.Value {
		for _, path := range paths {
			path.remove(old)
		}
		return old
	}), nil
}

func editPayload(sel selection, edit func(map[string]*pb.Value) map[string]*pb.Value) change {
	return func(c *collection) (*record, error) {
		rows, missing := sel.rows(c)
		r := &record{kind: recordPayload}
		for _, row := range rows {
			old, err := decodePayload(c.payloads[row])
			if err != nil {
				return nil, err
			}
			data, err := encodePayload(edit(old))
			if err != nil {
				return nil, err
			}
			r.points = append(r.points, storedPoint{id: c.ids[row], payload: data})
		}
		return r, missing
	}
}

func upsert(points []*pb.PointStruct, mode pb.UpdateMode, f *pb.Filter) (change, error) {
	if len(points) == 0 {
		return nil, invalid("Bad request: Empty update request")
	}
	guard, err := newFilter(f)
	if err != nil {
		return nil, err
	}
	list := make([]storedPoint, len(points))
	inputs := make([]map[string]vectorInput, len(points))
	for i, p := range points {
		if list[i].id, err = parseID(p.GetId()); err != nil {
			return nil, err
		}
		if list[i].payload, err = encodePayload(p.GetPayload()); err != nil {
			return nil, err
		}
		if inputs[i], err = readVectors(p.GetVectors(), "Expected some vectors"); err != nil {
			return nil, err
		}
	}
	return func(c *collection) (*record, error) {
		for i := range list {
			if err := c.fit(&list[i], inputs[i]); err != nil {
				return nil, err
			}
		}
		kept, err := c.wanted(list, mode, guard)
		return &record{kind: recordPut, points: kept}, err
	}, nil
}

// wanted drops the points that the mode of an upsert, or its filter, leaves as
// they are.
func (c *collection) wanted(list []storedPoint, mode pb.UpdateMode, guard *filter) ([]storedPoint, error) {
	if mode == pb.UpdateMode_Upsert && guard == nil {
		return list, nil
	}
	allowed, err := c.allowed(guard)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(p storedPoint) bool {
		row, exists := c.byID[p.id]
		if !exists {
			return mode == pb.UpdateMode_UpdateOnly
		}
		return mode == pb.UpdateMode_InsertOnly || allowed != nil && !allowed.has(row)
	}), nil
}

func updateVectors(points []*pb.PointVectors) (change, error) {
	if len(points) == 0 {
		return nil, invalid("Bad request: Empty update request")
	}
	ids := make([]pointID, len(points))
	inputs := make([]map[string]vectorInput, len(points))
	for i, p := range points {
		var err error
		if ids[i], err = parseID(p.GetId()); err != nil {
			return nil, err
		}
		if inputs[i], err = readVectors(p.GetVectors(), "vectors is expected"); err != nil {
			return nil, err
		}
	}
	return func(c *collection) (*record, error) {
		r := &record{kind: recordPut}
		pending := map[pointID]int{} // a point may be named twice
		var missing error
		for i, id := range ids {
			row, ok := c.byID[id]
			if !ok {
				if missing == nil {
					missing = noPoint(id)
				}
				continue
			}
			at, seen := pending[id]
			if !seen {
				at = len(r.points)
				pending[id] = at
				r.points = append(r.points, c.stored(row))
			}
			if err := c.fit(&r.points[at], inputs[i]); err != nil {
				return nil, err
			}
		}
		return r, missing
	}, nil
}

func deleteVectors(s *pb.PointsSelector, names []string) (change, error) {
	sel, err := newSelection(s, "points_selector is expected")
	if err != nil {
		return nil, err
	}
	return func(c *collection) (*record, error) {
		for _, name := range names {
			if c.dense[name] == nil && c.sparse[name] == nil {
				return nil, noVector(name)
			}
		}
		rows, missing := sel.rows(c)
		r := &record{kind: recordPut}
		for _, row := range rows {
			p := c.stored(row)
			p.dense = slices.DeleteFunc(p.dense, func(v namedDense) bool { return slices.Contains(names, v.name) })
			p.sparse = slices.DeleteFunc(p.sparse, func(v namedSparse) bool { return slices.Contains(names, v.name) })
			r.points = append(r.points, p)
		}
		return r, missing
	}, nil
}

// fit checks vectors against the collection and puts them into a point.
func (c *collection) fit(p *storedPoint, inputs map[string]vectorInput) error {
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		in := inputs[name]
		if t := c.dense[name]; t != nil {
			v, err := in.fitDense(t)
			if err != nil {
				return err
			}
			p.dense = slices.DeleteFunc(p.dense, func(v namedDense) bool { return v.name == name })
			p.dense = append(p.dense, namedDense{name, v})
			continue
		}
		if c.sparse[name] == nil {
			return noVector(name)
		}
		if in.kind != inputSparse {
			return wrongInput("Conversion between sparse and regular vectors failed")
		}
		p.sparse = slices.DeleteFunc(p.sparse, func(v namedSparse) bool { return v.name == name })
		p.sparse = append(p.sparse, namedSparse{name, in.sparse})
	}
	return nil
}
