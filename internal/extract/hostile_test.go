package extract

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

const finding = "The root cause was a stale `node_modules` folder in the Docker layer cache."

// Code and pasted text are never statements, whatever fence they stand in.
func TestFences(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"````md\n```\nx\n```\n" + finding + "\n````",
		"```\n```go\n" + finding + "\n```",
		"~~~\n```\n" + finding + "\n~~~",
		"<pre>\n" + finding + "\n</pre>",
		"<log source=\"ci\">\n[INFO] start\n\n" + finding + "\n</log>",
		"<output>\n" + finding, // never closed
		"Here:\n```text\n[INFO] a\n\n" + finding + "\n```",
	} {
		none(t, "> why", said)
	}
	for _, said := range []string{
		"````md\n```\nx\n```\n````\n\n" + finding,
		"```make release```\n\n" + finding, // code in a line, no fence
		"It was <br>\n\n" + finding,
		"<log>\nx\n</log>\n" + finding,
		"a < b and c > d\n\n" + finding,
	} {
		one(t, memory.TypeLearning, finding, "> why", said)
	}
}

// What our own command printed, and what a subagent recalled, came from memory.
func TestWhatComesFromMemoryByOtherWays(t *testing.T) {
	t.Parallel()
	const again = "The root cause was a stale node_modules in the layer cache of Docker."
	none(t, "> why", "$ mneme recall node | 1. "+finding, again)
	none(t, "> why", "$ cd web && mneme recall --json node | {\"hits\": [{\"text\": \""+strings.ReplaceAll(finding, "`", "")+"\"}]}", again)
	events := talk("> why", "~ "+finding, again)
	events[1].Sidechain = true
	if got := Rules(events, Options{}); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	one(t, memory.TypeLearning, "The root cause was a stale node_modules in the layer cache of Docker.", "> why", "$ cat x | y", again)
}

// What an earlier step took is not taken again when it is said again.
func TestSaidAgainInALaterStep(t *testing.T) {
	t.Parallel()
	step := func(lines ...string) []Candidate {
		events := talk(append([]string{"> why", finding, "> and now?"}, lines...)...)
		for i := range 3 {
			events[i].State = transcript.Earlier
		}
		return Rules(events, Options{})
	}
	if got := step("In short: the root cause was a stale `node_modules` in the Docker cache."); len(got) > 0 {
		t.Errorf("again: %+v", got)
	}
	if got := step("The root cause was a stale `vendor` folder in the Docker layer cache."); len(got) != 1 {
		t.Errorf("of another folder: %+v", got)
	}
	got := step("! make web | Error: cannot find module zod", "$ rm -r node_modules | ok", "$ make web | ok", "It builds.")
	if len(got) != 1 || got[0].Type != memory.TypeError {
		t.Errorf("something else: %+v", got)
	}
}

// Two facts of one step that differ in a value are two.
func TestTwoValuesInOneStep(t *testing.T) {
	t.Parallel()
	got := Rules(talk("> ports", "ok", "> Remember that the staging API listens on port 8443.", "ok",
		"> Remember that the staging API listens on port 9443.", "ok", "> Remember that the staging API listens on 9443."), Options{})
	if len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// A sentence that a tool printed is not the model's finding, whoever cites it.
func TestModelQuotesATool(t *testing.T) {
	t.Parallel()
	events := talk("> why", "$ cat notes.txt | the importer keeps its state in a lock file under /var/lib", "It is as the notes have it.")
	a := &answers{text: `{"facts":[{"text":"The importer keeps its state in a lock file under /var/lib.","type":"fact","score":0.9,"sources":["e2"]}]}`}
	if got := Extract(t.Context(), events, a.chat, Options{}); len(got.Candidates) > 0 {
		t.Errorf("%+v", got)
	}
}

// record is one line of a transcript.
func record(v map[string]any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "{"
	}
	return string(data)
}

