package qdrant

import (
	"context"
	"maps"
	"slices"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A change reads the collection and returns the record that brings it about,
// nil for none. The record counts even beside an error: what Qdrant refuses
// half-way it leaves half done. It runs with writing held.
type change func(c *collection) (*record, error)

type pointsService struct {
	pb.UnimplementedPointsServer
	store *store
}

// write carries out a change: with wait it returns once the change is on disk,
// without it also hides what is refused, as Qdrant does.
func (s *pointsService) write(name string, wait bool, build func() (change, error)) (*pb.PointsOperationResponse, error) {
	start := time.Now()
	c, err := s.store.find(name)
	if err != nil {
		return nil, err
	}
	do, err := build()
	if err != nil {
		return nil, err
	}
	result, err := s.store.carryOut(c, wait, do)
	if err != nil {
		return nil, err
	}
	return &pb.PointsOperationResponse{Result: result, Time: time.Since(start).Seconds()}, nil
}

func (s *store) carryOut(c *collection, wait bool, do change) (*pb.UpdateResult, error) {
	position, seq, err := c.change(do)
	if err != nil && (wait || status.Code(err) == codes.Internal) {
		return nil, err
	}
	s.tidy(c)
	result := &pb.UpdateResult{OperationId: &seq, Status: pb.UpdateStatus_Acknowledged}
	if !wait {
		c.log.CommitSoon()
		return result, nil
	}
	if err := c.log.Commit(position); err != nil {
		return nil, internal(err)
	}
	result.Status = pb.UpdateStatus_Completed
	return result, nil
}

// change builds and applies a record under the collection's write lock.
func (c *collection) change(do change) (position int64, seq uint64, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.gone {
		return 0, 0, noCollection(c.name)
	}
	r, refused := do(c)
	if r != nil {
		if position, err = c.commit(*r); err != nil {
			return 0, 0, err
		}
	}
	return position, c.seq, refused
}

// tidy compacts a wasteful log in the background, one at a time.
func (s *store) tidy(c *collection) {
	if !c.wasteful.Load() || !c.compacting.CompareAndSwap(false, true) {
		return
	}
	s.tidying.Go(func() {
		defer c.compacting.Store(false)
		if err := c.compactIfWasteful(); err != nil {
			s.logger.Error("compact log", "collection", c.name, "error", err)
		}
	})
}

// Upsert writes whole points.
func (s *pointsService) Upsert(_ context.Context, r *pb.UpsertPoints) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) {
		return upsert(r.GetPoints(), r.GetUpdateMode(), r.GetUpdateFilter())
	})
}

// Delete deletes points by id or filter.
func (s *pointsService) Delete(_ context.Context, r *pb.DeletePoints) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) { return deletePoints(r.GetPoints()) })
}

// SetPayload merges fields into payloads.
func (s *pointsService) SetPayload(_ context.Context, r *pb.SetPayloadPoints) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) {
		return setPayload(r.GetPointsSelector(), r.GetPayload(), r.Key, false)
	})
}

// OverwritePayload replaces payloads.
func (s *pointsService) OverwritePayload(_ context.Context, r *pb.SetPayloadPoints) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) {
		return setPayload(r.GetPointsSelector(), r.GetPayload(), nil, true)
	})
}

// DeletePayload deletes keys of payloads.
func (s *pointsService) DeletePayload(_ context.Context, r *pb.DeletePayloadPoints) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) {
		return deleteKeys(r.GetPointsSelector(), r.GetKeys())
	})
}

// ClearPayload empties payloads.
func (s *pointsService) ClearPayload(_ context.Context, r *pb.ClearPayloadPoints) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) {
		return setPayload(r.GetPoints(), nil, nil, true)
	})
}

// UpdateVectors replaces the vectors it names.
func (s *pointsService) UpdateVectors(_ context.Context, r *pb.UpdatePointVectors) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) { return updateVectors(r.GetPoints()) })
}

// DeleteVectors deletes the vectors it names.
func (s *pointsService) DeleteVectors(_ context.Context, r *pb.DeletePointVectors) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) {
		return deleteVectors(r.GetPointsSelector(), r.GetVectors().GetNames())
	})
}

// UpdateBatch carries out operations in order and stops at the first failure.
func (s *pointsService) UpdateBatch(_ context.Context, r *pb.UpdateBatchPoints) (*pb.UpdateBatchResponse, error) {
	start := time.Now()
	c, err := s.store.find(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	if len(r.GetOperations()) == 0 {
		return nil, invalid("Validation error in body: [operations: value [] invalid, must be at least 1 characters]")
	}
	out := &pb.UpdateBatchResponse{}
	for _, op := range r.GetOperations() {
		do, err := operation(op)
		if err != nil {
			return nil, err
		}
		result, err := s.store.carryOut(c, r.GetWait(), do)
		if err != nil {
			return nil, err
		}
		out.Result = append(out.Result, result)
	}
	out.Time = time.Since(start).Seconds()
	return out, nil
}

func operation(op *pb.PointsUpdateOperation) (change, error) {
	switch o := op.GetOperation().(type) {
	case *pb.PointsUpdateOperation_Upsert:
		return upsert(o.Upsert.GetPoints(), o.Upsert.GetUpdateMode(), o.Upsert.GetUpdateFilter())
	case *pb.PointsUpdateOperation_DeletePoints_:
		return deletePoints(o.DeletePoints.GetPoints())
	case *pb.PointsUpdateOperation_SetPayload_:
		return setPayload(o.SetPayload.GetPointsSelector(), o.SetPayload.GetPayload(), o.SetPayload.Key, false)
	case *pb.PointsUpdateOperation_OverwritePayload_:
		return setPayload(o.OverwritePayload.GetPointsSelector(), o.OverwritePayload.GetPayload(), nil, true)
	case *pb.PointsUpdateOperation_DeletePayload_:
		return deleteKeys(o.DeletePayload.GetPointsSelector(), o.DeletePayload.GetKeys())
	case *pb.PointsUpdateOperation_ClearPayload_:
		return setPayload(o.ClearPayload.GetPoints(), nil, nil, true)
	case *pb.PointsUpdateOperation_UpdateVectors_:
		return updateVectors(o.UpdateVectors.GetPoints())
	case *pb.PointsUpdateOperation_DeleteVectors_:
		return deleteVectors(o.DeleteVectors.GetPointsSelector(), o.DeleteVectors.GetVectors().GetNames())
	case nil:
		return nil, invalid("Operation is missing")
	default:
		return nil, unsupported("this kind of operation in a batch")
	}
}

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
