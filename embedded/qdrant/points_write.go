package qdrant

import (
	"context"
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
