package transcript_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/toolname"
	"github.com/mneme-memory/mneme/internal/transcript"
)

// said and the like write lines in the client's shape, without what the reader passes over.
func said(uuid, message, text string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"timestamp":"2026-03-01T10:00:00.5Z","cwd":"/home/sam/shop","gitBranch":"main","sessionId":"s1","isSidechain":false,"message":{"id":%q,"role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":%q}]}}`, uuid, message, text)
}

func call(uuid, message, id, name, input string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"message":{"id":%q,"role":"assistant","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}}`, uuid, message, id, name, input)
}

func result(uuid, id, text string, failed bool) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"is_error":%v,"content":%q}]},"toolUseResult":"x"}`, uuid, id, failed, text)
}

func prompt(uuid, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"message":{"role":"user","content":%q}}`, uuid, text)
}

func file(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string, at transcript.Checkpoint, opts transcript.Options) transcript.Batch {
	t.Helper()
	b, err := transcript.Read(t.Context(), path, at, opts)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// show writes events as "state kind: text", one a line.
func show(events []transcript.Event) string {
	var out strings.Builder
	for _, e := range events {
		text := e.Text
		if e.Tool != nil {
			text = fmt.Sprintf("%s %s → %s (failed %v, rejected %v)", e.Tool.Name, e.Tool.Input, e.Tool.Result, e.Tool.Failed, e.Tool.Rejected)
		}
		fmt.Fprintf(&out, "%s %s: %s\n", e.State, e.Kind, text)
	}
	return out.String()
}

func expect(t *testing.T, got []transcript.Event, want string) {
	t.Helper()
	if g, w := strings.TrimSpace(show(got)), strings.TrimSpace(want); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

var whole = transcript.Options{Whole: true}

func TestEvents(t *testing.T) {
	t.Parallel()
	path := file(t,
		`{"type":"queue-operation","operation":"enqueue","sessionId":"s1"}`,
		prompt("u1", "fix the build"),
		`{"type":"assistant","uuid":"u2","message":{"id":"m1","content":[{"type":"thinking","thinking":"hm","signature":"x"}]}}`,
		said("u3", "m1", "I'll look."),
		call("u4", "m1", "t1", "Bash", `{"command":"go build ./...","timeout":5}`),
		call("u5", "m1", "t2", "Read", `{"file_path":"a.go"}`),
		result("u6", "t2", "package a", false),
		result("u7", "t1", "Exit code 1\nno", true),
		said("u8", "m2", "One."),
		said("u9", "m2", "Two."),
		said("u10", "m3", "Three."),
	)
	b := read(t, path, transcript.Checkpoint{}, whole)
	expect(t, b.Events, `
new prompt: fix the build
new said: I'll look.
new called: Read {"file_path":"a.go"} → package a (failed false, rejected false)
new called: Bash {"command":"go build ./...","timeout":5} → Exit code 1
no (failed true, rejected false)
new said: One.

Two.
new said: Three.`)
	first := b.Events[1]
	if first.Session != "s1" || first.CWD != "/home/sam/shop" || first.Branch != "main" || first.Message != "m1" ||
		!first.Time.Equal(time.Date(2026, 3, 1, 10, 0, 0, 5e8, time.UTC)) {
		t.Errorf("%+v", first)
	}
	bash := b.Events[3]
	if bash.UUID != "u7" || bash.Tool.CallUUID != "u4" || bash.Tool.Field("command") != "go build ./..." || bash.Tool.Field("timeout") != "" || bash.Tool.Field("none") != "" {
		t.Errorf("%+v", bash.Tool)
	}
	if b.Next.UUID != "u10" || b.Skipped != 0 || b.More || b.Lost {
		t.Errorf("%+v", b)
	}
}

// Only what the person wrote is a prompt.
func TestHumanWords(t *testing.T) {
	t.Parallel()
	path := file(t,
		`{"type":"user","uuid":"a","isMeta":true,"message":{"content":"<local-command-caveat>x"}}`,
		`{"type":"user","uuid":"b","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"content":"This session is being continued from a previous conversation"}}`,
		prompt("c", "<command-name>/compact</command-name>"),
		prompt("d", "<local-command-stdout>done</local-command-stdout>"),
		prompt("e", "<task-notification>x</task-notification>"),
		prompt("f", "<system-reminder>memories</system-reminder>"),
		prompt("g", "[Request interrupted by user for tool use]"),
		prompt("h", "keep this <system-reminder>not this</system-reminder> and this"),
		`{"type":"user","uuid":"i","message":{"role":"user","content":[{"type":"text","text":"<ide_opened_file>x</ide_opened_file>"},{"type":"text","text":"from the editor"},{"type":"image","source":{}}]}}`,
		`{"type":"user","uuid":"j","isSidechain":true,"message":{"content":"the model asks its helper"}}`,
		`{"type":"assistant","uuid":"k","isApiErrorMessage":true,"message":{"id":"m","content":[{"type":"text","text":"API Error"}]}}`,
		`{"type":"assistant","uuid":"l","message":{"id":"m","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}`,
		`{"type":"system","subtype":"compact_boundary","uuid":"m","content":"Conversation compacted"}`,
		`{"type":"attachment","uuid":"n","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"and the docs too"}}`,
		`{"type":"attachment","uuid":"o","attachment":{"type":"queued_command","commandMode":"task-notification","prompt":"<x>"}}`,
		`{"type":"attachment","uuid":"p","attachment":{"type":"queued_command","commandMode":"prompt","isMeta":true,"prompt":"hidden"}}`,
		`{"type":"attachment","uuid":"q","attachment":{"type":"skill_listing","content":"- verify: x"}}`,
		`{"type":"brand-new-thing","uuid":"r","message":17}`,
	)
	b := read(t, path, transcript.Checkpoint{}, whole)
	expect(t, b.Events, `
new prompt: keep this  and this
new prompt: from the editor
new prompt: the model asks its helper
new compaction: 
new prompt: and the docs too`)
	if !b.Events[2].Sidechain || b.Events[1].Sidechain {
		t.Error("a sidechain is not marked")
	}
	if b.Skipped != 0 || b.Next.UUID != "r" {
		t.Errorf("%+v", b.Next)
	}
}

// What memory gave is marked, so that it is not learned again.
func TestRecalled(t *testing.T) {
	t.Parallel()
	path := file(t,
		`{"type":"attachment","uuid":"a","attachment":{"type":"hook_additional_context","content":["memory one","memory two"],"hookEvent":"SessionStart"}}`,
		`{"type":"attachment","uuid":"b","attachment":{"type":"hook_success","content":"","stdout":"plain"}}`,
		`{"type":"attachment","uuid":"c","attachment":{"type":"hook_success","content":"","stdout":""}}`,
		call("d", "m", "t1", "mcp__plugin_mneme_memory__memory_recall", `{"query":"builds"}`),
		`{"type":"user","uuid":"e","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"found"},{"type":"image"}]}]}}`,
		call("f", "m", "t2", "mcp__other__search", `{}`),
		result("g", "t2", "x", false),
	)
	expect(t, read(t, path, transcript.Checkpoint{}, whole).Events, `
new recalled: memory one
memory two
new recalled: plain
new recalled: found
builds
new called: mcp__other__search {} → x (failed false, rejected false)`)
}

func TestOwnTool(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"mcp__mneme__memory_store": true, "mcp__plugin_mneme_memory__rag_search": true, "mcp__m__learning": true,
		"Bash": false, "memory_store": false, "mcp__gh__create_issue": false, "mcp__memory__read_graph": false,
	} {
		if toolname.Ours(name) != want {
			t.Errorf("%s: not %v", name, want)
		}
	}
}

func TestRejections(t *testing.T) {
	t.Parallel()
	refusal := "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse make instead"
	path := file(t,
		prompt("p", "go"),
		call("a", "m", "t1", "Bash", `{"command":"cmake ."}`), result("b", "t1", refusal, true),
		call("c", "m", "t2", "Write", `{}`), result("d", "t2", "PreToolUse:Write hook error: no", true),
		call("e", "m", "t3", "Bash", `{}`), result("f", "t3", "The user doesn't want to read this: a file", false),
	)
	b := read(t, path, transcript.Checkpoint{}, transcript.Options{})
	if b.Events[1].Tool == nil || !b.Events[1].Tool.Rejected || b.Events[2].Kind != transcript.Prompt || b.Events[2].Text != "use make instead" {
		t.Errorf("got\n%s", show(b.Events))
	}
	if !b.Events[3].Tool.Rejected || b.Events[4].Tool.Rejected {
		t.Errorf("got\n%s", show(b.Events))
	}
	if !b.Next.IsZero() {
		t.Error("words beside a refusal are of the same turn")
	}
}

// A step ends before the turn that is open, and the next begins there.
func TestSteps(t *testing.T) {
	t.Parallel()
	path := file(t, prompt("p1", "one"), said("s1", "m1", "done one"), prompt("p2", "two"), said("s2", "m2", "done two"), `{"type":"mode","mode":"x"}`)
	b := read(t, path, transcript.Checkpoint{}, transcript.Options{})
	expect(t, b.Events, "new prompt: one\nnew said: done one\nahead prompt: two\nahead said: done two")
	if b.Next.UUID != "s1" {
		t.Fatalf("%+v", b.Next)
	}
	again := read(t, path, b.Next, transcript.Options{})
	expect(t, again.Events, "earlier prompt: one\nearlier said: done one\nahead prompt: two\nahead said: done two")
	if again.Next != b.Next {
		t.Errorf("no progress is no change: %+v", again.Next)
	}
	end := read(t, path, b.Next, transcript.Options{Whole: true, ContextBytes: -1})
	expect(t, end.Events, "earlier said: done one\nnew prompt: two\nnew said: done two")
	if none := read(t, path, end.Next, transcript.Options{Whole: true, ContextBytes: -1}); none.Next != end.Next || strings.Contains(show(none.Events), "new") {
		t.Errorf("nothing is new, got\n%s", show(none.Events))
	}
}

// A call taken in one step and answered in the next comes once, when answered.
func TestCallAcrossSteps(t *testing.T) {
	t.Parallel()
	path := file(t, prompt("p1", "one"), call("c1", "m1", "t1", "Bash", `{"command":"ls"}`))
	b := read(t, path, transcript.Checkpoint{}, whole)
	expect(t, b.Events, "new prompt: one")
	appendTo(t, path, result("r1", "t1", "a b", false)+"\n")
	expect(t, read(t, path, b.Next, whole).Events, "earlier prompt: one\nnew called: Bash {\"command\":\"ls\"} → a b (failed false, rejected false)")
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// The last line is taken when it is whole, and a broken one is passed over.
func TestHalfWrittenLine(t *testing.T) {
	t.Parallel()
	path := file(t, prompt("p1", "one"))
	next := said("s1", "m1", "all of it")
	appendTo(t, path, next[:40])
	b := read(t, path, transcript.Checkpoint{}, whole)
	expect(t, b.Events, "new prompt: one")
	if b.Skipped != 0 {
		t.Error("a line that is being written is no broken line")
	}
	appendTo(t, path, next[40:]+"\n")
	b = read(t, path, b.Next, whole)
	expect(t, b.Events, "earlier prompt: one\nnew said: all of it")
	appendTo(t, path, `{"type":"assis`+prompt("p2", "two")+"\n"+prompt("p3", "three")+"\nnot json\n\n")
	b = read(t, path, b.Next, transcript.Options{Whole: true, ContextBytes: -1})
	expect(t, b.Events, "earlier said: all of it\nnew prompt: three")
	if b.Skipped != 2 {
		t.Errorf("skipped %d", b.Skipped)
	}
}

// The offset is only a hint: the uuid decides.
func TestCheckpointIsVerified(t *testing.T) {
	t.Parallel()
	path := file(t, prompt("p1", "one"), said("s1", "m1", "done"), prompt("p2", "two"))
	for _, offset := range []int64{0, 1, 7, 1 << 40, -3} {
		b := read(t, path, transcript.Checkpoint{UUID: "s1", Offset: offset}, whole)
		expect(t, b.Events, "earlier prompt: one\nearlier said: done\nnew prompt: two")
		if b.Lost {
			t.Errorf("offset %d: lost", offset)
		}
	}
	b := read(t, path, transcript.Checkpoint{UUID: "of another file", Offset: 3}, whole)
	expect(t, b.Events, "new prompt: one\nnew said: done\nnew prompt: two")
	if !b.Lost || b.Next.UUID != "p2" {
		t.Errorf("%+v", b)
	}
}

// After a compaction the client writes some lines a second time.
func TestRepeatedLines(t *testing.T) {
	t.Parallel()
	path := file(t, prompt("p1", "one"), said("s1", "m1", "done"), prompt("p2", "go on"), prompt("p2", "go on"), `{"type":"system","subtype":"compact_boundary","uuid":"x"}`, said("s2", "m2", "more"))
	expect(t, read(t, path, transcript.Checkpoint{}, whole).Events, "new prompt: one\nnew said: done\nnew prompt: go on\nnew compaction: \nnew said: more")
	expect(t, read(t, path, transcript.Checkpoint{UUID: "p2"}, transcript.Options{Whole: true, ContextBytes: -1}).Events, "earlier prompt: go on\nnew compaction: \nnew said: more")
}

func TestLongLinesAndTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 50_000)
	path := file(t, prompt("p1", "one"), said("s1", "m1", long), prompt("p2", strings.Repeat("x", 300_000)), call("c", "m", "t", "Write", fmt.Sprintf(`{"file_path":"a","content":%q,"n":1}`, long)), result("r", "t", long, false), prompt("p3", "end"))
	b := read(t, path, transcript.Checkpoint{}, transcript.Options{Whole: true, MaxLine: 200_000, MaxText: 1000})
	if b.Skipped != 1 || len(b.Events) != 4 || b.Events[3].Text != "end" {
		t.Fatalf("skipped %d\n%s", b.Skipped, show(b.Events))
	}
	if text := b.Events[1].Text; len(text) > 1100 || !strings.Contains(text, "bytes …]") || strings.Contains(text, "�") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	tool := b.Events[2].Tool
	if len(tool.Result) > 1100 || len(tool.Input) > 2000 || !json.Valid(tool.Input) || tool.Field("file_path") != "a" {
		t.Errorf("%d %d %s", len(tool.Result), len(tool.Input), tool.Input)
	}
}

