package mcpserver

import (
	"context"
	"errors"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestStoreWhileDown: what a tool is given while mneme does not run is kept, whether that is
// found while connecting or by the store itself.
func TestStoreWhileDown(t *testing.T) {
	t.Parallel()
	down := memory.Down("Temporal", "start it", errors.New("no answer"))
	for name, dial := range map[string]Dial{
		"never connected": func(context.Context) (Client, error) { return nil, errors.New("connection refused") },
		"went down": func(context.Context) (Client, error) {
			return &fake{store: func(memory.StoreInput) (memory.StoreResult, error) { return memory.StoreResult{}, down }}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var kept []memory.StoreInput
			s := New(Options{Dial: dial, Session: "s1", Keep: func(in memory.StoreInput) (memory.StoreInput, error) {
				kept = append(kept, in)
				return in.Clean()
			}})
			c := connect(t, s)
			got := mustCall(t, c, "memory_store", map[string]any{"text": "The port is 80."})
			if got["status"] != "accepted" || got["waiting_for"] != "mneme" || got["id"] == "" {
				t.Errorf("answered %v", got)
			}
			wantText(t, got["message"].(string), "accepted, waiting", "kept on disk", "do not send it again")
			mustCall(t, c, "learning", map[string]any{"insight": "The cache needs a restart."})
			if len(kept) != 2 || kept[0].Text != "The port is 80." || kept[0].Session != "s1" || kept[1].Type != memory.TypeLearning {
				t.Errorf("kept %+v", kept)
			}
			if _, text := callTool(t, c, "memory_store", map[string]any{"text": "x", "type": "nonsense"}); len(kept) != 2 {
				t.Errorf("bad input was kept: %s", text)
			}
		})
	}
}

// TestOnlyStoresAreKept: the other tools tell that mneme is down, as does a store that was
// refused for another reason or that could not be kept.
func TestOnlyStoresAreKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dial error
		tool string
		args map[string]any
		says string
	}{
		"a recall":  {errors.New("connection refused"), "memory_recall", map[string]any{"query": "x"}, "connection refused"},
		"full":      {errors.New("connection refused"), "memory_store", map[string]any{"text": "x"}, "could not be kept for later either: the disk is full"},
		"wrong key": {memory.Refusal("Temporal", "", errors.New("a wrong key")), "memory_store", map[string]any{"text": "x"}, "a wrong key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			s := New(Options{
				Dial: func(context.Context) (Client, error) { return nil, c.dial },
				Keep: func(in memory.StoreInput) (memory.StoreInput, error) {
					calls++
					return in, errors.New("the disk is full")
				},
			})
			_, text := callTool(t, connect(t, s), c.tool, c.args)
			wantText(t, text, "error: ", c.says)
			if (calls > 0) != (name == "full") {
				t.Errorf("%d texts were kept", calls)
			}
		})
	}
}
