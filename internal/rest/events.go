package rest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/mneme-memory/mneme/internal/live"
	"github.com/mneme-memory/mneme/memory"
)

// maxEvents is the most of a page of events.
const maxEvents = 500

// EventPage is a page of events in the order in which they happened. Next is the id after which the next
// page begins, also when this one is empty.
type EventPage struct {
	Events []live.Event `json:"events"`
	Next   int64        `json:"next"`
}

// SessionPage is a page of sessions, the one that was active last first.
type SessionPage struct {
	Sessions []memory.SessionTrace `json:"sessions"`
	Next     string                `json:"next,omitempty"`
}

func (s *server) eventRoutes() []route {
	after := param{"after", "integer", "the id of the last event that was seen; default 0, the first of all"}
	filters := []param{after, {"action", "string", "such as store, inject, use, forget"}, {"project", "string", ""}, {"session", "string", ""}, limitParam}
	return []route{
		operation("GET /events", "listEvents", "what happened, in pages", ok, filters, s.events),
		operation("GET /sessions", "listSessions", "the last sessions of Claude Code: what they were shown, used and taught", ok,
			[]param{limitParam, cursorParam}, s.sessions),
		operation("GET /sessions/{id}/events", "listSessionEvents", "what happened in a session", ok, []param{after, limitParam}, s.sessionEvents),
	}
}

func (s *server) events(ctx context.Context, r *http.Request, _ nothing) (EventPage, int, error) {
	q := r.URL.Query()
	return s.eventsOf(ctx, r, memory.AuditQuery{Actions: q["action"], Project: q.Get("project"), Session: q.Get("session")})
}

func (s *server) sessionEvents(ctx context.Context, r *http.Request, _ nothing) (EventPage, int, error) {
	return s.eventsOf(ctx, r, memory.AuditQuery{Session: r.PathValue("id")})
}

// eventsOf answers up to where no event with a smaller id is still on its way, so that nobody who
// goes on after the last one misses any.
func (s *server) eventsOf(ctx context.Context, r *http.Request, q memory.AuditQuery) (EventPage, int, error) {
	out := EventPage{Events: []live.Event{}}
	var err error
	if q.After, err = afterOf(r); err != nil {
		return out, 0, err
	}
	if q.Limit, err = numberOf(r, "limit", 100, 1, maxEvents); err != nil {
		return out, 0, err
	}
	if err := memory.CheckName("project", q.Project); err != nil {
		return out, 0, err
	}
	if err := memory.CheckName("session", q.Session); err != nil {
		return out, 0, err
	}
	out.Next = q.After
	if q.UpTo, err = s.Events.Position(ctx); err != nil || q.UpTo <= q.After {
		return out, http.StatusOK, err
	}
	found, err := s.Events.Events(ctx, q)
	if err != nil {
		return out, 0, err
	}
	out.Events = append(out.Events, found...)
	out.Next = q.UpTo
	if len(found) == q.Limit {
		out.Next = found[len(found)-1].Seq
	}
	return out, http.StatusOK, nil
}

func afterOf(r *http.Request) (int64, error) {
	text := r.URL.Query().Get("after")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, memory.Errorf(memory.Invalid, "send the id of an event", "after must be a number from 0")
	}
	return n, nil
}

func (s *server) sessions(ctx context.Context, r *http.Request, _ nothing) (SessionPage, int, error) {
	out := SessionPage{Sessions: []memory.SessionTrace{}}
	limit, err := numberOf(r, "limit", 50, 1, maxChanges)
	if err != nil {
		return out, 0, err
	}
	skip, err := skipOf(r)
	if err != nil {
		return out, 0, err
	}
	found, err := s.Sessions.Sessions(ctx, skip, limit+1)
	out.Sessions, out.Next = more(found, skip, limit)
	return out, http.StatusOK, err
}
