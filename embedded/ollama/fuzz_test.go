package ollama

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
)

// Whatever the body, the answer is JSON, and a 200 has as many vectors as texts.
func FuzzEmbedRequest(f *testing.F) {
	for _, seed := range []string{
		`{"model":"mneme-static","input":"a text"}`,
		`{"model":"mneme-static:latest","input":["a","",null],"dimensions":3,"truncate":false}`,
		`{"model":"x","input":{},"keep_alive":"5m"}`,
		`{"model":"mneme-static","input":["\ud800","\u0000"],"options":{"num_ctx":1}}`,
		`[`, ``, `null`,
	} {
		f.Add(seed)
	}
	h := newHandler(slog.New(slog.DiscardHandler))
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/api/embed", strings.NewReader(body))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			var e struct{ Error string }
			if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Error == "" || w.Code >= 500 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			return
		}
		var resp api.EmbedResponse
		if err := json.Unmarshal(w.Body.Bytes(), &resp); err != nil {
			t.Fatal(err)
		}
		for _, v := range resp.Embeddings {
			if len(v) == 0 || len(v) > static.Dimension {
				t.Fatalf("%d dimensions", len(v))
			}
		}
	})
}

// BenchmarkEmbedBatch measures 64 short texts through HTTP and Ollama's client.
func BenchmarkEmbedBatch(b *testing.B) {
	s, err := Start(b.Context(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Stop(); err != nil {
			b.Error(err)
		}
	})
	base, err := url.Parse(s.URL())
	if err != nil {
		b.Fatal(err)
	}
	client := api.NewClient(base, http.DefaultClient)
	texts := make([]string, 64)
	for i := range texts {
		texts[i] = "Restart it with `systemctl restart mneme-worker` after a deploy."
	}
	for b.Loop() {
		if _, err := client.Embed(b.Context(), &api.EmbedRequest{Model: Model, Input: texts}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "texts/s")
}
