package ollama

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// guard refuses what cannot come from a program of this machine's user: a foreign name
// in the Host header means that a web page had its own name resolve to 127.0.0.1, and a
// foreign Origin that a page of that origin sends the request.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopbackName(hostOf(r.Host)) || !isLoopbackOrigin(r.Header.Values("Origin")) {
			writeError(w, http.StatusForbidden, "this server answers only requests from and to this machine")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// hostOf returns a Host header's host, without port and brackets.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	return strings.Trim(header, "[]")
}

// isLoopbackName reports whether host is a loopback address or a name that by
// definition (RFC 6761) stands for one.
func isLoopbackName(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// isLoopbackOrigin reports whether no Origin is named, or only local ones.
func isLoopbackOrigin(origins []string) bool {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || !isLoopbackName(u.Hostname()) {
			return false
		}
	}
	return true
}
