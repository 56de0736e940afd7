package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/mneme-memory/mneme/memory"
)

// Problem is an error as RFC 9457 writes it, with what mneme knows of it.
type Problem struct {
	Type   string `json:"type"` // about:blank: the status says it all
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`           // one of mneme's codes, such as "not_found"
	Hint   string `json:"hint,omitempty"` // what to do next
	Part   string `json:"part,omitempty"` // the part of mneme that is down or refuses
}

// statusOf are the statuses of mneme's codes.
var statusOf = map[memory.Code]int{
	memory.Invalid: http.StatusBadRequest, memory.NotFound: http.StatusNotFound, memory.Conflict: http.StatusConflict,
	memory.Unavailable: http.StatusServiceUnavailable, memory.Refused: http.StatusServiceUnavailable,
	memory.Internal: http.StatusInternalServerError,
}

func problemOf(err error) Problem {
	code := memory.CodeOf(err)
	p := Problem{
		Status: statusOf[code], Code: string(code), Detail: err.Error(),
		Hint: memory.HintOf(err), Part: memory.PartOf(err),
	}
	if tooBig := new(http.MaxBytesError); errors.As(err, &tooBig) {
		p.Status = http.StatusRequestEntityTooLarge
	}
	if errors.Is(err, context.DeadlineExceeded) && p.Hint == "" {
		p.Hint = "look again in a moment: an accepted change goes on by itself"
	}
	return p
}

// refuse answers with a problem.
func refuse(w http.ResponseWriter, p Problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if p.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	w.WriteHeader(p.Status)
	if err := json.NewEncoder(w).Encode(p); err != nil {
		return // the client has gone
	}
}
