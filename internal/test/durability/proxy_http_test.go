package durability

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"
)

// proxyHTTP passes requests on to target through the gate.
func proxyHTTP(t testing.TB, g *gate, target string) string {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	silent := log.New(io.Discard, "", 0)
	proxy := &httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(u) },
		ErrorLog: silent,
		ModifyResponse: func(r *http.Response) error {
			if !g.pass("< %s", r.Request.URL.Path) {
				panic(http.ErrAbortHandler)
			}
			return nil
		},
	}
	server := &http.Server{ErrorLog: silent, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.pass("> %s", r.URL.Path) {
			panic(http.ErrAbortHandler)
		}
		if refuses := g.refusing(); refuses.ollama != 0 {
			http.Error(w, fmt.Sprintf(`{"error":%q}`, refuses.message), refuses.ollama)
			return
		}
		proxy.ServeHTTP(w, r)
	})}
	listener := listen(t, g)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String()
}
