package history_test

import (
	"context"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/history"
)

func TestNightlyIsDue(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newServer()
	i := w.imports()
	now := time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC)
	i.Now = func() time.Time { return now }
	n := history.Nightly{Import: i, Client: s}
	if !n.Due() {
		t.Error("the first import is not due")
	}
	run(t, i, s)
	for after, want := range map[time.Duration]bool{
		0: false, 2 * time.Hour: false, 12 * time.Hour: false, 23 * time.Hour: true, 25 * time.Hour: true, 30 * time.Hour: false, 40 * time.Hour: true, -time.Hour: true,
	} {
		now = time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC).Add(after)
		if got := n.Due(); got != want {
			t.Errorf("due after %s: %v", after, got)
		}
	}
}

// TestNightlyImports takes what is new, and ends with its context.
func TestNightlyImports(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newServer()
	ctx, cancel := context.WithCancel(t.Context())
	i := w.imports()
	i.Now = func() time.Time {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.messages) == 8 {
			cancel() // everything is there, and it is asked whether it is time again
		}
		return w.now
	}
	history.Nightly{Import: i, Client: s}.Run(ctx, time.Millisecond, func(err error) { t.Error(err) })
	if len(s.messages) != 8 {
		t.Errorf("kept %d of 8 messages", len(s.messages))
	}
}
