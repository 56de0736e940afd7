package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/types/model"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
)

const (
	// maxBody bounds a request's body, in bytes.
	maxBody = 64 << 20
	// maxInputs bounds the texts of one request: a body full of empty strings would
	// otherwise ask for a thousand times its own size in vectors.
	maxInputs = 16384
)

// handler answers Ollama's API.
type handler struct {
	log     *slog.Logger
	started time.Time // also the model's "modified" time: it comes with the program
	load    func() (*static.Model, error)
	loaded  atomic.Bool
}

func newHandler(log *slog.Logger) http.Handler {
	h := &handler{log: log, started: time.Now()}
	h.load = sync.OnceValues(func() (*static.Model, error) {
		m, err := static.Load()
		h.loaded.Store(err == nil)
		return m, err
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", h.running) // GET patterns answer HEAD too
	mux.HandleFunc("GET /api/version", h.version)
	mux.HandleFunc("GET /api/tags", h.tags)
	mux.HandleFunc("GET /api/ps", h.ps)
	mux.HandleFunc("POST /api/show", h.show)
	mux.HandleFunc("POST /api/pull", h.pull)
	mux.HandleFunc("POST /api/embed", h.embed)
	mux.HandleFunc("POST /api/embeddings", h.embeddings)
	for _, path := range []string{"/api/generate", "/api/chat", "/api/create", "/api/copy", "/api/push"} {
		mux.HandleFunc("POST "+path, h.unsupported)
	}
	return h.logged(guard(mux))
}

// logged writes one debug line a request; never a text, which may be a secret.
func (h *handler) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		next.ServeHTTP(w, r)
		h.log.DebugContext(r.Context(), "ollama request", "method", r.Method, "path", r.URL.Path, "took", time.Since(start))
	})
}

func (h *handler) running(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "Ollama is running") // an error here is the client's hanging up
}

func (h *handler) version(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"version": Version})
}

func (h *handler) unsupported(w http.ResponseWriter, r *http.Request) {
	writeError(w, http.StatusNotImplemented, fmt.Sprintf("%s: %s", r.URL.Path, onlyOurs))
}

// onlyOurs is what a request for anything else is told.
const onlyOurs = "this is mneme's built-in embedding server, which has only the model " + Model +
	`; start a real one with "ollama serve" for other models`

// decode reads the JSON body into v, or answers 400 or 413 and returns false.
func decode(w http.ResponseWriter, r *http.Request, v any) bool {
	err := json.NewDecoder(r.Body).Decode(v)
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return true
	case errors.Is(err, io.EOF):
		writeError(w, http.StatusBadRequest, "missing request body")
	case errors.As(err, &tooLarge):
		writeError(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("request body is larger than %d bytes; send fewer texts at once", tooLarge.Limit))
	default:
		writeError(w, http.StatusBadRequest, err.Error())
	}
	return false
}

// isOurs reports whether name stands for our model, with or without the default tag,
// namespace and registry, as Ollama reads names.
func isOurs(name string) bool {
	return model.ParseName(name).EqualFold(model.ParseName(Model))
}

// find answers 400 or 404 and returns nil when name is not our model.
func (h *handler) find(w http.ResponseWriter, name string) *static.Model {
	if name == "" {
		writeError(w, http.StatusBadRequest, "model is required")
		return nil
	}
	if !isOurs(name) {
		writeError(w, http.StatusNotFound, fmt.Sprintf("model %q not found, try pulling it first", name))
		return nil
	}
	m, err := h.load()
	if err != nil {
		writeError(w, http.StatusInternalServerError, fmt.Sprintf("load model %s: %v", Model, err))
		return nil
	}
	return m
}

func writeError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"error": message})
}

// writeJSON encodes before it sends, so that a value that cannot be encoded is a 500 and
// not a broken 200.
func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"encode answer"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error here is the client's hanging up
}
