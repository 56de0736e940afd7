package console

import (
	"context"
	"net/http"

	"github.com/mneme-memory/mneme/internal/live"
	"github.com/mneme-memory/mneme/memory"
)

// shownToday is how many memories and changes the first page shows.
const shownToday = 8

// todayView is the first page of the console: counts of the memories, accepted changes that wait for a
// part of mneme, the newest memories and the latest changes.
type todayView struct {
	Live    int
	Stats   memory.Stats
	Waiting []memory.Waiting
	Newest  []memory.Memory
	Changes []memory.Change
	Events  []live.Event
}

func (s *server) today(ctx context.Context, _ *http.Request) (answer, error) {
	var v todayView
	var err error
	if v.Stats, err = s.Client.Stats(ctx); err != nil {
		return answer{}, err
	}
	for _, n := range v.Stats.Live {
		v.Live += n
	}
	if v.Waiting, err = s.Client.Waiting(ctx); err != nil {
		return answer{}, err
	}
	if v.Newest, err = s.Client.List(ctx, memory.Page{Sort: memory.SortNewest, Limit: shownToday}); err != nil {
		return answer{}, err
	}
	if v.Changes, err = s.Client.Changes(ctx, shownToday); err != nil {
		return answer{}, err
	}
	if v.Events, err = s.Events.Events(ctx, memory.AuditQuery{Newest: true, Limit: shownToday}); err != nil {
		return answer{}, err
	}
	return answer{page: "today", view: view{Title: "Today", Here: "today", Data: v, Follow: everything}}, nil
}
