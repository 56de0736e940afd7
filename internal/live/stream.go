package live

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// The bounds of streams.
const (
	maxClients = 32               // at once
	pageRows   = 200              // read at a time
	lifetime   = 15 * time.Minute // then the client comes back, and shows again that it may
	beatEvery  = 15 * time.Second // so that both sides notice when the other is gone
	sendFor    = 10 * time.Second // at most, for a client that reads slowly
	comeBack   = "retry: 2000\n\n"
)

// ServeHTTP sends what happens as server-sent events named "change", from after the event
// that the header Last-Event-ID or the parameter "after" names, or else from now. "reset" tells
// that the client is ahead of the audit, as after a restored backup: it should read all anew.
func (f *Feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	after, given, err := startOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	default:
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many clients follow the events already: close some", http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), lifetime)
	defer cancel()
	if !given {
		if after, err = f.Position(ctx); err != nil {
			http.Error(w, "the database cannot be asked: "+memory.HintOf(err), http.StatusServiceUnavailable)
			return
		}
	}
	s := stream{Feed: f, w: w, control: http.NewResponseController(w), after: after}
	if err := s.begin(); err != nil {
		return // the client has gone
	}
	s.follow(ctx)
	// The end of the answer is sent with a deadline of its own: the last one may be over.
	if err := s.control.SetWriteDeadline(time.Now().Add(sendFor)); err != nil {
		f.log.DebugContext(ctx, "end a stream of events", "err", err)
	}
}

// startOf reads after which event a client wants to be told, and whether it says so.
func startOf(r *http.Request) (after int64, given bool, err error) {
	text := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"))
	if text == "" {
		return 0, false, nil
	}
	after, err = strconv.ParseInt(text, 10, 64)
	if err != nil || after < 0 {
		return 0, false, memory.Errorf(memory.Invalid, "send the id of an event", "the last event's id must be a number")
	}
	return after, true, nil
}

// stream is one client that is being told.
type stream struct {
	*Feed
	w       http.ResponseWriter
	control *http.ResponseController
	after   int64 // the id of the last event that was sent
	beat    time.Time
}

// begin answers with the headers of a stream, which lasts longer than other answers.
func (s *stream) begin() error {
	if err := s.control.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	return s.send(comeBack)
}

// follow sends events until the context ends or the client is gone.
func (s *stream) follow(ctx context.Context) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		if err := s.tell(ctx); err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tell sends what came since. Its error means that the client is gone; a database that does not
// answer is asked again.
func (s *stream) tell(ctx context.Context) error {
	end, err := s.Position(ctx)
	if err != nil {
		s.log.DebugContext(ctx, "follow the audit", "err", err)
		return s.alive()
	}
	if s.after > end {
		s.after = end
		return s.send(fmt.Sprintf("id: %d\nevent: reset\ndata: {}\n\n", end))
	}
	for s.after < end {
		rows, err := s.source.AuditRows(ctx, memory.AuditQuery{After: s.after, UpTo: end, Limit: pageRows})
		if err != nil {
			s.log.DebugContext(ctx, "read the audit", "err", err)
			return s.alive()
		}
		if err := s.page(eventsOf(rows)); err != nil {
			return err
		}
		if len(rows) < pageRows {
			s.after = end
		}
	}
	return s.alive()
}

// page sends events.
func (s *stream) page(events []Event) error {
	for _, e := range events {
		data, err := json.Marshal(e) // one line: JSON escapes line breaks
		if err != nil {
			return err
		}
		if err := s.send(fmt.Sprintf("id: %d\nevent: change\ndata: %s\n\n", e.Seq, data)); err != nil {
			return err
		}
		s.after = e.Seq
	}
	return nil
}

// alive sends a comment when nothing was sent for a while.
func (s *stream) alive() error {
	if s.now().Sub(s.beat) < beatEvery {
		return nil
	}
	return s.send(": still here\n\n")
}

func (s *stream) send(text string) error {
	s.beat = s.now()
	if err := s.control.SetWriteDeadline(time.Now().Add(sendFor)); err != nil {
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
