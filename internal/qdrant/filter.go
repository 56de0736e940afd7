package qdrant

import (
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/mneme-memory/mneme/memory"
)

// searchFilter selects what a search may find.
func searchFilter(s memory.Search) *qdrant.Filter {
	f := &qdrant.Filter{}
	if len(s.Projects) > 0 {
		f.Must = append(f.Must, qdrant.NewMatchKeywords("project", s.Projects...))
	}
	if len(s.Types) > 0 {
		f.Must = append(f.Must, qdrant.NewMatchKeywords("type", s.Types...))
	}
	for _, tag := range s.Tags {
		f.Must = append(f.Must, qdrant.NewMatchKeyword("tags", tag))
	}
	if s.Session != "" {
		f.Must = append(f.Must, qdrant.NewMatchKeyword("session", s.Session))
	}
	if s.Since != nil || s.Before != nil {
		f.Must = append(f.Must, qdrant.NewDatetimeRange("created_at", &qdrant.DatetimeRange{
			Gte: stamp(s.Since), Lt: stamp(s.Before),
		}))
	}
	if len(s.Exclude) > 0 {
		f.MustNot = append(f.MustNot, qdrant.NewHasID(pointIDs(s.Exclude)...))
	}
	if !s.Now.IsZero() {
		// "Must not have expired" rather than "must expire later", which
		// would leave out what never expires.
		f.MustNot = append(f.MustNot, qdrant.NewDatetimeRange("expires_at", &qdrant.DatetimeRange{Lte: stamp(&s.Now)}))
	}
	return f
}

// likeFilter selects what may be the same fact as a record: same project and
// type, and not the record itself.
func likeFilter(r memory.Record) *qdrant.Filter {
	f := &qdrant.Filter{
		Must:    []*qdrant.Condition{qdrant.NewMatchKeyword("project", r.Project)},
		MustNot: []*qdrant.Condition{qdrant.NewHasID(qdrant.NewID(r.ID))},
	}
	if r.Type != "" {
		f.Must = append(f.Must, qdrant.NewMatchKeyword("type", r.Type))
	}
	return f
}

// alikeFilter selects what may say the same as a record, in any of projects.
func alikeFilter(r memory.Record, projects []string) *qdrant.Filter {
	return &qdrant.Filter{
		Must:    []*qdrant.Condition{qdrant.NewMatchKeywords("project", projects...)},
		MustNot: []*qdrant.Condition{qdrant.NewHasID(qdrant.NewID(r.ID))},
	}
}

func stamp(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamppb.New(*t)
}
