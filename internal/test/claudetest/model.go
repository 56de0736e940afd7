package claudetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Request is one request that reached the model.
type Request struct {
	Kind string // see KindMain and the others
	At   time.Time
	Body Body
	Raw  []byte // the whole body
}

// Model is a server that speaks the Messages API and plays a script.
type Model struct {
	player *player
	http   *httptest.Server

	mu       sync.Mutex
	requests []Request
}

// NewModel starts a model on a free port of loopback. Close it at the end.
func NewModel(script Script) (*Model, error) {
	m := &Model{player: &player{script: script}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", m.countTokens)
	mux.HandleFunc("/", m.other)
	m.http = httptest.NewUnstartedServer(mux)
	m.http.Listener.Close() //nolint:errcheck // replaced before anybody knew of it
	m.http.Listener = listener
	m.http.Start()
	return m, nil
}

// URL is the base address for the client.
func (m *Model) URL() string { return m.http.URL }

// Close stops the server.
func (m *Model) Close() { m.http.Close() }

// Requests lists what reached the model, in order.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request{}, m.requests...)
}

// record keeps a request and returns its number, from 1.
func (m *Model) record(kind string, raw []byte, b Body) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, Request{Kind: kind, At: time.Now(), Body: b, Raw: raw})
	return len(m.requests)
}

func read(r *http.Request) ([]byte, Body, error) {
	var b Body
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return raw, b, fmt.Errorf("read the request: %w", err)
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return raw, b, fmt.Errorf("read the request: %w", err)
	}
	return raw, b, nil
}

func (m *Model) messages(w http.ResponseWriter, r *http.Request) {
	raw, body, err := read(r)
	if err != nil {
		m.record(KindOther, raw, body)
		fail(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	kind, turn := m.player.pick(body)
	n := m.record(kind, raw, body)
	if turn.Hang != nil {
		turn.Hang()
		<-r.Context().Done()
		return
	}
	if turn.Status != 0 {
		fail(w, turn.Status, "api_error", "the script says so")
		return
	}
	reply := newReply(body.Model, turn, n)
	if body.Stream {
		reply.stream(w)
		return
	}
	answer(w, http.StatusOK, reply.message(true))
}

func (m *Model) countTokens(w http.ResponseWriter, r *http.Request) {
	raw, body, err := read(r)
	m.record(KindCount, raw, body)
	if err != nil {
		fail(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]any{"input_tokens": max(1, len(raw)/4)})
}

func (m *Model) other(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return // the client looks whether somebody is there
	}
	m.record(KindOther, []byte(r.Method+" "+r.URL.Path), Body{})
	fail(w, http.StatusNotFound, "not_found_error", "only the Messages API is here")
}

func fail(w http.ResponseWriter, status int, kind, text string) {
	answer(w, status, map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": text}})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) //nolint:errcheck // a client that has left needs no answer
}

// reply is one answer in the API's words.
type reply struct {
	id, model, stop string
	blocks          []map[string]any
	usage           map[string]any
}

func newReply(model string, t Turn, n int) reply {
	tokens := t.InputTokens
	if tokens == 0 {
		tokens = 100
	}
	r := reply{id: fmt.Sprintf("msg_stub%04d", n), model: model, stop: "end_turn", usage: map[string]any{
		"input_tokens": tokens, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
	}}
	if t.Text != "" {
		r.blocks = append(r.blocks, map[string]any{"type": "text", "text": t.Text})
	}
	for i, use := range t.Tools {
		r.stop = "tool_use"
		input := use.Input
		if input == nil {
			input = map[string]any{}
		}
		r.blocks = append(r.blocks, map[string]any{
			"type": "tool_use", "id": fmt.Sprintf("toolu_stub%04d%02d", n, i), "name": use.Name, "input": input,
		})
	}
	return r
}

// message is the answer as one value; a stream begins with one that is empty.
func (r reply) message(whole bool) map[string]any {
	m := map[string]any{
		"id": r.id, "type": "message", "role": "assistant", "model": r.model, "usage": r.usage,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
	}
	if whole {
		m["content"], m["stop_reason"] = r.blocks, r.stop
	}
	return m
}

// stream sends the answer as server-sent events, as the real endpoint does.
func (r reply) stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "message_start", map[string]any{"message": r.message(false)})
	for i, b := range r.blocks {
		start, delta := parts(b)
		event(w, "content_block_start", map[string]any{"index": i, "content_block": start})
		event(w, "content_block_delta", map[string]any{"index": i, "delta": delta})
		event(w, "content_block_stop", map[string]any{"index": i})
	}
	event(w, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": r.stop, "stop_sequence": nil}, "usage": r.usage})
	event(w, "message_stop", map[string]any{})
}

// parts splits a block into its empty beginning and what fills it.
func parts(b map[string]any) (start, delta map[string]any) {
	if b["type"] == "text" {
		return map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": b["text"]}
	}
	input, err := json.Marshal(b["input"])
	if err != nil {
		input = []byte("{}") // a script of this package: it is data that JSON can hold
	}
	start = map[string]any{"type": "tool_use", "id": b["id"], "name": b["name"], "input": map[string]any{}}
	return start, map[string]any{"type": "input_json_delta", "partial_json": string(input)}
}

func event(w http.ResponseWriter, name string, data map[string]any) {
	data["type"] = name
	var out strings.Builder
	json.NewEncoder(&out).Encode(data)                          //nolint:errcheck // plain values into a buffer
	fmt.Fprintf(w, "event: %s\ndata: %s\n", name, out.String()) // the encoder ends its line
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
