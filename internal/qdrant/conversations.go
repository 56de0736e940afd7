package qdrant

import (
	"context"
	"fmt"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// The archive of conversations has a collection of its own, with the vectors that the collections
// of memories have. A point is a passage of a message; its payload says which, and holds what
// filters need. The text is the ledger's alone.

// messageFields are the payload fields of a passage that are filtered.
func messageFields() []field {
	return []field{
		{"project", qdrant.FieldType_FieldTypeKeyword},
		{"session", qdrant.FieldType_FieldTypeKeyword},
		{"role", qdrant.FieldType_FieldTypeKeyword},
		{"created_at", qdrant.FieldType_FieldTypeDatetime},
	}
}

// EnsureConversations implements activities.Passages.
func (x *Index) EnsureConversations(ctx context.Context, dimension int) error {
	return x.Fit(ctx, conversation.Collection, dimension)
}

// UpsertPassages implements activities.Passages.
func (x *Index) UpsertPassages(ctx context.Context, points []conversation.Point) error {
	for batch := range slices.Chunk(points, upsertBatch) {
		if err := x.upsertPassages(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) upsertPassages(ctx context.Context, batch []conversation.Point) error {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	points := make([]*qdrant.PointStruct, len(batch))
	for i, p := range batch {
		if err := p.Vector.Check(); err != nil {
			return memory.Errorf(memory.Invalid, "", "index message %s: %w", p.Of.ID, err)
		}
		points[i] = x.passagePoint(p)
	}
	return x.with(ctx, conversation.Collection, func(name string) error {
		_, err := x.client.Upsert(ctx, &qdrant.UpsertPoints{
			CollectionName: name, Points: points,
			Wait: qdrant.PtrOf(true), // without it, what is refused is dropped silently
		})
		return x.explain(fmt.Sprintf("index %d passages of conversations", len(batch)), err)
	})
}

func (x *Index) passagePoint(p conversation.Point) *qdrant.PointStruct {
	indices, values := x.options.Document(p.Passage.Text)
	return &qdrant.PointStruct{
		Id: qdrant.NewID(p.ID),
		Payload: map[string]*qdrant.Value{
			"message":    qdrant.NewValueString(p.Of.ID),
			"part":       qdrant.NewValueInt(int64(p.Of.Part)),
			"from":       qdrant.NewValueInt(int64(p.Passage.From)),
			"runes":      qdrant.NewValueInt(int64(p.Passage.Runes)),
			"project":    qdrant.NewValueString(p.Of.Project),
			"session":    qdrant.NewValueString(p.Of.Session),
			"role":       qdrant.NewValueString(string(p.Of.Role)),
			"created_at": qdrant.NewValueString(timeText(p.Of.At)),
		},
		Vectors: qdrant.NewVectorsMap(map[string]*qdrant.Vector{
			"":            qdrant.NewVectorDense(p.Vector.Unit()),
			keywordVector: qdrant.NewVectorSparse(indices, values),
		}),
	}
}

// DeletePassages implements activities.Passages.
func (x *Index) DeletePassages(ctx context.Context, ids []string) error {
	err := x.Delete(ctx, conversation.Collection, ids)
	if missing(err) {
		return nil
	}
	return err
}

// MissingPassages implements activities.Passages.
func (x *Index) MissingPassages(ctx context.Context, ids []string) ([]string, error) {
	return x.Missing(ctx, conversation.Collection, ids)
}

// CountPassages implements activities.Passages.
func (x *Index) CountPassages(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.Timeout)
	defer cancel()
	var count uint64
	err := x.with(ctx, conversation.Collection, func(name string) (err error) {
		count, err = x.client.Count(ctx, &qdrant.CountPoints{CollectionName: name, Exact: qdrant.PtrOf(true)})
		return x.explain("count the passages of conversations", err)
	})
	if missing(err) {
		return 0, nil
	}
	return int(count), err
}

// SearchPassages implements activities.Passages.
func (x *Index) SearchPassages(ctx context.Context, s conversation.Search) ([]conversation.Candidate, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.Timeout)
	defer cancel()
	q := question{filter: messageFilter(s), depth: uint64(max(minDepth, depthPerHit*s.Limit))}
	q.indices, q.values = x.options.Query(s.Text)
	if !s.Vector.IsZero() {
		q.dense = s.Vector
	}
	if q.dense == nil && len(q.indices) == 0 {
		return nil, nil
	}
	var answers []*qdrant.BatchResult
	err := x.with(ctx, conversation.Collection, func(name string) (err error) {
		queries := q.queries(name, qdrant.NewWithPayloadInclude("message", "part", "from", "runes"))
		answers, err = x.client.QueryBatch(ctx, &qdrant.QueryBatchPoints{CollectionName: name, QueryPoints: queries})
		if err == nil && len(answers) != len(queries) {
			return memory.Errorf(memory.Internal, "", "Qdrant answered %d of %d queries", len(answers), len(queries))
		}
		return x.explain("search conversations", err)
	})
	if err != nil {
		return nil, err
	}
	return passagesIn(answers, q.dense != nil), nil
}

// messageFilter selects what a search of the archive may find.
func messageFilter(s conversation.Search) *qdrant.Filter {
	f := &qdrant.Filter{}
	if s.Project != "" {
		f.Must = append(f.Must, qdrant.NewMatchKeyword("project", s.Project))
	}
	if s.Session != "" {
		f.Must = append(f.Must, qdrant.NewMatchKeyword("session", s.Session))
	}
	if len(s.Roles) > 0 {
		roles := make([]string, len(s.Roles))
		for i, r := range s.Roles {
			roles[i] = string(r)
		}
		f.Must = append(f.Must, qdrant.NewMatchKeywords("role", roles...))
	}
	if s.Since != nil || s.Before != nil {
		f.Must = append(f.Must,
			qdrant.NewDatetimeRange("created_at", &qdrant.DatetimeRange{Gte: stamp(s.Since), Lt: stamp(s.Before)}))
	}
	return f
}

// passagesIn reads the answers to question.queries.
func passagesIn(answers []*qdrant.BatchResult, byVector bool) []conversation.Candidate {
	points := answers[0].GetResult()
	found := make([]conversation.Candidate, len(points))
	place := make(map[string]int, len(points))
	for i, p := range points {
		payload := p.GetPayload()
		found[i] = conversation.Candidate{
			ID: payload["message"].GetStringValue(), Part: int(payload["part"].GetIntegerValue()),
			From: int(payload["from"].GetIntegerValue()), Runes: int(payload["runes"].GetIntegerValue()),
		}
		if byVector {
			// A zero vector's cosine is exactly 0, and means nothing.
			found[i].Cosine, found[i].HasCosine = float64(p.GetScore()), p.GetScore() != 0
		} else {
			found[i].Keyword = float64(p.GetScore())
		}
		place[p.GetId().GetUuid()] = i
	}
	if byVector && len(answers) > 1 {
		for _, p := range answers[1].GetResult() {
			if i, ok := place[p.GetId().GetUuid()]; ok {
				found[i].Keyword = float64(p.GetScore())
			}
		}
	}
	return slices.DeleteFunc(found, func(c conversation.Candidate) bool { return !memory.ValidID(c.ID) })
}
