package hook

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/memory"
)

func storeCall(tool string, args map[string]any) map[string]any {
	return map[string]any{"tool_name": tool, "tool_input": args, "tool_use_id": "toolu_01"}
}

func TestDuplicateIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.client.duplicate = memory.DuplicateResult{Found: true, ID: idA, Similarity: 0.968}
	got := b.run(t, preToolUse, storeCall("mcp__plugin_mneme_mneme__memory_store", map[string]any{"text": "fact A", "tags": []string{"x"}}))
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"duplicate detected (` + memory.ShortID(idA) +
		`, similarity 0.97): already stored, nothing to do; to change it call memory_update with id ` + memory.ShortID(idA) + `"}}` + "\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	in := b.client.asked[0]
	if in.Text != "fact A" || in.Project != "example.org/me/shop" || in.Session != theSession {
		t.Errorf("asked about %+v", in)
	}
	if b.lastLine(t).Duplicate != idA {
		t.Errorf("the log has %+v", b.lastLine(t))
	}
}

func TestNewFactsPass(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*bench){
		"not found":   func(*bench) {},
		"down":        func(b *bench) { b.down = true },
		"other tools": func(b *bench) { b.client.duplicate.Found, b.client.duplicate.Similarity = true, 1 },
	} {
		b := newBench(t)
		change(b)
		tool := "mcp__mneme__memory_store"
		if name == "other tools" {
			tool = "mcp__mneme__memory_update"
		}
		if got := b.run(t, preToolUse, storeCall(tool, map[string]any{"text": "fact A"})); got != "" {
			t.Errorf("%s: printed %s", name, got)
		}
	}
}

// The hook asks about the very text that the server would store.
func TestStoreInputIsTheServers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, args, text, typ, collection string
		ok                                bool
	}{
		"store":       {"mcp__m__memory_store", `{"text":"a","type":"decision"}`, "a", "decision", "", true},
		"collection":  {"mcp__m__memory_store", `{"text":"a","collection":"working_memory"}`, "a", "", "working_memory", true},
		"learning":    {"mcp__a_b__learning", `{"insight":" a ","context":"b"}`, "a\nContext: b", "learning", "learnings", true},
		"typed":       {"mcp__m__learning", `{"insight":"a","type":"fact"}`, "a", "fact", "learnings", true},
		"procedure":   {"mcp__plugin_x_y__procedure", `{"name":"n","steps":["a","b"]}`, "Procedure: n\n1. a\n2. b", "procedure", "procedures", true},
		"one step":    {"mcp__m__procedure", `{"name":"n","steps":"a"}`, "Procedure: n\na", "procedure", "procedures", true},
		"episode":     {"mcp__m__episode", `{"event":"e","outcome":"o"}`, "e\nOutcome: o", "episode", "episodes", true},
		"trajectory":  {"mcp__m__trajectory", `{"task":"t","steps":["a","b"]}`, "Task: t\n1. a\n2. b", "trajectory", "trajectories", true},
		"no text":     {"mcp__m__memory_store", `{"content":"a"}`, "", "", "", false},
		"no steps":    {"mcp__m__procedure", `{"name":"n"}`, "", "", "", false},
		"not ours":    {"mcp__m__store", `{"text":"a"}`, "", "", "", false},
		"not MCP":     {"memory_store", `{"text":"a"}`, "", "", "", false},
		"no object":   {"mcp__m__memory_store", `[1]`, "", "", "", false},
		"wrong types": {"mcp__m__memory_store", `{"text":7}`, "", "", "", false},
	} {
		in, ok := storeInput(c.tool, json.RawMessage(c.args))
		if ok != c.ok {
			t.Errorf("%s: a store: %v", name, ok)
			continue
		}
		if ok && (in.Text != c.text || in.Type != c.typ || in.Collection != c.collection) {
			t.Errorf("%s: got %+v", name, in)
		}
	}
}

func TestWhatTheServerRefusesIsItsBusiness(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, args := range []map[string]any{{"text": "   "}, {"text": "a", "type": "song"}, {"text": strings.Repeat("a", memory.MaxTextBytes+1)}} {
		if got := b.run(t, preToolUse, storeCall("mcp__mneme__memory_store", args)); got != "" || len(b.client.asked) != 0 {
			t.Errorf("%v: printed %q, asked %d times", args["type"], got, len(b.client.asked))
		}
	}
}

func TestDownIsInTheLog(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.client.recallErr = errors.New("x")
	b.down = true
	b.run(t, preToolUse, storeCall("mcp__mneme__memory_store", map[string]any{"text": "a"}))
	if line := b.lastLine(t); line.Outcome != hooklog.Down || line.Tool != "mcp__mneme__memory_store" {
		t.Errorf("the log has %+v", line)
	}
}