// A long file is read in pieces that together give every event once.
func TestPieces(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 50 {
		lines = append(lines, prompt(fmt.Sprintf("p%d", i), fmt.Sprintf("prompt %d", i)), `{"type":"mode"}`, said(fmt.Sprintf("s%d", i), fmt.Sprintf("m%d", i), fmt.Sprintf("answer %d", i)))
	}
	path := file(t, lines...)
	want := newOnes(read(t, path, transcript.Checkpoint{}, whole).Events)
	for _, opts := range []transcript.Options{{Whole: true, MaxBytes: 1000}, {MaxBytes: 700}, {MaxBytes: 1, ContextBytes: -1}, {Whole: true, MaxBytes: 5000, ContextBytes: 10}} {
		var got []string
		var at transcript.Checkpoint
		for {
			b := read(t, path, at, opts)
			got = append(got, newOnes(b.Events)...)
			if !b.More {
				at = b.Next
				break
			}
			if b.Next == at {
				t.Fatalf("%+v: stuck at %+v", opts, at)
			}
			at = b.Next
		}
		got = append(got, newOnes(read(t, path, at, whole).Events)...)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %d events, want %d", opts, len(got), len(want))
		}
	}
}

func newOnes(events []transcript.Event) []string {
	var out []string
	for _, e := range events {
		if e.State == transcript.New {
			out = append(out, string(e.Kind)+e.UUID+e.Text)
		}
	}
	return out
}

