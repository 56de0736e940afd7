package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// audit is a source that holds rows in memory.
type audit struct {
	mu      sync.Mutex
	rows    []memory.AuditRow
	settled int64 // rows above are seen, and have others on their way
	looks   int
	err     error
}

// add adds rows with the ids from the first to the last.
func (a *audit) add(first, last int64, project string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id := first; id <= last; id++ {
		a.rows = append(a.rows, memory.AuditRow{
			ID: id, Action: memory.ActionStore, Project: project, WorkflowID: "store/1", AffectedIDs: []string{"m"},
			Details: json.RawMessage(`{"session":"s1","result":{"id":"m"}}`),
		})
	}
	a.settled = last
}

func (a *audit) AuditSettled(context.Context, int64) (int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.looks++
	return a.settled, a.err
}

func (a *audit) AuditRows(_ context.Context, q memory.AuditQuery) ([]memory.AuditRow, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []memory.AuditRow
	for _, r := range a.rows {
		if r.ID > q.After && (q.UpTo == 0 || r.ID <= q.UpTo) && len(out) < q.Limit {
			out = append(out, r)
		}
	}
	return out, a.err
}

// serve serves a feed of a source that looks often.
func serve(t *testing.T, a *audit) (*Feed, string) {
	t.Helper()
	f := NewFeed(a, slog.New(slog.DiscardHandler))
	f.every = 5 * time.Millisecond
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, server.URL
}

// follower is a client of a feed.
type follower struct {
	*testing.T
	lines *bufio.Scanner
	close func()
	last  string // the last id
}

func follow(t *testing.T, url, last string) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s %v", resp.Status, resp.Header)
	}
	return &follower{T: t, lines: bufio.NewScanner(resp.Body), close: cancel, last: last}
}

// next returns the name and the data of the next event.
func (f *follower) next() (name string, e Event) {
	f.Helper()
	for f.lines.Scan() {
		field, value, _ := strings.Cut(f.lines.Text(), ": ")
		switch field {
		case "id":
			f.last = value
		case "event":
			name = value
		case "data":
			if err := json.Unmarshal([]byte(value), &e); err != nil {
				f.Fatalf("%q: %v", value, err)
			}
			return name, e
		}
	}
	f.Fatalf("the stream ended: %v", f.lines.Err())
	return "", e
}

// TestNothingIsLostOverAReconnect cuts a client off and lets it come back: it gets each event once,
// in order, also those of more than a page that came meanwhile.
func TestNothingIsLostOverAReconnect(t *testing.T) {
	t.Parallel()
	a := &audit{}
	a.add(1, 3, "shop")
	_, url := serve(t, a)
	c := follow(t, url, "1")
	for want := int64(2); want <= 3; want++ {
		if name, e := c.next(); name != "change" || e.Seq != want {
			t.Fatalf("%s %+v, want %d", name, e, want)
		}
	}
	c.close()
	a.add(4, 3*pageRows, "shop")
	a.add(3*pageRows+7, 3*pageRows+8, "shop") // ids of transactions that failed are missing
	c = follow(t, url, c.last)
	for want := int64(4); want <= 3*pageRows; want++ {
		if _, e := c.next(); e.Seq != want {
			t.Fatalf("event %d, want %d", e.Seq, want)
		}
	}
	if _, e := c.next(); e.Seq != 3*pageRows+7 {
		t.Errorf("event %d after a gap", e.Seq)
	}
}

// TestANewClientIsToldWhatComes gets nothing old, and what comes with session, workflow and memories.
func TestANewClientIsToldWhatComes(t *testing.T) {
	t.Parallel()
	a := &audit{}
	a.add(1, 5, "old")
	_, url := serve(t, a)
	c := follow(t, url, "")
	a.add(6, 6, "line\nbreak: <b>\u2028")
	_, e := c.next()
	if e.Seq != 6 || e.Session != "s1" || e.WorkflowID != "store/1" || e.Count != 1 || e.Project != "line\nbreak: <b>\u2028" {
		t.Errorf("told %+v", e)
	}
}

