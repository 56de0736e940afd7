package qdrant

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// upsertBatch bounds the points of one call: at 768 numbers and the longest
// texts it stays under maxMessage.
const upsertBatch = 500

// Upsert writes records, whole, into their collections. It returns when they
// are durable; repeating it changes nothing.
func (x *Index) Upsert(ctx context.Context, records []memory.Record) error {
	byCollection := make(map[string][]memory.Record)
	for _, r := range records {
		if err := r.Vector.Check(); err != nil {
			return memory.Errorf(memory.Invalid, "", "index memory %s: %w", r.ID, err)
		}
		byCollection[r.Collection] = append(byCollection[r.Collection], r)
	}
	for _, name := range memory.Collections() {
		for batch := range slices.Chunk(byCollection[name], upsertBatch) {
			if err := x.upsert(ctx, name, batch); err != nil {
				return err
			}
		}
		delete(byCollection, name)
	}
	for name, left := range byCollection {
		return memory.Errorf(memory.Invalid, "", "index memory %s: there is no collection %q", left[0].ID, name)
	}
	return nil
}

func (x *Index) upsert(ctx context.Context, collection string, records []memory.Record) error {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	points := make([]*qdrant.PointStruct, len(records))
	for i, r := range records {
		points[i] = x.point(r)
	}
	return x.with(ctx, collection, func(name string) error {
		_, err := x.client.Upsert(ctx, &qdrant.UpsertPoints{
			CollectionName: name, Points: points,
			Wait: qdrant.PtrOf(true), // without it, what is refused is dropped silently
		})
		return x.explain(fmt.Sprintf("index %d memories of %s", len(records), collection), err)
	})
}

// Delete removes points; missing ones are no error. Ids must not be empty,
// because nothing is to be read into an empty selection.
func (x *Index) Delete(ctx context.Context, collection string, ids []string) error {
	for batch := range slices.Chunk(ids, 1000) {
		err := x.with(ctx, collection, func(name string) error { return x.deleteBatch(ctx, name, batch) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) deleteBatch(ctx context.Context, name string, ids []string) error {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	_, err := x.client.Delete(ctx, &qdrant.DeletePoints{
		CollectionName: name, Points: qdrant.NewPointsSelector(pointIDs(ids)...), Wait: qdrant.PtrOf(true),
	})
	return x.explain(fmt.Sprintf("delete %d memories of %s", len(ids), name), err)
}

// Missing returns those of ids that a collection does not hold, in the order given. A
// missing collection holds none of them.
func (x *Index) Missing(ctx context.Context, collection string, ids []string) ([]string, error) {
	var missing []string
	for batch := range slices.Chunk(ids, 1000) {
		there, err := x.have(ctx, collection, batch)
		if err != nil {
			return nil, err
		}
		for _, id := range batch {
			if !there[id] {
				missing = append(missing, id)
			}
		}
	}
	return missing, nil
}

func (x *Index) have(ctx context.Context, collection string, ids []string) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.Timeout)
	defer cancel()
	there := make(map[string]bool, len(ids))
	err := x.with(ctx, collection, func(name string) error {
		points, err := x.client.Get(ctx, &qdrant.GetPoints{CollectionName: name, Ids: pointIDs(ids)})
		for _, p := range points {
			there[p.GetId().GetUuid()] = true
		}
		return x.explain(fmt.Sprintf("look for %d memories in %s", len(ids), collection), err)
	})
	if missing(err) {
		return there, nil
	}
	return there, err
}

// point is a record as Qdrant keeps it. Both vectors are always named: in an
// optimised segment one that an upsert does not name would survive.
func (x *Index) point(r memory.Record) *qdrant.PointStruct {
	indices, values := x.options.Document(r.Text)
	return &qdrant.PointStruct{
		Id:      qdrant.NewID(r.ID),
		Payload: payload(r.Memory),
		Vectors: qdrant.NewVectorsMap(map[string]*qdrant.Vector{
			"":            qdrant.NewVectorDense(r.Vector.Unit()),
			keywordVector: qdrant.NewVectorSparse(indices, values),
		}),
	}
}

func payload(m memory.Memory) map[string]*qdrant.Value {
	tags := make([]*qdrant.Value, len(m.Tags))
	for i, t := range m.Tags {
		tags[i] = qdrant.NewValueString(t)
	}
	p := map[string]*qdrant.Value{
		"text":          qdrant.NewValueString(m.Text),
		"project":       qdrant.NewValueString(m.Project),
		"type":          qdrant.NewValueString(m.Type),
		"tags":          qdrant.NewValueFromList(tags...),
		"confidence":    qdrant.NewValueDouble(m.Confidence),
		"importance":    qdrant.NewValueDouble(m.Importance),
		"pinned":        qdrant.NewValueBool(m.Pinned),
		"access_count":  qdrant.NewValueInt(int64(m.AccessCount)),
		"created_at":    qdrant.NewValueString(timeText(m.CreatedAt)),
		"last_accessed": qdrant.NewValueString(timeText(m.LastAccessed)),
		"source":        qdrant.NewValueString(m.Source),
		"content_hash":  qdrant.NewValueString(m.ContentHash),
		"model":         qdrant.NewValueString(m.Model),
	}
	if m.ExpiresAt != nil {
		p["expires_at"] = qdrant.NewValueString(timeText(*m.ExpiresAt))
	}
	if m.Session != "" {
		p["session"] = qdrant.NewValueString(m.Session)
		p["position"] = qdrant.NewValueInt(int64(m.Position))
	}
	return p
}

// fromPayload is the inverse of payload. A field of another kind than ours is
// as good as missing: the ledger is the truth.
func fromPayload(id, collection string, p map[string]*qdrant.Value) memory.Memory {
	m := memory.Memory{
		ID: id, Collection: collection, State: memory.Live,
		Text: p["text"].GetStringValue(), Project: p["project"].GetStringValue(), Type: p["type"].GetStringValue(),
		Tags:       []string{},
		Confidence: number(p["confidence"]), Importance: number(p["importance"]), Pinned: p["pinned"].GetBoolValue(),
		AccessCount: int(p["access_count"].GetIntegerValue()),
		CreatedAt:   textTime(p["created_at"]), LastAccessed: textTime(p["last_accessed"]),
		Source: p["source"].GetStringValue(), Session: p["session"].GetStringValue(),
		Position:    int(p["position"].GetIntegerValue()),
		ContentHash: p["content_hash"].GetStringValue(), Model: p["model"].GetStringValue(),
	}
	for _, t := range p["tags"].GetListValue().GetValues() {
		m.Tags = append(m.Tags, t.GetStringValue())
	}
	if p["expires_at"] != nil {
		expires := textTime(p["expires_at"])
		m.ExpiresAt = &expires
	}
	return m
}

// number reads a double that JSON may have made an integer.
func number(v *qdrant.Value) float64 {
	if n, ok := v.GetKind().(*qdrant.Value_IntegerValue); ok {
		return float64(n.IntegerValue)
	}
	return v.GetDoubleValue()
}

// timeText keeps microseconds, as PostgreSQL and Qdrant's own indexes do.
func timeText(t time.Time) string {
	return t.UTC().Truncate(time.Microsecond).Format("2006-01-02T15:04:05.000000Z")
}

func textTime(v *qdrant.Value) time.Time {
	t, err := time.Parse(time.RFC3339, v.GetStringValue())
	if err != nil {
		return time.Time{}
	}
	return t
}

func pointIDs(ids []string) []*qdrant.PointId {
	out := make([]*qdrant.PointId, len(ids))
	for i, id := range ids {
		out[i] = qdrant.NewID(id)
	}
	return out
}
