package bearer

import (
	"net/http/httptest"
	"testing"
)

func TestLoopback(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true, "localhost": true, "LOCALHOST": true,
		"10.0.0.1": false, "localhost.evil.example": false, "evil.example": false, "": false, "0.0.0.0": false,
	} {
		if got := Loopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

func TestAuthorized(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"Bearer secret": true, "bearer  secret ": true, "Basic secret": false, "Bearer": false, "Bearer ": false, "secret": false, "": false, "Bearer secret2": false,
	} {
		if got := Authorized("secret", header); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
	if Authorized("", "Bearer ") {
		t.Error("no token is a token")
	}
}

func FuzzRequests(f *testing.F) {
	f.Add("https://evil.example", "Bearer x", "127.0.0.1:80")
	f.Add("null", "bearer", "[::1]")
	f.Add("http://[::1", "Bearer secret", "]:")
	f.Fuzz(func(t *testing.T, origin, header, host string) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1/", nil)
		r.Header.Set("Origin", origin)
		OriginAllowed(r)
		Loopback(HostOnly(host))
		if Authorized("a token that nobody guesses", header) {
			t.Errorf("let in with %q", header)
		}
	})
}
