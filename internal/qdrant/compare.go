package qdrant

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// Counts implements activities.Index. A real server sums up its segments for a
// rough count, so a point on the way between two segments counts twice.
func (x *Index) Counts(ctx context.Context, exact bool) (map[string]int, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.Timeout)
	defer cancel()
	collections := memory.Collections()
	counts, errs := make([]uint64, len(collections)), make([]error, len(collections))
	var counting sync.WaitGroup
	for i, collection := range collections {
		counting.Go(func() {
			errs[i] = x.with(ctx, collection, func(name string) (err error) {
				counts[i], err = x.client.Count(ctx, &qdrant.CountPoints{CollectionName: name, Exact: &exact})
				return x.explain("count the points of "+collection, err)
			})
		})
	}
	counting.Wait()
	out := make(map[string]int, len(collections))
	for i, collection := range collections {
		switch {
		case errs[i] == nil:
			out[collection] = int(counts[i])
		case !errors.Is(errs[i], memory.ErrNoCollection):
			return nil, errs[i]
		}
	}
	return out, nil
}

// IDs implements activities.Index. Qdrant sorts UUIDs by their bytes, as PostgreSQL
// does, and numbers before them; points with a number for an id, which are none of ours,
// are left out.
func (x *Index) IDs(ctx context.Context, collection, after string, limit int) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	if after == "" {
		after = nobody
	}
	var points []*qdrant.RetrievedPoint
	err := x.with(ctx, collection, func(name string) (err error) {
		// A page begins with the id it is asked from, which is the last one of the page before.
		points, err = x.client.Scroll(ctx, &qdrant.ScrollPoints{
			CollectionName: name, Offset: qdrant.NewID(after), Limit: qdrant.PtrOf(uint32(limit) + 1),
			WithPayload: qdrant.NewWithPayload(false), WithVectors: qdrant.NewWithVectors(false),
		})
		return x.explain("list the points of "+collection, err)
	})
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(points))
	for _, p := range points {
		if id := p.GetId().GetUuid(); id != after {
			ids = append(ids, id)
		}
	}
	return ids[:min(limit, len(ids))], nil
}

// Compare implements activities.Index.
func (x *Index) Compare(ctx context.Context, collection string, records []memory.Record) (memory.Difference, error) {
	var d memory.Difference
	for batch := range slices.Chunk(records, upsertBatch) {
		points, err := x.read(ctx, collection, batch)
		if err != nil {
			return d, err
		}
		for _, r := range batch {
			switch p := points[r.ID]; {
			case p == nil:
				d.Missing = append(d.Missing, r.ID)
			case !x.holds(p, r):
				d.Other = append(d.Other, r.ID)
			}
		}
	}
	return d, nil
}

// read returns the points of records by their ids, with all they hold.
func (x *Index) read(ctx context.Context, collection string, records []memory.Record) (map[string]*qdrant.RetrievedPoint, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	var points []*qdrant.RetrievedPoint
	err := x.with(ctx, collection, func(name string) (err error) {
		points, err = x.client.Get(ctx, &qdrant.GetPoints{
			CollectionName: name, Ids: pointIDs(ids),
			WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectorsInclude("", keywordVector),
		})
		return x.explain(fmt.Sprintf("read %d memories of %s", len(ids), collection), err)
	})
	if err != nil {
		return nil, err
	}
	out := make(map[string]*qdrant.RetrievedPoint, len(points))
	for _, p := range points {
		out[p.GetId().GetUuid()] = p
	}
	return out, nil
}

// holds reports whether a point is what [Index.Upsert] would write for a record.
func (x *Index) holds(p *qdrant.RetrievedPoint, r memory.Record) bool {
	dense, keywords := p.GetVectors().GetVector(), (*qdrant.VectorOutput)(nil)
	if named := p.GetVectors().GetVectors().GetVectors(); named != nil {
		dense, keywords = named[""], named[keywordVector]
	}
	indices, values := x.options.Document(r.Text)
	return sameMemory(fromPayload(r.ID, r.Collection, p.GetPayload()), r.Memory) &&
		sameDirection(numbers(dense), r.Vector) && sameKeywords(keywords, indices, values)
}

func numbers(v *qdrant.VectorOutput) memory.Vector {
	if dense := v.GetDense(); dense != nil {
		return dense.GetData()
	}
	return v.GetData() //nolint:staticcheck // older servers fill only this field
}

// sameMemory compares what a payload holds, exactly; but two numbers that JSON or a
// database wrote with fewer digits are the same.
func sameMemory(got, want memory.Memory) bool {
	if want.Session == "" {
		want.Position = 0 // a place in no session is not kept
	}
	return got.Project == want.Project && got.Type == want.Type && slices.Equal(got.Tags, want.Tags) && got.Text == want.Text &&
		near(got.Confidence, want.Confidence) && near(got.Importance, want.Importance) && got.Pinned == want.Pinned &&
		got.AccessCount == want.AccessCount && got.Source == want.Source &&
		timeText(got.CreatedAt) == timeText(want.CreatedAt) && timeText(got.LastAccessed) == timeText(want.LastAccessed) &&
		(got.ExpiresAt == nil) == (want.ExpiresAt == nil) && (got.ExpiresAt == nil || timeText(*got.ExpiresAt) == timeText(*want.ExpiresAt)) &&
		got.Session == want.Session && got.Position == want.Position && got.ContentHash == want.ContentHash && got.Model == want.Model
}

// near is equal but for the last of a double's digits.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }

// sameAngle is how far the cosine of two vectors that are the same may be from one. A
// server scales what it gets to the length one again, adding up in an order and a
// precision of its own, and may be told to keep numbers of 16 bits, whose rounding turns
// a vector by less than this. Vectors of two texts or models are thousands of times
// farther apart.
const sameAngle = 1e-6

// sameDirection compares vectors by their angle.
func sameDirection(got, want memory.Vector) bool {
	if want.IsZero() {
		return len(got) == len(want) && got.IsZero()
	}
	return memory.Cosine(got, want) >= 1-sameAngle
}

// sameKeywords compares sparse vectors, whose terms come back sorted.
func sameKeywords(got *qdrant.VectorOutput, indices []uint32, values []float32) bool {
	gotIndices, gotValues := got.GetSparse().GetIndices(), got.GetSparse().GetValues()
	if got.GetSparse() == nil {
		gotIndices, gotValues = got.GetIndices().GetData(), got.GetData() //nolint:staticcheck // older servers fill only these fields
	}
	if len(gotIndices) != len(indices) || len(gotValues) != len(values) {
		return false
	}
	weights := make(map[uint32]float32, len(indices))
	for i, term := range indices {
		weights[term] = values[i]
	}
	for i, term := range gotIndices {
		want, ok := weights[term]
		if !ok || math.Abs(float64(gotValues[i]-want)) > sameAngle*math.Abs(float64(want)) {
			return false
		}
	}
	return true
}
