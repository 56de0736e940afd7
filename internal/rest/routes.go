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

// keyed is the client for a request: with its Idempotency-Key, if it bears one.
func (s *server) keyed(r *http.Request) Keyable {
	if key := r.Header.Get(keyHeader); key != "" {
		return s.Keyed(key)
	}
	return s.Client
}
