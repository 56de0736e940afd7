package mcpserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestMessagesAreBoundedTogether: bodies that are still being read count, a client beyond the
// bound is told to try again, and what was held is free again afterwards.
func TestMessagesAreBoundedTogether(t *testing.T) {
	t.Parallel()
	b := new(bounds)
	answered := 0
	h := b.messages(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { answered++ }))
	post := func(body io.Reader) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, Path, body))
		return w.Code
	}
	b.held.Store(maxHeld - 10)
	if code := post(strings.NewReader(strings.Repeat(" ", 11))); code != http.StatusServiceUnavailable {
		t.Errorf("one byte too many: %d", code)
	}
	if code := post(strings.NewReader(strings.Repeat(" ", 10))); code != http.StatusOK {
		t.Errorf("the last bytes: %d", code)
	}
	if held := b.held.Load(); held != maxHeld-10 {
		t.Errorf("%d bytes held after the answers, want %d", held, maxHeld-10)
	}
	b.inFlight.Store(maxRequests)
	if code := post(strings.NewReader("{}")); code != http.StatusServiceUnavailable {
		t.Errorf("one request too many: %d", code)
	}
	b.inFlight.Store(maxRequests - 1)
	if code := post(strings.NewReader("{}")); code != http.StatusOK || b.inFlight.Load() != maxRequests-1 {
		t.Errorf("the last request: %d, then %d in flight", code, b.inFlight.Load())
	}
	if answered != 2 {
		t.Errorf("%d were answered, want 2", answered)
	}
}

// TestSlowBodiesHoldLittle: sixty clients that send a long message slowly, and never its end,
// hold no more than what they have sent.
func TestSlowBodiesHoldLittle(t *testing.T) {
	t.Parallel()
	b := new(bounds)
	srv := httptest.NewServer(b.messages(http.NotFoundHandler()))
	defer srv.Close()
	var ends []*io.PipeWriter
	for range 60 {
		r, w := io.Pipe()
		ends = append(ends, w)
		go func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+Path, r)
			if err != nil {
				return
			}
			if resp, err := http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
			}
		}()
		if _, err := w.Write([]byte(strings.Repeat("x", 1000))); err != nil {
			t.Fatal(err)
		}
	}
	if held := b.held.Load(); held > 60*1000 {
		t.Errorf("%d bytes are held for 60,000 that were sent", held)
	}
	for _, w := range ends {
		w.Close()
	}
}
