package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// session sends lines and returns the answers by id ("null" for none).
func session(t *testing.T, s *Server, lines string) map[string]map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(lines), &out); err != nil {
		t.Fatal(err)
	}
	answers := map[string]map[string]any{}
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil || m["jsonrpc"] != "2.0" {
			t.Fatalf("stdout line %q is no JSON-RPC: %v", line, err)
		}
		id, err := json.Marshal(m["id"])
		if err != nil {
			t.Fatal(err)
		}
		answers[string(id)] = m
	}
	return answers
}

func code(m map[string]any) any {
	e, _ := m["error"].(map[string]any)
	return e["code"]
}

func TestStdioProtocol(t *testing.T) {
	t.Parallel()
	got := session(t, newServer(t, &fake{}), `{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}

{"jsonrpc":"2.0","id":2,"method":"no/such"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"no_such","arguments":{}}}
{"jsonrpc":"2.0","id":4,"method":"ping"}
this is not JSON
{"jsonrpc":"2.0","id":5,"method":"tools/list"}`) // the last line has no line break
	for id, want := range map[string]any{`"d"`: -32601.0, "2": -32601.0, "3": -32602.0, "null": -32700.0} {
		if code(got[id]) != want {
			t.Errorf("%s answered %v, want %v", id, got[id], want)
		}
	}
	for _, id := range []string{"1", "4", "5"} {
		if got[id] == nil || got[id]["result"] == nil {
			t.Errorf("%s answered %v", id, got[id])
		}
	}
	if v := got["1"]["result"].(map[string]any)["protocolVersion"]; v != "2025-11-25" {
		t.Errorf("protocol %v", v)
	}
}

func TestStdioRefusesEndlessLines(t *testing.T) {
	t.Parallel()
	got := session(t, newServer(t, &fake{}), strings.Repeat("x", maxMessage+1)+"\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if code(got["null"]) != -32600.0 || got["1"]["result"] == nil {
		t.Errorf("answered %v", got)
	}
}

// endTold closes ended when its reader has come to the end.
type endTold struct {
	io.Reader
	ended chan struct{}
}

func (r endTold) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		close(r.ended)
	}
	return n, err
}

// What was sent before the input ended is answered: the store does not end
// before the input has.
func TestStdioDrains(t *testing.T) {
	t.Parallel()
	const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_store","arguments":{"text":"x"}}}` + "\n"
	in := endTold{strings.NewReader(line), make(chan struct{})}
	s := newServer(t, &fake{store: func(m memory.StoreInput) (memory.StoreResult, error) {
		<-in.ended
		return memory.StoreResult{ID: m.ID(), Status: memory.Stored}, nil
	}})
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	wantText(t, out.String(), `"id":1,"result":`)
}

func TestStdioStops(t *testing.T) {
	t.Parallel()
	in, feed := io.Pipe()
	defer feed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- newServer(t, &fake{}).ServeStdio(ctx, in, io.Discard) }()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestStdioEndsWhenTheOutputBreaks(t *testing.T) {
	t.Parallel()
	in, feed := io.Pipe()
	defer feed.Close()
	ended := make(chan error, 1)
	broken := errors.New("pipe is broken")
	go func() { ended <- newServer(t, &fake{}).ServeStdio(t.Context(), in, brokenWriter{broken}) }()
	if _, err := io.WriteString(feed, `{"jsonrpc":"2.0","id":4,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, broken) {
		t.Errorf("ended with %v", err)
	}
}

func TestParentGone(t *testing.T) {
	t.Parallel()
	ppids := make(chan int, 3)
	ppids <- 7
	ppids <- 7
	ppids <- 1
	close(ppids)
	ctx := withParent(t.Context(), func() int { return <-ppids }, time.Millisecond)
	<-ctx.Done()
}
