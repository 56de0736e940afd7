package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Root is where the API begins.
const Root = "/api/v1"

const (
	maxBody  = 256 << 10 // of a request: the longest text of a memory, and the fields beside it
	patience = 30 * time.Second
)

// Options say what the API serves.
type Options struct {
	Client   Client                   // required
	Keyed    func(key string) Keyable // required: a client whose changes are made once for a key
	Events   Events                   // required
	Sessions Sessions                 // required
	User     string                   // whose name the changes bear
	Version  string                   // of mneme
	Logger   *slog.Logger             // required; it gets no texts
}

// server holds what the handlers share.
type server struct {
	Options
	description []byte // OpenAPI
}

// New returns the API. The caller puts a guard before it, such as [Guard].
func New(o Options) (http.Handler, error) {
	s := &server{Options: o}
	all := s.routes()
	var err error
	if s.description, err = describe(all, o.Version); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for _, rt := range all {
		mux.Handle(rt.method+" "+Root+rt.path, s.serve(rt))
	}
	mux.HandleFunc("GET "+Root+"/openapi.json", s.openapi)
	mux.Handle("GET "+Root+"/events/stream", o.Events)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, Problem{
			Status: http.StatusNotFound, Code: string(memory.NotFound), Detail: r.Method + " " + r.URL.Path + " is nothing that there is",
			Hint: "see " + Root + "/openapi.json",
		})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		mux.ServeHTTP(w, r)
	}), nil
}

func (s *server) openapi(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(s.description); err != nil {
		return // the client has gone
	}
}

// serve makes a handler of HTTP of a route.
func (s *server) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		out, status, err := s.answer(ctx, rt, r)
		if err != nil {
			refuse(w, problemOf(err))
			return
		}
		var body bytes.Buffer
		if err := json.NewEncoder(&body).Encode(out); err != nil {
			s.Logger.ErrorContext(ctx, "encode an answer of the API", "operation", rt.id, "error", err)
			refuse(w, Problem{Status: http.StatusInternalServerError, Code: string(memory.Internal), Detail: "the answer could not be encoded"})
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if _, err := body.WriteTo(w); err != nil {
			return // the client has gone
		}
	})
}

// answer checks what a route does not take, and asks it.
func (s *server) answer(ctx context.Context, rt route, r *http.Request) (any, int, error) {
	known := map[string]bool{}
	for _, p := range rt.params {
		known[p.Name] = true
	}
	for name := range r.URL.Query() {
		if !known[name] {
			return nil, 0, memory.Errorf(memory.Invalid, "see "+Root+"/openapi.json", "there is no parameter %q here", memory.Clip(name, 60))
		}
	}
	if len(r.Header.Get(keyHeader)) > maxKey {
		return nil, 0, memory.Errorf(memory.Invalid, "make it shorter", "the header %s has more than %d bytes", keyHeader, maxKey)
	}
	if rt.body != nil && !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return nil, 0, memory.Errorf(memory.Invalid, "send Content-Type: application/json", "the body must be JSON")
	}
	return rt.handle(ctx, r)
}