// TestARowOnItsWayIsWaitedFor sees a later row before an earlier one, and tells them in order.
func TestARowOnItsWayIsWaitedFor(t *testing.T) {
	t.Parallel()
	a := &audit{}
	a.add(1, 1, "p")
	a.rows = append(a.rows, memory.AuditRow{ID: 3, Action: "use"})
	_, url := serve(t, a)
	c := follow(t, url, "0")
	c.next()
	a.mu.Lock()
	a.rows = append(a.rows[:1], memory.AuditRow{ID: 2, Action: "use"}, memory.AuditRow{ID: 3, Action: "use"})
	a.settled = 3
	a.mu.Unlock()
	for want := int64(2); want <= 3; want++ {
		if _, e := c.next(); e.Seq != want {
			t.Fatalf("event %d, want %d", e.Seq, want)
		}
	}
}

// TestAnotherLedger tells a client that is ahead to read everything anew.
func TestAnotherLedger(t *testing.T) {
	t.Parallel()
	a := &audit{}
	a.add(1, 2, "p")
	_, url := serve(t, a)
	c := follow(t, url, "99")
	if name, _ := c.next(); name != "reset" || c.last != "2" {
		t.Errorf("%s, id %s", name, c.last)
	}
}

// TestADatabaseThatIsAwayIsAskedAgain keeps the stream, and goes on when the database is back.
func TestADatabaseThatIsAwayIsAskedAgain(t *testing.T) {
	t.Parallel()
	a := &audit{}
	a.add(1, 1, "p")
	_, url := serve(t, a)
	c := follow(t, url, "1")
	a.mu.Lock()
	a.err = errors.New("away")
	a.mu.Unlock()
	a.add(2, 2, "p")
	a.mu.Lock()
	a.err = nil
	a.mu.Unlock()
	if _, e := c.next(); e.Seq != 2 {
		t.Errorf("event %d", e.Seq)
	}
}

// TestBounds refuses one client too many, and what is no id; a place is free when a client has gone.
func TestBounds(t *testing.T) {
	t.Parallel()
	f, url := serve(t, &audit{})
	for i := range maxClients {
		f.slots <- struct{}{}
		_ = i
	}
	if got := status(t, url); got != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d", got)
	}
	<-f.slots
	follow(t, url, "0").close()
	for _, after := range []string{"x", "-1", "1e3", "99999999999999999999"} {
		if got := status(t, url+"?after="+after); got != http.StatusBadRequest {
			t.Errorf("after %s: %d", after, got)
		}
	}
}

func status(t *testing.T, url string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// TestOneLookServesAll asks the database once for many clients.
func TestOneLookServesAll(t *testing.T) {
	t.Parallel()
	a := &audit{}
	f := NewFeed(a, slog.New(slog.DiscardHandler))
	clock := time.Unix(1e9, 0)
	f.now = func() time.Time { return clock }
	for range 50 {
		if _, err := f.Position(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if a.looks != 1 {
		t.Errorf("looked %d times", a.looks)
	}
	clock = clock.Add(lookEvery)
	if _, err := f.Position(t.Context()); err != nil || a.looks != 2 {
		t.Errorf("looked %d times later, %v", a.looks, err)
	}
}

// TestEventsNameSomeMemories cuts a long list of ids, and tells how many there are.
func TestEventsNameSomeMemories(t *testing.T) {
	t.Parallel()
	r := memory.AuditRow{Details: json.RawMessage(`not JSON`)}
	for i := range 3 * maxIDs {
		r.AffectedIDs = append(r.AffectedIDs, fmt.Sprint(i))
	}
	if e := eventOf(r); len(e.MemoryIDs) != maxIDs || e.Count != 3*maxIDs || e.Session != "" {
		t.Errorf("made %+v", e)
	}
}
