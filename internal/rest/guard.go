package rest

import (
	"net/http"

	"github.com/mneme-memory/mneme/internal/bearer"
)

// Guard lets programs in that bear the token, and refuses web pages of other sites, which come
// with another Host or Origin.
func Guard(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !bearer.Loopback(bearer.HostOnly(r.Host)):
			refuse(w, Problem{Status: http.StatusForbidden, Code: "forbidden", Detail: "the Host header is not this machine", Hint: "use 127.0.0.1"})
		case !bearer.OriginAllowed(r):
			refuse(w, Problem{Status: http.StatusForbidden, Code: "forbidden", Detail: "the Origin header is another site"})
		case !bearer.Authorized(token, r.Header.Get("Authorization")):
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, Problem{
				Status: http.StatusUnauthorized, Code: "unauthorized", Detail: "the request bears no token, or another one",
				Hint: `send "Authorization: Bearer …" with what is in the file that "mneme api" names`,
			})
		default:
			next.ServeHTTP(w, r)
		}
	})
}
