package mcpserver

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/mneme-memory/mneme/memory"
)

// A real client over a real socket, from the handshake to a clean stop.
func TestHTTP(t *testing.T) {
	t.Parallel()
	var got memory.Query
	s := newServer(t, &fake{recall: func(q memory.Query) (memory.RecallResult, error) {
		got = q
		return memory.RecallResult{Hits: []memory.Hit{{ID: idA, Text: "a"}}}, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	addr, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- s.ServeHTTP(ctx, HTTPOptions{Addr: "127.0.0.1:0", Token: "s3cret", Listening: func(a net.Addr) { addr <- a }})
	}()
	c, err := client.NewStreamableHttpClient("http://"+(<-addr).String()+Path,
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer s3cret", ProjectHeader: "example.org/other"}))
	if err != nil {
		t.Fatal(err)
	}
	if res := handshake(t, c); res.Instructions != instructions {
		t.Error("no instructions")
	}
	out := mustCall(t, c, "memory_recall", map[string]any{"query": "x"})
	if len(out["results"].([]any)) != 1 || got.Project != "example.org/other" {
		t.Errorf("asked %+v, answered %v", got, out)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestHTTPGuards(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	cases := []struct {
		name   string
		change func(*http.Request)
		body   string
		want   int
	}{
		{"good", func(*http.Request) {}, ping, 200},
		{"good origin", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }, ping, 200},
		{"IPv6", func(r *http.Request) { r.Host = "[::1]:99" }, ping, 200},
		{"rebound host", func(r *http.Request) { r.Host = "evil.example:80" }, ping, 403},
		{"lookalike host", func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, ping, 403},
		{"other origin", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, ping, 403},
		{"null origin", func(r *http.Request) { r.Header.Set("Origin", "null") }, ping, 403},
		{"two origins", func(r *http.Request) { r.Header["Origin"] = []string{"http://localhost", "https://evil.example"} }, ping, 403},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, ping, 401},
		{"wrong token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer tokenx") }, ping, 401},
		{"wrong scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic token") }, ping, 401},
		{"long project", func(r *http.Request) { r.Header.Set(ProjectHeader, strings.Repeat("p", 300)) }, ping, 400},
		{"large body", func(*http.Request) {}, strings.Repeat("x", maxMessage+1), 413},
		{"other path", func(r *http.Request) { r.URL.Path = "/" }, ping, 404},
		{"stream", func(r *http.Request) { r.Method = http.MethodGet }, "", 405},
	}
	s := newServer(t, &fake{})
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7433"+Path, strings.NewReader(tc.body))
			r.Header.Set("Authorization", "Bearer token")
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			tc.change(r)
			w := httptest.NewRecorder()
			s.Handler(HTTPOptions{Token: "token"}).ServeHTTP(w, r)
			if w.Code != tc.want {
				t.Errorf("status %d, want %d: %s", w.Code, tc.want, w.Body)
			}
		})
	}
}

func TestHTTPRefusesDiscovery(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(newServer(t, &fake{}).Handler(HTTPOptions{Token: "token"}))
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+Path, strings.NewReader(`{"jsonrpc":"2.0","id":"d","method":"server/discover"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, string(b), `"id":"d"`, "-32601")
}

func TestHTTPStaysOnLoopback(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:0", "nonsense"} {
		err := newServer(t, &fake{}).ServeHTTP(t.Context(), HTTPOptions{Addr: addr, Token: "token"})
		if memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// TestHTTPNeedsAToken serves nobody without one, not even a request that bears an empty one.
func TestHTTPNeedsAToken(t *testing.T) {
	t.Parallel()
	s := newServer(t, &fake{})
	if err := s.ServeHTTP(t.Context(), HTTPOptions{Addr: "127.0.0.1:0"}); memory.CodeOf(err) != memory.Invalid {
		t.Error(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1"+Path, strings.NewReader("{}"))
	r.Header.Set("Authorization", "Bearer ")
	w := httptest.NewRecorder()
	s.Handler(HTTPOptions{}).ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized {
		t.Errorf("status %d", w.Code)
	}
}
