package console

import (
	"embed"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

//go:embed assets
var assets embed.FS

// maxForm bounds what a form may send: the longest text of a memory, and the fields beside it.
const maxForm = 256 << 10

// patience bounds one page, and the work of one form: what takes longer goes on in its workflow.
const patience = 30 * time.Second

// Options say what the pages show.
type Options struct {
	Client   Client         // required
	Events   Events         // required
	Settings []Setting      // as they are in force
	Sessions Sessions       // required
	API      http.Handler   // below /api/v1; required
	User     string         // whose name the changes bear
	Version  string         // of mneme
	Location *time.Location // of dates; nil means the machine's
	Logger   *slog.Logger   // required; it gets no texts
	Now      func() time.Time
}

// server holds what the handlers share.
type server struct {
	Options
	pages pages
}

// New returns the pages. The caller puts a guard before them: they ask nobody for a key.
func New(o Options) (http.Handler, error) {
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &server{Options: o}
	var err error
	if s.pages, err = parsePages(s.functions()); err != nil {
		return nil, err
	}
	static, err := fs.Sub(assets, "assets")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", http.FileServerFS(static)))
	for pattern, handle := range map[string]handler{
		"GET /{$}":                    s.today,
		"GET /search":                 s.search,
		"GET /memories":               s.list,
		"GET /memories/{id}":          s.memory,
		"POST /memories/{id}":         s.edit,
		"POST /memories/{id}/pin":     s.pin,
		"POST /memories/{id}/restore": s.restore,
		"POST /chosen":                s.chosen,
		"POST /forget":                s.forget,
		"POST /merge":                 s.merge,
		"GET /settings":               s.settings,
		"GET /sessions":               s.sessions,
		"GET /session":                s.session,
		"GET /runs":                   s.runs,
		"GET /run":                    s.run,
		"POST /runs":                  s.begin,
		"POST /runs/cancel":           s.cancel,
		"GET /graph":                  s.graph,
		"GET /changes":                s.changes,
		"GET /undo":                   s.askUndo,
		"POST /undo":                  s.undo,
		"GET /":                       s.nowhere,
	} {
		mux.Handle(pattern, s.page(handle))
	}
	return guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/v1/") {
			s.API.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})), nil
}

// guarded adds what browsers must not do with the pages.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "+
			"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		// The host's name is a secret, and forms must name their origin.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		next.ServeHTTP(w, r)
	})
}