func TestNoFileAndCancelled(t *testing.T) {
	t.Parallel()
	if _, err := transcript.Read(t.Context(), filepath.Join(t.TempDir(), "none.jsonl"), transcript.Checkpoint{}, whole); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := transcript.Read(t.Context(), t.TempDir(), transcript.Checkpoint{}, whole); err == nil {
		t.Error("a folder is no transcript")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := transcript.Read(ctx, file(t, prompt("p", "x")), transcript.Checkpoint{}, whole); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	path := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if b := read(t, path, transcript.Checkpoint{UUID: "x", Offset: 10}, whole); len(b.Events) != 0 || !b.Lost || !b.Next.IsZero() {
		t.Errorf("%+v", b)
	}
}

func TestCheckpointAsJSON(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(transcript.Checkpoint{UUID: "u", Offset: 3})
	if err != nil || string(data) != `{"uuid":"u","offset":3}` {
		t.Errorf("%s %v", data, err)
	}
}

// Whatever the bytes: no panic, no endless loop, and steps lose and repeat nothing.
func FuzzRead(f *testing.F) {
	recorded, err := filepath.Glob("../extract/testdata/*.jsonl")
	if err != nil || len(recorded) == 0 {
		f.Fatalf("no recorded sessions: %v", err)
	}
	for _, path := range recorded[:min(len(recorded), 4)] {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		data = data[:min(len(data), 6000)]
		f.Add(data, uint16(len(data)/2))
	}
	f.Add([]byte(`{"type":"user","uuid":"a","message":{"content":[{"type":"tool_result","tool_use_id":7}]}}`+"\n[]\n{}\nnull\n"), uint16(9))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		path := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(path, data[:min(int(cut), len(data))], 0o600); err != nil {
			t.Fatal(err)
		}
		opts := transcript.Options{Whole: true, MaxText: 200, MaxLine: 4 << 10}
		first := read(t, path, transcript.Checkpoint{}, opts)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		second := read(t, path, first.Next, opts)
		if !first.Next.IsZero() && second.Lost {
			t.Fatalf("%+v is lost", first.Next)
		}
		for _, e := range second.Events {
			if e.Tool != nil && !json.Valid(e.Tool.Input) {
				t.Fatalf("input %s", e.Tool.Input)
			}
			if len(e.Text) > 600 {
				t.Fatalf("a text of %d bytes", len(e.Text))
			}
		}
	})
}

