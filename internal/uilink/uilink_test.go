package uilink

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// gate is a gate before a page, with a clock that a test moves.
type gate struct {
	*Gate
	handler http.Handler
	clock   time.Time
}

func newGate() *gate {
	g := &gate{clock: time.Unix(1e9, 0)}
	g.Gate = NewGate(Page{"Temporal UI", "mneme ui"}, NewKey(), func() time.Time { return g.clock })
	g.handler = g.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	return g
}

// link is a new one, as "mneme ui" prints it.
func (g *gate) link(t *testing.T, byAddress bool) string {
	t.Helper()
	link, err := Link("http://127.0.0.1:8233", g.key, g.clock, byAddress)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// get asks for a URL and returns the answer.
func (g *gate) get(t *testing.T, address string, cookie *http.Cookie, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if cookie != nil {
		r.AddCookie(cookie)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	g.handler.ServeHTTP(w, r)
	return w.Result()
}

// enter opens a link and returns the cookie.
func (g *gate) enter(t *testing.T, link string) *http.Cookie {
	t.Helper()
	resp := g.get(t, link, nil, "Sec-Fetch-Site", "cross-site") // from a chat
	if resp.StatusCode != http.StatusOK || len(resp.Cookies()) != 1 {
		t.Fatalf("%s: %d, %v", link, resp.StatusCode, resp.Cookies())
	}
	c := resp.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("the cookie is %v", c)
	}
	return c
}

// base is a link's host, where the interface answers.
func base(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + u.Host
}

// TestLinkOpensOnce admits the holder of a link once, and no caller without a
// link.
func TestLinkOpensOnce(t *testing.T) {
	t.Parallel()
	for _, byAddress := range []bool{false, true} {
		g := newGate()
		link := g.link(t, byAddress)
		ui := base(t, link)
		if strings.HasSuffix(ui, ".localhost:8233") == byAddress {
			t.Errorf("the link leads to %s", ui)
		}
		if got := g.get(t, ui+"/api/v1/settings", nil).StatusCode; got != http.StatusUnauthorized {
			t.Errorf("without a cookie: %d", got)
		}
		cookie := g.enter(t, link)
		if got := g.get(t, ui+"/", cookie, "Sec-Fetch-Site", "same-origin", "Origin", ui).StatusCode; got != http.StatusTeapot {
			t.Errorf("with the cookie: %d", got)
		}
		if got := g.get(t, link, nil); got.StatusCode != http.StatusUnauthorized || len(got.Cookies()) > 0 {
			t.Errorf("the same link again: %d", got.StatusCode)
		}
		other := &http.Cookie{Name: cookie.Name, Value: cookie.Value[1:] + "A"}
		if got := g.get(t, ui+"/", other).StatusCode; got != http.StatusUnauthorized {
			t.Errorf("with another cookie: %d", got)
		}
	}
}

// TestWhatEnds ends links after minutes and cookies after hours, and forgets both.
func TestWhatEnds(t *testing.T) {
	t.Parallel()
	g := newGate()
	late := g.link(t, false)
	g.clock = g.clock.Add(lasts + time.Second)
	if got := g.get(t, late, nil).StatusCode; got != http.StatusUnauthorized {
		t.Errorf("an old link: %d", got)
	}
	link := g.link(t, false)
	cookie := g.enter(t, link)
	g.clock = g.clock.Add(session + time.Second)
	if got := g.get(t, base(t, link)+"/", cookie).StatusCode; got != http.StatusUnauthorized {
		t.Errorf("an old cookie: %d", got)
	}
	g.enter(t, g.link(t, false))
	if len(g.used) != 1 || len(g.sessions) != 1 {
		t.Errorf("%d links and %d sessions are remembered", len(g.used), len(g.sessions))
	}
}

// TestForeignPages keeps other sites out, also with the cookie, and forged links.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	g := newGate()
	link := g.link(t, false)
	cookie, ui := g.enter(t, link), base(t, link)
	for name, header := range map[string][]string{
		"a site":                    {"Sec-Fetch-Site", "cross-site"},
		"another port of the name":  {"Sec-Fetch-Site", "same-site"},
		"a site's script":           {"Origin", "https://evil.example"},
		"a script on another port":  {"Origin", "http://127.0.0.1:9999"},
		"a page without an address": {"Origin", "null"},
	} {
		if got := g.get(t, ui+"/", cookie, header...).StatusCode; got != http.StatusForbidden {
			t.Errorf("%s: %d", name, got)
		}
	}
	for _, host := range []string{"evil.example", "evil.example:8233", "mneme-0000000000000000.localhost:8233", "localhost", ""} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/", nil)
		r.Host = host
		r.AddCookie(cookie)
		w := httptest.NewRecorder()
		g.handler.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden {
			t.Errorf("host %q: %d", host, w.Code)
		}
	}
	forged, err := Link("http://127.0.0.1:8233", NewKey(), g.clock, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{forged, "http://127.0.0.1:8233" + openPath, "http://127.0.0.1:8233" + openPath + "?token=AAAA", g.link(t, true) + "A"} {
		if got := g.get(t, bad, nil); got.StatusCode != http.StatusUnauthorized || len(got.Cookies()) > 0 {
			t.Errorf("%s: %d", bad, got.StatusCode)
		}
	}
}

// FuzzVerify has no text but a signed one be a token.
func FuzzVerify(f *testing.F) {
	key := Key("of the test")
	f.Add(key.sign(time.Unix(1e9, 0)))
	f.Add(Key("another").sign(time.Unix(1e9, 0)))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if _, until, ok := key.verify(text); ok && until.Unix() != 1e9 {
			t.Errorf("%q is good until %s", text, until)
		}
	})
}
