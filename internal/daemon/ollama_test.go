package daemon_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	embeddedollama "github.com/mneme-memory/mneme/embedded/ollama"
	"github.com/mneme-memory/mneme/internal/daemon"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// ollamaAt is a server of Ollama's protocol, with before in front of it: what that
// answers, by returning true, the server does not see. It returns its address.
func ollamaAt(t *testing.T, before func(http.ResponseWriter, *http.Request) bool) string {
	t.Helper()
	server, err := embeddedollama.Start(t.Context(), embeddedollama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop() })
	proxy := forward(t, server.URL())
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !before(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	return front.Listener.Addr().String()
}

// forward passes its requests on to another server.
func forward(t *testing.T, to string) http.Handler {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target) // and its Host: the server answers to its own name only
	}}
}

// lookAt makes a daemon look for Ollama at an address.
func lookAt(address string) func(*daemon.Options) {
	return func(o *daemon.Options) {
		o.Getenv = func(name string) string {
			if name == "OLLAMA_HOST" {
				return address
			}
			return ""
		}
	}
}

func noModel(w http.ResponseWriter) bool {
	http.Error(w, `{"error":"model not found"}`, http.StatusNotFound)
	return true
}

// TestOllamaFound has a server of Ollama's protocol where Ollama is looked for, without the
// model until it is pulled.
func TestOllamaFound(t *testing.T) {
	t.Parallel()
	var pulled atomic.Bool
	address := ollamaAt(t, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/api/pull":
			pulled.Store(true)
		case r.URL.Path == "/api/show" && !pulled.Load():
			return noModel(w)
		}
		return false
	})
	var steps atomic.Int32
	progress := func(o *daemon.Options) {
		o.Progress = func(_, _ int64, what string) {
			if strings.Contains(what, "pull mneme-static") {
				steps.Add(1)
			}
		}
	}
	// With its tag it is a name that only a real Ollama would know.
	r := run(t, t.TempDir(), map[string]string{"MNEME_EMBED_MODEL": "mneme-static:latest"}, lookAt(address), progress)
	s := r.state.Services[homestate.OllamaService]
	if s.Mode != homestate.Found || s.Address != "http://"+address {
		t.Errorf("service %+v", s)
	}
	if i := r.inspect(t, homestate.OllamaService); i.Version == "" || len(i.Problems) > 0 || i.Dimension == 0 {
		t.Errorf("it says of itself %+v", i)
	}
	if !pulled.Load() || steps.Load() == 0 {
		t.Errorf("pulled %v, with %d steps of progress", pulled.Load(), steps.Load())
	}
	stored(t, r.client, fact, "a")
}

// TestOllamaWithoutItsModel has an Ollama that cannot pull a model, as on a machine that is
// offline. Where nobody chose that model the built-in one is used; where somebody did,
// stores wait for it.
func TestOllamaWithoutItsModel(t *testing.T) {
	t.Parallel()
	address := ollamaAt(t, func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/api/pull":
			http.Error(w, `{"error":"pull model manifest: no such host"}`, http.StatusInternalServerError)
			return true
		case "/api/show":
			return noModel(w)
		default:
			return false
		}
	})
	home := t.TempDir()
	r := run(t, home, map[string]string{"MNEME_EMBED_MODEL": ""}, lookAt(address))
	s := r.state.Services[homestate.OllamaService]
	if s.Mode != homestate.Embedded || r.state.Model != "mneme-static" || !strings.Contains(s.Note, address) || !strings.Contains(s.Note, "ollama pull") {
		t.Errorf("model %s of %+v", r.state.Model, s)
	}
	stored(t, r.client, fact, "a")
	r.stop()

	r = run(t, t.TempDir(), map[string]string{"MNEME_EMBED_MODEL": "all-minilm"}, lookAt(address))
	s = r.state.Services[homestate.OllamaService]
	if s.Mode != homestate.Found || r.state.Model != "all-minilm" || s.Note != "" {
		t.Errorf("model %s of %+v", r.state.Model, s)
	}
	// A fault is reported by the server itself, for as long as it lasts.
	if i := r.inspect(t, homestate.OllamaService); len(i.Problems) != 1 || !strings.Contains(memory.HintOf(i.Problems[0]), "ollama pull all-minilm") {
		t.Errorf("it says of itself %+v", i)
	}
}
