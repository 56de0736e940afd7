package console

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/difference"
	"github.com/mneme-memory/mneme/internal/untrusted"
	"github.com/mneme-memory/mneme/memory"
)

//go:embed pages
var sources embed.FS

// pages are the parsed templates by name, each with the frame around it.
type pages map[string]*template.Template

func parsePages(functions template.FuncMap) (pages, error) {
	names, err := sources.ReadDir("pages")
	if err != nil {
		return nil, fmt.Errorf("read the console's pages: %w", err)
	}
	out := pages{}
	for _, n := range names {
		name := strings.TrimSuffix(n.Name(), ".html")
		if name == "frame" || name == "parts" {
			continue
		}
		t, err := template.New("frame.html").Funcs(functions).ParseFS(sources,
			"pages/frame.html", "pages/parts.html", path.Join("pages", n.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the console's page %q: %w", name, err)
		}
		out[name] = t
	}
	return out, nil
}

// functions are what templates may call.
func (s *server) functions() template.FuncMap {
	return template.FuncMap{
		"plain":    untrusted.Printable,
		"date":     func(t time.Time) string { return t.In(s.Location).Format("2006-01-02 15:04") },
		"day":      func(t time.Time) string { return t.In(s.Location).Format("2006-01-02") },
		"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"short":    memory.ShortID,
		"clip":     func(text string) string { return memory.Clip(text, 400) },
		"percent":  func(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) },
		"two":      func(v float64) string { return fmt.Sprintf("%.2f", v) },
		"join":     func(words []string) string { return strings.Join(words, ", ") },
		"count":    count,
		"happened": happened,
		"coord":    func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
		"words":    func(name string) string { return strings.ReplaceAll(name, "_", " ") },
		"version":  func() string { return s.Version },
		"kept":     func(op difference.Op) bool { return op == difference.Kept },
		"removed":  func(op difference.Op) bool { return op == difference.Removed },
		"global":   func(project string) bool { return project == memory.Global },
	}
}

// count writes "1 memory", "2 memories".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// view is what a page is filled with.
type view struct {
	Title  string
	Here   string // the page's entry in the menu
	Notice *notice
	Data   any

	// Follow has the page show what changes while it is open: of one memory, or of [everything].
	Follow string
	After  int64 // the events up to this one are on the page already
}

// everything is what a page of many memories follows.
const everything = "everything"

// answer is what a handler gives: a page, or the address to go on to.
type answer struct {
	page   string
	view   view
	status int    // 0 means 200
	goTo   string // after a form
}

// handler answers a request. Its errors are shown as a page.
type handler func(ctx context.Context, r *http.Request) (answer, error)

// page makes a handler of HTTP.
func (s *server) page(handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		after := s.position(ctx, r) // before the memories are read: what comes meanwhile is told again
		a, err := s.try(ctx, handle, r)
		if err != nil {
			a = s.failed(r, err)
		}
		a.view.After = after
		if a.goTo != "" {
			http.Redirect(w, r, a.goTo, http.StatusSeeOther)
			return
		}
		if a.view.Notice == nil {
			a.view.Notice = noticeOf(r)
		}
		var body bytes.Buffer
		if err := s.pages[a.page].Execute(&body, a.view); err != nil {
			s.Logger.ErrorContext(ctx, "fill a page of the console", "page", a.page, "error", err)
			http.Error(w, "this page could not be made; the log of mneme says why", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if a.status != 0 {
			w.WriteHeader(a.status)
		}
		if _, err := body.WriteTo(w); err != nil {
			return // the browser has gone
		}
	})
}

// positionFor bounds how long a page waits to learn where the events end.
const positionFor = 300 * time.Millisecond

// position is where the events end, or -1: the browser then follows what comes from when it asks.
func (s *server) position(ctx context.Context, r *http.Request) int64 {
	if r.Method != http.MethodGet {
		return -1
	}
	ctx, cancel := context.WithTimeout(ctx, positionFor)
	defer cancel()
	at, err := s.Events.Position(ctx)
	if err != nil {
		s.Logger.DebugContext(ctx, "look where the events end", "error", err)
		return -1
	}
	return at
}

func (s *server) try(ctx context.Context, handle handler, r *http.Request) (answer, error) {
	if err := r.ParseForm(); err != nil {
		return answer{}, memory.Errorf(memory.Invalid, "send less", "read the form: %v", err)
	}
	return handle(ctx, r)
}

// trouble is what the page of an error shows.
type trouble struct {
	Text string
	Hint string
	Back string
}

func (s *server) failed(r *http.Request, err error) answer {
	status := map[memory.Code]int{
		memory.Invalid: http.StatusBadRequest, memory.NotFound: http.StatusNotFound,
		memory.Conflict:    http.StatusConflict,
		memory.Unavailable: http.StatusServiceUnavailable, memory.Refused: http.StatusServiceUnavailable,
	}[memory.CodeOf(err)]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	hint := memory.HintOf(err)
	if errors.Is(err, context.DeadlineExceeded) {
		hint = "look again in a moment: an accepted change goes on by itself"
	}
	t := trouble{Text: err.Error(), Hint: hint, Back: back(r.FormValue("back"))}
	return answer{page: "trouble", status: status, view: view{Title: "That did not work", Data: t}}
}

func (s *server) nowhere(_ context.Context, r *http.Request) (answer, error) {
	return answer{}, memory.Errorf(memory.NotFound, "choose a page of the menu", "there is no page %q", r.URL.Path)
}

// back is an address of the console to return to: a path and nothing else, so that a form
// leads to no other server.
func back(to string) string {
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n") {
		return "/"
	}
	return to
}
