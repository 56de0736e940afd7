package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	embedded "github.com/mneme-memory/mneme/embedded/ollama"
	"github.com/mneme-memory/mneme/embedded/ollama/static"
	"github.com/mneme-memory/mneme/memory"
)

// real returns an embedder on the embedded server.
func real(t *testing.T, model string) *Embedder {
	t.Helper()
	s, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return dial(t, s.URL(), model)
}

func dial(t *testing.T, url, model string) *Embedder {
	t.Helper()
	e, err := New(Options{URL: url, Model: model, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// fake is an Ollama with fixed answers that records its requests.
type fake struct {
	embed func(input []string) (status int, answer any)
	show  map[string]any

	mu    sync.Mutex
	calls [][]string
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/show" {
		reply(w, http.StatusOK, api.ShowResponse{ModelInfo: f.show})
		return
	}
	var req struct {
		Input    []string
		Truncate *bool
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.Truncate == nil || *req.Truncate {
		reply(w, http.StatusTeapot, map[string]string{"error": "not asked to refuse long texts"})
		return
	}
	f.mu.Lock()
	f.calls = append(f.calls, req.Input)
	f.mu.Unlock()
	status, answer := f.embed(req.Input)
	reply(w, status, answer)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	if s, ok := v.(string); ok {
		_, _ = io.WriteString(w, s)
		return
	}
	_ = json.NewEncoder(w).Encode(v)
}

func serve(t *testing.T, f *fake, model string) *Embedder {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return dial(t, s.URL, model)
}

// ones answers one vector for each text, of the text's length and 1.
func ones(input []string) (int, any) {
	vectors := make([][]float32, len(input))
	for i, text := range input {
		vectors[i] = []float32{float32(len(text)), 1}
	}
	return http.StatusOK, api.EmbedResponse{Embeddings: vectors}
}

func TestEmbedOnEmbeddedServer(t *testing.T) {
	t.Parallel()
	e := real(t, "mneme-static")
	model, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 150)
	for i := range texts {
		texts[i] = fmt.Sprintf("restart worker %d after the deploy", i)
	}
	vectors, err := e.Embed(t.Context(), Document, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if c := memory.Cosine(v, model.Embed(texts[i])); c < 0.99999 {
			t.Fatalf("text %d: cosine %v", i, c)
		}
	}
	if n, err := e.Dimension(t.Context()); n != static.Dimension || err != nil {
		t.Errorf("dimension %d, %v", n, err)
	}
	if v, err := e.Version(t.Context()); v != embedded.Version || err != nil {
		t.Errorf("version %q, %v", v, err)
	}
	if ok, err := e.HasModel(t.Context()); !ok || err != nil {
		t.Errorf("has model: %v, %v", ok, err)
	}
	zero, err := e.Embed(t.Context(), Query, []string{"日志"})
	if err != nil || !zero[0].IsZero() {
		t.Errorf("unknown text: %v, %v", zero, err)
	}
	if none, err := e.Embed(t.Context(), Query, nil); none != nil || err != nil {
		t.Errorf("no text: %v, %v", none, err)
	}
}

func TestPull(t *testing.T) {
	t.Parallel()
	var seen []string
	err := real(t, "mneme-static").Pull(t.Context(), func(_, _ int64, status string) { seen = append(seen, status) })
	if err != nil || !slices.Contains(seen, "success") {
		t.Errorf("progress %q, %v", seen, err)
	}
	other := real(t, "nomic-embed-text")
	if err := other.Pull(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "built-in") {
		t.Errorf("another model: %v", err)
	}
	if ok, err := other.HasModel(t.Context()); ok || err != nil {
		t.Errorf("has another model: %v, %v", ok, err)
	}
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, api.ProgressResponse{Status: "pulling", Total: 9, Completed: 1})
	}))
	t.Cleanup(cut.Close)
	if err := dial(t, cut.URL, "x").Pull(t.Context(), nil); memory.CodeOf(err) != memory.Unavailable {
		t.Errorf("a pull that was cut off: %v", err)
	}
}

func TestPrefixesAndBatches(t *testing.T) {
	t.Parallel()
	for model, want := range map[string][2]string{
		"nomic-embed-text:latest":    {"search_document: ", "search_query: "},
		"me/Nomic-Embed-Text-v2-moe": {"search_document: ", "search_query: "},
		"all-minilm":                 {"", ""},
		"mneme-static":               {"", ""},
	} {
		for i, kind := range []Kind{Document, Query} {
			f := &fake{embed: ones}
			if _, err := serve(t, f, model).Embed(t.Context(), kind, make([]string, 130)); err != nil {
				t.Fatal(err)
			}
			if len(f.calls) != 3 || len(f.calls[0]) != maxBatch || f.calls[2][1] != want[i] {
				t.Errorf("%s %s: %d calls, the last %q", model, kind, len(f.calls), f.calls[len(f.calls)-1])
			}
		}
	}
}

