package postgres_test

import (
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

func TestRecordWritesEachEventOnce(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	r := rec(memory.Memories, "Known.")
	store(t, l, r)
	at := day0.Add(-time.Hour)
	event := memory.Event{
		ID: "s1/inject", Action: "inject", At: at, Project: "p", Collection: memory.Memories, Session: "s1",
		MemoryIDs: []string{r.ID}, Details: map[string]any{"tokens": 120},
	}
	use := event
	use.ID, use.Action, use.At = "s1/use", "use", time.Time{}
	for i, want := range []int{1, 1, 0} {
		// First one of them, then both, then both by another workflow again.
		events := []memory.Event{event, use}
		if i == 0 {
			events = events[:1]
		}
		n, err := l.Record(t.Context(), "record/"+string(rune('a'+i)), events)
		if err != nil || n != want {
			t.Errorf("call %d wrote %d, %v; want %d", i, n, err, want)
		}
	}
	audit := history(t, l, r.ID).Audit
	if len(audit) != 3 {
		t.Fatalf("audit %+v", audit)
	}
	got := audit[1]
	if got.Action != "inject" || !got.At.Equal(at) || got.Step != "s1/inject" || got.Project != "p" || got.Details["session"] != "s1" ||
		got.Details["tokens"] != 120.0 || got.Details["workflow_id"] != "record/a" {
		t.Errorf("written %+v", got)
	}
	if !audit[2].At.Equal(day0) {
		t.Errorf("an event without a time is of %v", audit[2].At)
	}
	if d := get(t, l, r.ID); d.Confidence != .5 || d.AccessCount != 0 {
		t.Errorf("an event changed a memory: %+v", d)
	}
}
