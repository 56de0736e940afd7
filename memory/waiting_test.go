package memory_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

func TestWaitSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err   error
		until string
		code  memory.Code
		hint  string
	}{
		"down":    {memory.Down("Qdrant", "start it", errors.New("connection refused")), "when Qdrant is back", memory.Unavailable, "no need to ask again"},
		"refuses": {memory.Refusal("Qdrant", "check the key", errors.New("no such key")), "when Qdrant takes it, which refuses now: no such key; check the key", memory.Refused, "check the key; there is no need to ask again"},
		"slow":    {errors.New("deadline"), "when " + memory.SomePart + " is back", memory.Unavailable, "no need to ask again"},
	} {
		w := memory.WaitFor(tc.err)
		told := w.Err("2 changes wait")
		if w.Until() != tc.until || memory.CodeOf(told) != tc.code || !strings.Contains(memory.HintOf(told), tc.hint) || !strings.HasPrefix(told.Error(), "accepted") {
			t.Errorf("%s: %q; told %v (%s, %q)", name, w.Until(), told, memory.CodeOf(told), memory.HintOf(told))
		}
		if !memory.Waits(told) || !strings.HasSuffix(told.Error(), "2 changes wait") {
			t.Errorf("%s: told %v", name, told)
		}
	}
}

func TestWaitingInOneLine(t *testing.T) {
	t.Parallel()
	w := memory.Waiting{
		Wait:  memory.Wait{Part: "Qdrant", Code: memory.Refused, Reason: "no such key", Hint: "check it"},
		Count: 1, Since: time.Date(2026, 3, 1, 12, 0, 5, 0, time.Local),
	}
	if got, want := w.String(), "1 change waits for Qdrant since 2026-03-01 12:00:05: no such key"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	w.Count, w.About, w.Reason = 5000, true, ""
	if got, want := w.String(), "about 5000 changes wait for Qdrant since 2026-03-01 12:00:05"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