// What is held does not grow with the file.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "big.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	wall := strings.Repeat("output of a tool ", 1<<16) // 1 MiB
	for i := range 6 {
		fmt.Fprintln(f, call(fmt.Sprintf("c%d", i), "m", fmt.Sprintf("t%d", i), "Bash", `{"command":"make"}`))
		fmt.Fprintln(f, result(fmt.Sprintf("r%d", i), fmt.Sprintf("t%d", i), wall, false))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var at transcript.Checkpoint
	events, kept, steps := 0, 0, 0
	for more := true; more; steps++ {
		b := read(t, path, at, transcript.Options{Whole: true, MaxBytes: 2 << 20})
		size := 0
		for _, e := range b.Events {
			if e.State == transcript.New {
				events++
			}
			size += len(e.Text)
			if e.Tool != nil {
				size += len(e.Tool.Result) + len(e.Tool.Input)
			}
		}
		kept = max(kept, size)
		at, more = b.Next, b.More
	}
	if events != 6 || steps < 3 || kept > 1<<20 {
		t.Errorf("%d calls in %d steps, %d bytes kept at most", events, steps, kept)
	}
}

func BenchmarkRead(b *testing.B) {
	recorded, err := os.ReadFile("../extract/testdata/compaction-middle.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, bytes.Repeat(recorded, 40), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(40 * len(recorded)))
	b.ReportAllocs()
	for b.Loop() {
		read(b, path, transcript.Checkpoint{}, whole)
	}
}
