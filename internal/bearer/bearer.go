// Package bearer has the checks that a server on this machine makes before it answers a program: a
// token, and that no web page sent the request by way of a name that was made to lead here.
package bearer

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Authorized reports whether the header Authorization bears a token. It compares in constant time;
// the hashes make the lengths equal.
func Authorized(token, header string) bool {
	if token == "" {
		return false
	}
	scheme, given, _ := strings.Cut(header, " ")
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(strings.TrimSpace(given)))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1 && strings.EqualFold(scheme, "bearer")
}

// OriginAllowed accepts programs, which send no Origin, pages of this machine,
// and pages that the server's own host served.
func OriginAllowed(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || (u.Scheme != "http" && u.Scheme != "https") {
		return false
	}
	return Loopback(u.Hostname()) || strings.EqualFold(u.Host, r.Host)
}

// HostOnly is the host of a Host header, which may lack a port.
func HostOnly(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// Loopback reports whether host means this machine. Names other than localhost
// are not looked up: the answer could change in between.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
