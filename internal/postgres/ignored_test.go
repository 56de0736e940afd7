package postgres_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// TestDecayTakesBackWhatWasIgnored shows two memories again and again; the
// work uses one of them only.
func TestDecayTakesBackWhatWasIgnored(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	ignored, used := rec(memory.Memories, "Shown, never used."), rec(memory.Memories, "Shown and used.", 0, 1, 0, 0)
	store(t, l, ignored)
	store(t, l, used)
	event := func(n int, action string, ids ...string) {
		at := day0.Add(time.Duration(n) * time.Hour)
		e := memory.Event{ID: fmt.Sprint(action, n), Action: action, At: at, Project: "p", MemoryIDs: ids}
		if _, err := l.Record(t.Context(), fmt.Sprint("record/", action, n), []memory.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= 4; n++ {
		event(n, memory.ActionInject, ignored.ID, used.ID)
	}
	event(5, memory.ActionUse, used.ID)
	decay := func(name string, now time.Time) {
		if _, err := l.Decay(t.Context(), step(memory.ActionDecay, name), memory.Scope{Now: now}); err != nil {
			t.Fatal(err)
		}
	}
	near := func(what, id string, want float64) {
		t.Helper()
		if got := get(t, l, id).Confidence; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: confidence %v, want %v", what, got, want)
		}
	}
	decay("d1", day0.Add(7*day))
	plain := memory.Decay(0.5, 7*day)
	near("used", used.ID, plain)
	near("ignored", ignored.ID, plain*math.Pow(1-memory.RecallGain, 4))
	decay("d2", day0.Add(14*day)) // what was counted is not counted again
	near("ignored, a week later", ignored.ID, memory.Decay(0.5, 14*day)*math.Pow(1-memory.RecallGain, 4))

	audit := history(t, l, ignored.ID).Audit
	why, ok := audit[len(audit)-2].Details["ignored"].(map[string]any)
	if !ok || why[ignored.ID] != 4.0 || len(why) != 1 {
		t.Errorf("the audit explains it as %+v", audit[len(audit)-2].Details)
	}
}
