package uilink

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"html"
	"net"
	"net/http"
	"sync"
	"time"
)

// session is how long a cookie is good. It ends with the daemon too.
const session = 12 * time.Hour

// Page is what a gate stands before.
type Page struct {
	Name    string // for people, such as "Temporal UI"
	Command string // prints a link to it, such as "mneme ui"
}

// Gate stands before the interface. Make one with [NewGate].
type Gate struct {
	page Page
	key  Key
	now  func() time.Time

	mu       sync.Mutex
	used     map[token]time.Time             // until when they would be good
	sessions map[[sha256.Size]byte]time.Time // until when, by the cookie's hash
}

// NewGate returns a gate before a page that links signed with the key open. A nil now is [time.Now].
func NewGate(page Page, key Key, now func() time.Time) *Gate {
	if now == nil {
		now = time.Now
	}
	return &Gate{
		page: page, key: key, now: now, used: map[token]time.Time{},
		sessions: map[[sha256.Size]byte]time.Time{},
	}
}

// Guard lets requests through that bear the cookie and come from the interface's own pages,
// and opens links.
func (g *Gate) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Referrer-Policy", "no-referrer") // the host is a secret
		switch {
		case !g.ownHost(r.Host):
			http.Error(w, "forbidden: the Host header is not this interface's", http.StatusForbidden)
		case r.URL.Path == openPath:
			g.open(w, r)
		case !ownPage(r):
			http.Error(w, "forbidden: the request comes from another page", http.StatusForbidden)
		case !g.known(r):
			http.Error(w, fmt.Sprintf("unauthorized: open the link that %q prints", g.page.Command),
				http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// open takes a link and gives a cookie. The answer is a page that leads on, no redirect: a
// browser that came from a link in a chat would not send a strict cookie after a redirect.
func (g *Gate) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || !g.redeem(r.URL.Query().Get("token")) {
		http.Error(w,
			fmt.Sprintf("this link is not good, or not any more: %q prints another", g.page.Command),
			http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.key.cookie(), Value: g.begin(), Path: "/", MaxAge: int(session.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Cache-Control", "no-store")
	const page = `<!DOCTYPE html><title>mneme</title><meta http-equiv="refresh" content="0;url=/"><a href="/">%s</a>`
	if _, err := fmt.Fprintf(w, page, html.EscapeString(g.page.Name)); err != nil {
		return // the browser has gone
	}
}

// redeem reports whether a token is good, and makes it worthless.
func (g *Gate) redeem(text string) bool {
	t, until, ok := g.key.verify(text)
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	forget(g.used, now)
	_, again := g.used[t]
	if !ok || again || now.After(until) {
		return false
	}
	g.used[t] = until
	return true
}

// begin makes a session and returns its cookie.
func (g *Gate) begin() string {
	cookie := rand.Text()
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	forget(g.sessions, now)
	g.sessions[sha256.Sum256([]byte(cookie))] = now.Add(session)
	return cookie
}

// known reports whether a request bears the cookie of a session. The cookie is looked up by
// its hash, so the duration reveals no part of it.
func (g *Gate) known(r *http.Request) bool {
	cookie, err := r.Cookie(g.key.cookie())
	if err != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	until, ok := g.sessions[sha256.Sum256([]byte(cookie.Value))]
	return ok && g.now().Before(until)
}

// forget drops what is over.
func forget[K comparable](all map[K]time.Time, now time.Time) {
	for k, until := range all {
		if now.After(until) {
			delete(all, k)
		}
	}
}

// ownHost refuses names that a web page had resolve to this machine.
func (g *Gate) ownHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return host == g.key.host() || host == "127.0.0.1"
}

// ownPage reports whether a request comes from a page of the interface, or from no page: an
// address that was typed, or a program.
func ownPage(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if origin != "http://"+r.Host {
			return false
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}