// refusing answers as Ollama does for a text of more than limit words.
func refusing(limit int) func([]string) (int, any) {
	return func(input []string) (int, any) {
		for _, text := range input {
			if len(strings.Fields(text)) > limit {
				return http.StatusBadRequest, map[string]string{"error": "the input length exceeds the context length"}
			}
		}
		return ones(input)
	}
}

func TestLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 1000) + "last"
	f := &fake{embed: refusing(20), show: map[string]any{"bert.context_length": 128}}
	vectors, err := serve(t, f, "unknown-model").Embed(t.Context(), Document, []string{"a short one", long, "another"})
	if err != nil || len(vectors) != 3 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	if n := vectors[1].Norm(); math.Abs(n-1) > 1e-5 {
		t.Errorf("norm %v", n)
	}
	var sawLast, sawShort bool
	for _, call := range f.calls {
		for _, text := range call {
			sawLast = sawLast || strings.HasSuffix(text, "last")
			sawShort = sawShort || text == "a short one"
		}
	}
	if !sawLast || !sawShort {
		t.Error("a part of the input was never sent")
	}
	never := &fake{embed: refusing(0)}
	if _, err := serve(t, never, "all-minilm").Embed(t.Context(), Document, []string{long}); memory.CodeOf(err) != memory.Refused {
		t.Errorf("an Ollama that refuses everything: %v", err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	say := func(status int, answer any) func([]string) (int, any) {
		return func([]string) (int, any) { return status, answer }
	}
	vectors := func(v ...[]float32) api.EmbedResponse { return api.EmbedResponse{Embeddings: v} }
	for name, tc := range map[string]struct {
		embed func([]string) (int, any)
		code  memory.Code
		want  string
	}{
		"missing":       {say(404, map[string]string{"error": `model "x" not found, try pulling it first`}), memory.Refused, "not found"},
		"bad input":     {say(400, map[string]string{"error": "invalid input type"}), memory.Refused, "invalid input type"},
		"busy":          {say(503, map[string]string{"error": "server busy"}), memory.Unavailable, "busy"},
		"broken":        {say(500, "boom"), memory.Unavailable, "boom"},
		"no sign-in":    {say(401, map[string]string{}), memory.Refused, ""},
		"no rights":     {say(403, map[string]string{"error": "forbidden"}), memory.Refused, "forbidden"},
		"quota":         {say(429, map[string]string{"error": "slow down"}), memory.Refused, "slow down"},
		"disk full":     {say(500, map[string]string{"error": "write /blobs/x: no space left on device"}), memory.Refused, "no space"},
		"no memory":     {say(500, map[string]string{"error": "model requires more system memory (9.0 GiB) than is available"}), memory.Refused, "memory"},
		"not JSON":      {say(200, "<html>"), memory.Refused, "no Ollama"},
		"too few":       {say(200, vectors([]float32{1, 2})), memory.Internal, "1 vectors for 2 texts"},
		"empty":         {say(200, vectors([]float32{}, []float32{})), memory.Internal, "empty"},
		"two sizes":     {say(200, vectors([]float32{1, 2}, []float32{1})), memory.Internal, "of 2 and of 1"},
		"out of range":  {say(200, `{"embeddings":[[1e60],[1]]}`), memory.Refused, "no Ollama"},
		"another error": {say(418, map[string]string{"error": "teapot"}), memory.Refused, "teapot"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := serve(t, &fake{embed: tc.embed}, "all-minilm").Embed(t.Context(), Document, []string{"a", "b"})
			if tc.code == memory.Refused && memory.HintOf(err) == "" {
				t.Errorf("%v: nobody says how it is mended", err)
			}
			if memory.CodeOf(err) != tc.code || memory.PartOf(err) != "Ollama" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v (%s of %s), want %s with %q", err, memory.CodeOf(err), memory.PartOf(err), tc.code, tc.want)
			}
			if got := ModelMissing(err); got != (name == "missing") {
				t.Errorf("ModelMissing = %v", got)
			}
		})
	}
}

func TestNotThere(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	address := s.URL
	s.Close()
	_, err := dial(t, address, "all-minilm").Embed(t.Context(), Document, []string{"a"})
	if memory.CodeOf(err) != memory.Unavailable || !strings.Contains(err.Error(), "does not answer at") || memory.HintOf(err) == "" {
		t.Errorf("%v, hint %q", err, memory.HintOf(err))
	}
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client hangs up
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	e, err := New(Options{URL: slow.URL, Model: "all-minilm", Timeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), Document, []string{"a"}); memory.CodeOf(err) != memory.Unavailable {
		t.Errorf("time-out: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, Document, []string{"a"}); !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {URL: "localhost:11434", Model: "m"}, {URL: "http://", Model: "m"}, {URL: "http://x", Model: " "}, {URL: "ftp://x", Model: "m"}} {
		if _, err := New(o); memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