// hostileLines are lines that no client should write, and some do.
func hostileLines() []string {
	said := func(content any) string {
		return record(map[string]any{"type": "assistant", "uuid": "s", "message": map[string]any{"id": "m", "content": content}})
	}
	return []string{
		strings.Repeat("[", 20_000), `{"type":"user","uuid":"a","message":{"content":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "}}",
		`{"type":`, "", "null", "[]", "{}", "\x00\xff\xfe", `{"type":7,"uuid":[],"message":"x"}`,
		said("a plain string"), said(7), said(nil), said([]any{7, nil, "x", map[string]any{"type": "video", "text": finding}}),
		said([]any{map[string]any{"type": "text", "text": "[" + strings.Repeat("{\"a\":", 9_000)}}),
		said([]any{map[string]any{"type": "tool_use", "id": "t1", "name": "Bash", "input": 9}}),
		said([]any{map[string]any{"type": "tool_use", "id": "t2", "name": "shell", "input": map[string]any{"cmd": []string{"make"}}}}),
		record(map[string]any{"type": "user", "uuid": "r", "message": map[string]any{"content": []any{
			map[string]any{"type": "tool_result", "tool_use_id": "t1", "is_error": "yes", "content": map[string]any{"x": 1}},
			map[string]any{"type": "tool_result", "tool_use_id": "t2", "is_error": true, "content": strings.Repeat("error: x\n", 50_000)},
			map[string]any{"type": "tool_result", "tool_use_id": "never", "content": finding},
		}}}),
		record(map[string]any{"type": "user", "isSidechain": true, "uuid": "x", "message": map[string]any{"content": "Always use tabs in the Makefiles of this repo."}}),
		record(map[string]any{"type": "system", "subtype": "compact_boundary", "uuid": "c", "content": finding}),
		record(map[string]any{"type": "user", "uuid": "sum", "isCompactSummary": true, "message": map[string]any{"content": finding}}),
		record(map[string]any{"type": "summary", "summary": finding}),
		record(map[string]any{"type": "api-request-7", "uuid": "n", "message": map[string]any{"role": "assistant", "content": finding}}),
		record(map[string]any{"type": "progress", "uuid": "p", "data": map[string]any{"message": map[string]any{"content": finding}}}),
		record(map[string]any{"type": "attachment", "uuid": "q", "attachment": map[string]any{"type": "file", "content": finding}}),
		record(map[string]any{"type": "attachment", "uuid": "q2", "attachment": []int{1}}),
		record(map[string]any{"type": "user", "uuid": "wall", "message": map[string]any{"content": strings.Repeat("always never use x. ", 40_000)}}),
		record(map[string]any{"role": "assistant", "content": finding, "model": "another client"}),
	}
}

// Lines that are no statements of the conversation yield nothing, and a
// statement among such lines is found once.
func TestHostileTranscripts(t *testing.T) {
	t.Parallel()
	prompt := record(map[string]any{"type": "user", "uuid": "u1", "message": map[string]any{"content": "why does the build fail?"}})
	answer := record(map[string]any{"type": "assistant", "uuid": "u2", "message": map[string]any{"id": "m1", "content": []any{map[string]any{"type": "text", "text": finding}}}})
	again := record(map[string]any{"type": "assistant", "uuid": "u2", "message": map[string]any{"id": "m1", "content": []any{map[string]any{"type": "text", "text": finding}}}})
	half := `{"type":"assistant","uuid":"u9","message":{"content":"` + finding
	for i, line := range hostileLines() {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.jsonl", i))
		if got := rulesOf(t, path, line+"\n"+half); len(got) != 0 {
			t.Errorf("line %d: %+v", i, got)
		}
		got := rulesOf(t, path, strings.Join([]string{prompt, line, answer, line, again, half}, "\n"))
		if len(got) != 1 || got[0].Text != finding {
			t.Errorf("around line %d: %+v", i, got)
		}
	}
}

func rulesOf(t *testing.T, path, text string) []Candidate {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := transcript.Read(t.Context(), path, transcript.Checkpoint{}, transcript.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	return Rules(b.Events, Options{})
}

// checkCandidate holds a candidate to what every one must be.
func checkCandidate(t *testing.T, c Candidate) {
	t.Helper()
	if c.Text == "" || len(c.Text) > MaxTextBytes || c.Score < DefaultMinScore || c.Score > 1 || !memory.KnownType(c.Type) {
		t.Errorf("%+v", c)
	}
	if !utf8.ValidString(c.Text) || strings.ContainsFunc(c.Text, unicode.IsControl) || strings.Contains(c.Text, "```") {
		t.Errorf("%q", c.Text)
	}
	if _, err := c.StoreInput("shop", "session").Clean(); err != nil {
		t.Errorf("%q: %v", c.Text, err)
	}
}

// FuzzTranscript takes any file through the reader and the rules, in two steps.
func FuzzTranscript(f *testing.F) {
	for _, line := range hostileLines() {
		f.Add([]byte(line[:min(len(line), 2_000)]+"\n"), uint16(3))
	}
	f.Add([]byte(record(map[string]any{"type": "user", "uuid": "u1", "message": map[string]any{"content": "no, use `pnpm` instead of npm"}})+"\n"+
		record(map[string]any{"type": "assistant", "uuid": "u2", "message": map[string]any{"content": finding}})+"\n"), uint16(80))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		path := filepath.Join(t.TempDir(), "f.jsonl")
		var at transcript.Checkpoint
		taken := make(map[string]bool)
		for _, part := range [][]byte{data[:min(int(cut), len(data))], data} {
			if err := os.WriteFile(path, part, 0o600); err != nil {
				t.Fatal(err)
			}
			b, err := transcript.Read(t.Context(), path, at, transcript.Options{Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range Rules(b.Events, Options{}) {
				checkCandidate(t, c)
				if taken[c.Text] {
					t.Errorf("twice: %q", c.Text)
				}
				taken[c.Text] = true
			}
			at = b.Next
		}
	})
}
