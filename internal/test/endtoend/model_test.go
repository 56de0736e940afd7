package endtoend

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/ollama/ollama/api"
)

// models is an Ollama with any embedding model: a text's vector counts its
// words, so that texts with the same words are near each other. Its chat model
// repeats the prompt.
type models struct{ dimension atomic.Int64 }

func (m *models) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model    string
		Input    []string
		Messages []api.Message
	}
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	var answer any
	switch r.URL.Path {
	case "/api/version":
		answer = map[string]string{"version": "0.12.0"}
	case "/api/show":
		answer = api.ShowResponse{ModelInfo: map[string]any{"test.context_length": 2048}}
	case "/api/embed":
		vectors := make([][]float32, len(req.Input))
		for i, text := range req.Input {
			vectors[i] = m.embed(text)
		}
		answer = api.EmbedResponse{Model: req.Model, Embeddings: vectors}
	case "/api/chat":
		text := "In short: " + strings.ToLower(req.Messages[len(req.Messages)-1].Content)
		answer = api.ChatResponse{Model: req.Model, Message: api.Message{Role: "assistant", Content: text}, Done: true, DoneReason: "stop"}
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (m *models) embed(text string) []float32 {
	v := make([]float32, m.dimension.Load())
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(word)) // never fails
		v[int(h.Sum32())%len(v)]++
	}
	return v
}

// ports are of this run only.
var ports = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// TestModelChanges lets the embedding model change behind mneme's back, first
// its dimension and then its name: stores are accepted and wait, with the way out,
// which works.
func TestModelChanges(t *testing.T) {
	t.Parallel()
	ollama := &models{}
	ollama.dimension.Store(64)
	srv := httptest.NewServer(ollama)
	t.Cleanup(srv.Close)
	root := filepath.Dir(shared.dir)
	w, err := newWorld(root, "models", shared.bin, "MNEME_OLLAMA_URL="+srv.URL, "MNEME_EMBED_MODEL=first-model", "MNEME_CHAT_MODEL=test-chat")
	if err != nil {
		t.Fatal(err)
	}
	start := func() {
		t.Helper()
		if err := w.up(interrupt); err != nil {
			t.Fatal(err)
		}
	}
	stop := func() {
		t.Helper()
		if a := w.cli(t, "", "down"); a.code != 0 {
			t.Errorf("down: exit %d, %s", a.code, a.stderr)
		}
		if err := w.leftBehind(); err != nil {
			t.Error(err)
		}
	}
	start()
	t.Cleanup(stop)
	w.ok(t, "store", "--project", "p", "The heron stands in the shallow pond.")
	found := func(when string) {
		t.Helper()
		a := w.cli(t, "", "recall", "--project", "p", "--min-score", "0.3", "where does the heron stand?")
		if a.code != 0 || !strings.Contains(a.stdout, "shallow pond") || strings.Contains(a.stderr, "not everything") {
			t.Errorf("%s: recall exit %d\n%s%s", when, a.code, a.stdout, a.stderr)
		}
	}
	found("at first")
	// What waited for the model is tried again within 15 seconds.
	stored := func(text string) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
			if a := w.cli(t, "", "export"); strings.Contains(a.stdout, text) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%q was accepted and is not stored", text)
			}
		}
	}
	t.Run("chat model", func(t *testing.T) {
		summary := w.stdio(t).call(t, "memory_summarize", map[string]any{"project": "p"})
		if summary["method"] != "model test-chat" || !strings.HasPrefix(fmt.Sprint(summary["summary"]), "In short: ") {
			t.Errorf("the chat model's summary is %v", summary)
		}
	})

	var said strings.Builder
	refused := func(t *testing.T, when, text string) {
		a := w.cli(t, "", "store", "--project", "p", text)
		if a.code != 0 || !strings.Contains(a.stdout, "accepted") || !strings.Contains(a.stdout, "mneme rebuild") {
			t.Errorf("%s: store exit %d\n%s%s", when, a.code, a.stdout, a.stderr)
		}
		fmt.Fprintf(&said, "%s, store:\n%s\n", when, a.stdout)
		out := w.stdio(t).call(t, "memory_store", map[string]any{"text": text, "project": "p"})
		if message := fmt.Sprint(out["message"]); out["status"] != "accepted" || !strings.Contains(message, "mneme rebuild") {
			t.Errorf("%s: memory_store says %v", when, out)
		}
		fmt.Fprintf(&said, "%s, memory_store:\n%s: %s\n\n", when, out["status"], out["message"])
		a = w.cli(t, "", "recall", "--project", "p", "where does the heron stand?")
		if a.code != 0 || !strings.Contains(a.stderr, "mneme rebuild") {
			t.Errorf("%s: recall exit %d\n%s%s", when, a.code, a.stdout, a.stderr)
		}
		fmt.Fprintf(&said, "%s, recall: exit %d\n%s\n", when, a.code, ports.ReplaceAllString(a.stderr, "127.0.0.1:<port>"))
	}
	ollama.dimension.Store(96)
	t.Run("another dimension", func(t *testing.T) { refused(t, "another dimension", "The stork nests on the chimney.") })
	w.ok(t, "rebuild")
	found("after a rebuild in 96 dimensions")
	stored("The stork nests on the chimney.")

	stop()
	w.env = append(w.env, "MNEME_EMBED_MODEL=second-model")
	ollama.dimension.Store(48)
	if a := w.cli(t, "", "up", "--detach"); a.code != readyBut || !strings.Contains(a.stdout, "mneme rebuild") {
		t.Errorf("up with another model: exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
	t.Run("another model", func(t *testing.T) { refused(t, "another model", "The owl sleeps in the barn.") })
	w.ok(t, "rebuild")
	found("after a rebuild with the second model")
	stored("The owl sleeps in the barn.")
	golden(t, "model-changes.txt", []byte(said.String()))
	t.Run("reembed", func(t *testing.T) {
		w.ok(t, "reembed", "--model", "third-model")
		found("with the third model")
		stop()
		start() // the settings still name the second model
		if out := w.ok(t, "status"); !strings.Contains(out, "third-model") || !strings.Contains(out, "mneme reembed --back") {
			t.Errorf("status does not tell of the models:\n%s", out)
		}
		w.ok(t, "store", "--project", "p", "The crane dances on the meadow.")
		found("after a restart")
		w.ok(t, "reembed", "--back")
		found("with the second model again")
		w.ok(t, "reembed", "--drop-old")
		w.ok(t, "doctor")
		if out := w.ok(t, "reembed"); !strings.Contains(out, "second-model (48 dimensions) is in force") || strings.Contains(out, "third-model") {
			t.Errorf("reembed says:\n%s", out)
		}
	})
}
