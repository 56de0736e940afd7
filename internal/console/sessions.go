package console

import (
	"context"
	"net/http"

	"github.com/mneme-memory/mneme/internal/live"
	"github.com/mneme-memory/mneme/memory"
)

// The bounds of the pages of sessions.
const (
	sessionsShown = 50
	momentsShown  = 200
)

// sessionsView is a page of the last sessions.
type sessionsView struct {
	Sessions     []memory.SessionTrace
	Newer, Older string // addresses of the pages beside; "" if there is none
}

func (s *server) sessions(ctx context.Context, r *http.Request) (answer, error) {
	skip, err := number(r.FormValue("skip"))
	if err != nil {
		return answer{}, err
	}
	var v sessionsView
	if v.Sessions, err = s.Sessions.Sessions(ctx, skip, sessionsShown+1); err != nil {
		return answer{}, err
	}
	if len(v.Sessions) > sessionsShown {
		v.Sessions, v.Older = v.Sessions[:sessionsShown], at(r.URL, skip+sessionsShown)
	}
	if skip > 0 {
		v.Newer = at(r.URL, max(skip-sessionsShown, 0))
	}
	return answer{page: "sessions", view: view{Title: "Sessions", Here: "sessions", Data: v, Follow: everything}}, nil
}

// sessionView is the time line of a session, oldest first.
type sessionView struct {
	Session string
	Moments []moment
	Cut     bool // there is more than is shown
}

// moment is something that happened in a session, with the memories that it is about.
type moment struct {
	live.Event
	Memories []memory.Memory
}

func (s *server) session(ctx context.Context, r *http.Request) (answer, error) {
	v := sessionView{Session: r.FormValue("id")}
	if v.Session == "" {
		return answer{}, memory.Errorf(memory.Invalid, "choose a session in the list", "no session was named")
	}
	if err := memory.CheckName("session", v.Session); err != nil {
		return answer{}, err
	}
	events, err := s.Events.Events(ctx, memory.AuditQuery{Session: v.Session, Limit: momentsShown + 1})
	if err != nil {
		return answer{}, err
	}
	if v.Cut = len(events) > momentsShown; v.Cut {
		events = events[:momentsShown]
	}
	texts, err := s.textsOf(ctx, events)
	if err != nil {
		return answer{}, err
	}
	for _, e := range events {
		m := moment{Event: e}
		for _, id := range e.MemoryIDs {
			if found, ok := texts[id]; ok {
				m.Memories = append(m.Memories, found)
			}
		}
		v.Moments = append(v.Moments, m)
	}
	return answer{page: "session", view: view{Title: "A session", Here: "sessions", Data: v, Follow: everything}}, nil
}

// textsOf returns the memories that events are about, by their ids, as far as they are there.
func (s *server) textsOf(ctx context.Context, events []live.Event) (map[string]memory.Memory, error) {
	var ids []string
	seen := map[string]bool{}
	for _, e := range events {
		for _, id := range e.MemoryIDs {
			if !seen[id] {
				seen[id], ids = true, append(ids, id)
			}
		}
	}
	out := map[string]memory.Memory{}
	for len(ids) > 0 {
		n := min(len(ids), memory.MaxLimit)
		found, err := s.Client.Get(ctx, ids[:n])
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			out[d.ID] = d.Memory
			for _, id := range d.StandsFor {
				out[id] = d.Memory
			}
		}
		ids = ids[n:]
	}
	return out, nil
}
