package ollama

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
)

// start runs a server for one test and returns Ollama's own client for it.
func start(t *testing.T) (*Server, *api.Client) {
	t.Helper()
	s, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	base, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	return s, api.NewClient(base, &http.Client{Timeout: time.Minute})
}

// send makes one raw request and returns status and body.
func send(t *testing.T, s *Server, method, path, body string, edit func(*http.Request)) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	model, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mneme-static", "mneme-static:latest", "library/Mneme-Static"} {
		no := false
		resp, err := client.Embed(t.Context(), &api.EmbedRequest{
			Model: name, Input: []string{"restart the worker", "", "日志"}, Truncate: &no,
			KeepAlive: &api.Duration{Duration: time.Minute},
		})
		if err != nil {
			t.Fatal(err)
		}
		if resp.Model != name || len(resp.Embeddings) != 3 || resp.PromptEvalCount != 3 || resp.TotalDuration <= 0 || resp.LoadDuration <= 0 {
			t.Errorf("%s: answer %s, %d vectors, %d pieces, %v, %v", name, resp.Model, len(resp.Embeddings), resp.PromptEvalCount, resp.TotalDuration, resp.LoadDuration)
		}
		if !slices.Equal(resp.Embeddings[0], model.Embed("restart the worker")) {
			t.Error("the vector changed on its way")
		}
		if zero := make([]float32, static.Dimension); !slices.Equal(resp.Embeddings[1], zero) || !slices.Equal(resp.Embeddings[2], zero) {
			t.Error("a text without a known piece is not the zero vector")
		}
	}
}

