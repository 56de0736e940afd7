package rest

import "net/http"

var ok = []int{http.StatusOK}

// routes is all that the API does.
func (s *server) routes() []route {
	var all []route
	for _, part := range [][]route{
		s.searchRoutes(), s.memoryRoutes(), s.changeRoutes(), s.runRoutes(), s.eventRoutes(),
	} {
		all = append(all, part...)
	}
	return all
}

// keyed returns the client for a request, with the request's Idempotency-Key if there is one.
func (s *server) keyed(r *http.Request) Keyable {
	if key := r.Header.Get(keyHeader); key != "" {
		return s.Keyed(key)
	}
	return s.Client
}
