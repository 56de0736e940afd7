package memory_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestCheckEvents(t *testing.T) {
	t.Parallel()
	good := func() memory.Event {
		return memory.Event{ID: "session/1/inject", Action: "inject", Project: "p", MemoryIDs: []string{someID}, Details: map[string]any{"tokens": 12}}
	}
	if err := memory.CheckEvents([]memory.Event{good(), good()}); err != nil {
		t.Fatalf("good events: %v", err)
	}
	for name, spoil := range map[string]func(*memory.Event){
		"no id":            func(e *memory.Event) { e.ID = "" },
		"long id":          func(e *memory.Event) { e.ID = strings.Repeat("x", memory.MaxNameBytes+1) },
		"no action":        func(e *memory.Event) { e.Action = "" },
		"upper case":       func(e *memory.Event) { e.Action = "Inject" },
		"an own action":    func(e *memory.Event) { e.Action = memory.ActionForget },
		"not a memory":     func(e *memory.Event) { e.MemoryIDs = []string{"1"} },
		"many memories":    func(e *memory.Event) { e.MemoryIDs = make([]string, memory.MaxEventIDs+1) },
		"odd collection":   func(e *memory.Event) { e.Collection = "x" },
		"long details":     func(e *memory.Event) { e.Details = map[string]any{"x": strings.Repeat("y", memory.MaxDetailsBytes)} },
		"NUL in details":   func(e *memory.Event) { e.Details = map[string]any{"x": "a\x00b"} },
		"details not JSON": func(e *memory.Event) { e.Details = map[string]any{"x": math.Inf(1)} },
		"a line in names":  func(e *memory.Event) { e.Session = "a\nb" },
	} {
		e := good()
		spoil(&e)
		if err := memory.CheckEvents([]memory.Event{good(), e}); memory.CodeOf(err) != memory.Invalid || !strings.Contains(err.Error(), "event 2") {
			t.Errorf("%s: %v, want event 2 to be invalid", name, err)
		}
	}
	if err := memory.CheckEvents(make([]memory.Event, memory.MaxEvents+1)); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("too many events: %v", err)
	}
	big := good()
	big.Details = map[string]any{"x": strings.Repeat("y", memory.MaxDetailsBytes-10)}
	many := make([]memory.Event, memory.MaxEventsBytes/memory.MaxDetailsBytes+1)
	for i := range many {
		many[i] = big
	}
	if err := memory.CheckEvents(many); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("too many bytes: %v", err)
	}
}