func TestEmbedDimensions(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	for ask, want := range map[int]int{0: 256, 64: 64, 256: 256, 999: 256, -1: 256} {
		resp, err := client.Embed(t.Context(), &api.EmbedRequest{Model: Model, Input: "one text", Dimensions: ask})
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		for _, x := range resp.Embeddings[0] {
			sum += float64(x) * float64(x)
		}
		if got := len(resp.Embeddings[0]); got != want || sum < 0.9999 || sum > 1.0001 {
			t.Errorf("dimensions %d: %d numbers with squares %v, want %d and 1", ask, got, sum, want)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	big := `{"model":"mneme-static","input":"` + strings.Repeat("x", maxBody) + `"}`
	many := `{"model":"mneme-static","input":["` + strings.Repeat(`","`, maxInputs) + `"]}`
	for name, tc := range map[string]struct {
		method, path, body string
		status             int
		want               string
	}{
		"root":              {"GET", "/", "", 200, "Ollama is running"},
		"head":              {"HEAD", "/", "", 200, ""},
		"version":           {"GET", "/api/version", "", 200, `{"version":"0.17.4+mneme"}`},
		"head version":      {"HEAD", "/api/version", "", 200, ""},
		"unknown model":     {"POST", "/api/embed", `{"model":"x","input":"a"}`, 404, `{"error":"model \"x\" not found, try pulling it first"}`},
		"other tag":         {"POST", "/api/embed", `{"model":"mneme-static:v2","input":"a"}`, 404, "not found"},
		"no model":          {"POST", "/api/embed", `{"input":"a"}`, 400, "model is required"},
		"no body":           {"POST", "/api/embed", "", 400, "missing request body"},
		"bad JSON":          {"POST", "/api/embed", `{"model":`, 400, "error"},
		"wrong input":       {"POST", "/api/embed", `{"model":"mneme-static","input":7}`, 400, "invalid input type"},
		"wrong element":     {"POST", "/api/embed", `{"model":"mneme-static","input":["a",7]}`, 400, "invalid input type"},
		"wrong keep_alive":  {"POST", "/api/embed", `{"model":"mneme-static","input":"a","keep_alive":true}`, 400, "error"},
		"empty input":       {"POST", "/api/embed", `{"model":"mneme-static","input":""}`, 200, `{"model":"mneme-static","embeddings":[]}`},
		"no input":          {"POST", "/api/embed", `{"model":"mneme-static"}`, 200, `"embeddings":[]`},
		"too large":         {"POST", "/api/embed", big, 413, "send fewer texts"},
		"too many":          {"POST", "/api/embed", many, 400, "at most 16384"},
		"old, empty":        {"POST", "/api/embeddings", `{"model":"mneme-static"}`, 200, `{"embedding":[]}`},
		"old, unknown":      {"POST", "/api/embeddings", `{"model":"x","prompt":"a"}`, 404, "try pulling it first"},
		"show unknown":      {"POST", "/api/show", `{"model":"x"}`, 404, "model 'x' not found"},
		"show nothing":      {"POST", "/api/show", `{}`, 400, "model is required"},
		"pull not streamed": {"POST", "/api/pull", `{"model":"mneme-static","stream":false}`, 200, `{"status":"success"}`},
		"pull bad name":     {"POST", "/api/pull", `{"model":"a b/c"}`, 400, "invalid model name"},
		"chat":              {"POST", "/api/chat", `{}`, 501, "built-in"},
		"wrong method":      {"GET", "/api/embed", "", 405, ""},
		"no such path":      {"GET", "/api/nothing", "", 404, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := send(t, s, tc.method, tc.path, tc.body, nil)
			if status != tc.status || !strings.Contains(body, tc.want) {
				t.Errorf("%d %.200s, want %d with %s", status, body, tc.status, tc.want)
			}
		})
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	list, err := client.List(t.Context())
	if err != nil || len(list.Models) != 1 || list.Models[0].Name != "mneme-static:latest" || list.Models[0].Digest != static.Digest {
		t.Fatalf("tags: %+v, %v", list, err)
	}
	running, err := client.ListRunning(t.Context())
	if err != nil || len(running.Models) != 0 {
		t.Fatalf("before the first text: %+v, %v", running, err)
	}
	old, err := client.Embeddings(t.Context(), &api.EmbeddingRequest{Model: Model, Prompt: "a text"})
	if err != nil || len(old.Embedding) != static.Dimension {
		t.Fatalf("embeddings: %d, %v", len(old.Embedding), err)
	}
	running, err = client.ListRunning(t.Context())
	if err != nil || len(running.Models) != 1 || running.Models[0].ContextLength != contextLength {
		t.Fatalf("after it: %+v, %v", running, err)
	}
	show, err := client.Show(t.Context(), &api.ShowRequest{Model: Model})
	if err != nil || show.ModelInfo["mneme-static.embedding_length"] != 256. || show.Capabilities[0] != "embedding" {
		t.Fatalf("show: %+v, %v", show, err)
	}
}

func TestPull(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	var last api.ProgressResponse
	see := func(p api.ProgressResponse) error { last = p; return nil }
	if err := client.Pull(t.Context(), &api.PullRequest{Model: Model}, see); err != nil || last.Status != "success" {
		t.Errorf("our own model: %q, %v", last.Status, err)
	}
	err := client.Pull(t.Context(), &api.PullRequest{Model: "nomic-embed-text"}, see)
	if err == nil || !strings.Contains(err.Error(), "only the model mneme-static") {
		t.Errorf("another model: %v", err)
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	origin := func(o string) func(*http.Request) { return func(r *http.Request) { r.Header.Set("Origin", o) } }
	for name, tc := range map[string]struct {
		edit func(*http.Request)
		want int
	}{
		"localhost":        {host("localhost:1234"), 200},
		"sub.localhost":    {host("mneme.localhost"), 200},
		"IPv6":             {host("[::1]:99"), 200},
		"IPv6, no port":    {host("[::1]"), 200},
		"rebound name":     {host("evil.example"), 403},
		"looks local":      {host("localhost.evil.example"), 403},
		"private address":  {host("192.168.0.7:11434"), 403},
		"foreign origin":   {origin("https://evil.example"), 403},
		"sandboxed origin": {origin("null"), 403},
		"local origin":     {origin("http://localhost:3000"), 200},
	} {
		status, _ := send(t, s, "GET", "/api/version", "", tc.edit)
		if status != tc.want {
			t.Errorf("%s: %d, want %d", name, status, tc.want)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for addr, want := range map[string]string{
		"0.0.0.0:0":             "only a loopback address",
		":0":                    "only a loopback address",
		"example.com:80":        "only a loopback address",
		"127.0.0.1":             "missing port",
		taken.Addr().String():   "address already in use",
		"127.0.0.1:notanumber!": "notanumber",
	} {
		s, err := Start(t.Context(), Options{Addr: addr})
		if err == nil {
			_ = s.Stop()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", addr, err, want)
		}
	}
}

// The server outlives the context it was started with, stops as often as it is asked
// to, and leaves the port free.
func TestStop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Start(ctx, Options{Addr: "localhost:0"})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if status, _ := send(t, s, "GET", "/", "", nil); status != 200 {
		t.Errorf("after its context ended: %d", status)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	again, err := Start(t.Context(), Options{Addr: s.Addr()})
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	if err := again.Stop(); err != nil {
		t.Error(err)
	}
}

func TestCancelledEmbed(t *testing.T) {
	t.Parallel()
	m, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := embedAll(ctx, m, []string{"a"}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A text may be a secret, so no log line holds one.
func TestLogHasNoTexts(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	s, err := Start(t.Context(), Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	send(t, s, "POST", "/api/embed", `{"model":"mneme-static","input":"hunter2"}`, nil)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, "/api/embed") || strings.Contains(got, "hunter2") {
		t.Errorf("log: %s", got)
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
