package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// The bounds of all requests over HTTP together. A client that reaches one is told to try
// again: the memory of the machine is not to be filled by many long or slow messages.
const (
	maxRequests = 64       // requests that are read or answered at once
	maxHeld     = 64 << 20 // bytes of their bodies
)

// errBusy says that all requests together hold too much.
var errBusy = errors.New("too much is asked at once")

// bounds counts what all requests hold.
type bounds struct {
	inFlight, held atomic.Int64
}

// enter counts a request in, and returns false when there are too many.
func (b *bounds) enter() bool {
	if b.inFlight.Add(1) > maxRequests {
		b.inFlight.Add(-1)
		return false
	}
	return true
}

// read reads a body and counts each byte as it arrives. The caller calls release when the body is no longer needed, also after an error.
func (b *bounds) read(body io.Reader) (data []byte, release func(), err error) {
	var buf bytes.Buffer
	counted := int64(0)
	release = func() { b.held.Add(-counted) }
	piece := make([]byte, 32<<10)
	for {
		n, err := body.Read(piece)
		counted += int64(n)
		if b.held.Add(int64(n)) > maxHeld {
			return nil, release, errBusy
		}
		buf.Write(piece[:n])
		if errors.Is(err, io.EOF) {
			return buf.Bytes(), release, nil
		}
		if err != nil {
			return nil, release, err
		}
	}
}

// messages bounds what is read, one message and all together, and refuses discovery, as over
// stdio.
func (b *bounds) messages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !b.enter() {
			busy(w)
			return
		}
		defer b.inFlight.Add(-1)
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, release, err := b.read(http.MaxBytesReader(w, r.Body, maxMessage))
		defer release()
		tooLong := new(http.MaxBytesError)
		switch {
		case errors.As(err, &tooLong):
			http.Error(w, fmt.Sprintf("the message is longer than %d bytes", maxMessage), http.StatusRequestEntityTooLarge)
		case errors.Is(err, errBusy):
			busy(w)
		case err != nil:
			http.Error(w, "the body could not be read", http.StatusBadRequest)
		default:
			pass(w, r, body, next)
		}
	})
}

// busy tells a client to come back.
func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, errBusy.Error()+": try again in a moment", http.StatusServiceUnavailable)
}
