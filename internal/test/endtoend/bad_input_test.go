package endtoend

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// A valid id without a memory.
const nobody = "00000000-0000-8000-8000-000000000000"

func megabyte() string { return strings.Repeat("mneme ", 1<<20/6+1)[:1<<20] }

// TestBadInputByCommand pins exit code and words of every mistake: they must
// name the mistake and the remedy. None of them stores anything.
func TestBadInputByCommand(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, stdin string
		args        []string
	}{
		{"empty text", "", []string{"store", ""}},
		{"blank text on stdin", " \n\t\n", []string{"store", "-"}},
		{"a megabyte of text", megabyte(), []string{"store", "-"}},
		{"invalid UTF-8", "", []string{"store", "caf\xe9"}},
		{"invalid UTF-8 on stdin", "caf\xe9", []string{"store", "-"}},
		{"NUL bytes", "a\x00b", []string{"store", "-"}},
		{"unknown type", "", []string{"store", "--type", "poem", "x"}},
		{"unknown collection", "", []string{"store", "--collection", "drawer", "x"}},
		{"a date that is none", "", []string{"store", "--created-at", "2026-02-30", "x"}},
		{"importance above 1", "", []string{"store", "--importance", "11", "x"}},
		{"project with a line break", "", []string{"store", "--project", "a\nb", "x"}},
		{"project too long", "", []string{"store", "--project", strings.Repeat("p", 300), "x"}},
		{"tag too long", "", []string{"store", "--tags", strings.Repeat("t", 65), "x"}},
		{"link to nothing", "", []string{"store", "--link", "builds_on:" + nobody, "A fact with a link to nothing"}},
		{"limit 0", "", []string{"recall", "--limit", "0", "x"}},
		{"limit 10000", "", []string{"recall", "--limit", "10000", "x"}},
		{"limit that is no number", "", []string{"recall", "--limit", "many", "x"}},
		{"min-score above 1", "", []string{"recall", "--min-score", "7", "x"}},
		{"recall in unknown collection", "", []string{"recall", "--collection", "drawer", "x"}},
		{"recall since never", "", []string{"recall", "--since", "never", "x"}},
		{"empty query", "", []string{"recall", " "}},
		{"query too long", "", []string{"recall", strings.Repeat("q", 9000)}},
		{"query not UTF-8", "", []string{"recall", "caf\xe9"}},
		{"get what is no id", "", []string{"get", "7"}},
		{"get nobody", "", []string{"get", nobody}},
		{"history of nobody", "", []string{"history", nobody}},
		{"related to nobody", "", []string{"related", nobody}},
		{"edit nobody", "", []string{"edit", nobody, "new words"}},
		{"pin nobody", "", []string{"pin", nobody}},
		{"link nobody", "", []string{"link", nobody, "builds_on", "0000000a-0000-8000-8000-000000000000"}},
		{"unknown link type", "", []string{"link", nobody, "likes", "0000000a-0000-8000-8000-000000000000"}},
		{"forget without filter", "", []string{"forget"}},
		{"forget nobody", "", []string{"forget", nobody}},
		{"forget before a date that is none", "", []string{"forget", "--before", "31.12.2025"}},
		{"organize unknown collection", "", []string{"organize", "--collection", "drawer"}},
		{"import a missing file", "", []string{"import", "no-such-file.jsonl"}},
		{"import nothing", "", []string{"import", "-"}},
		{"import bad lines", badLines(), []string{"import", "-"}},
		{"unknown command", "", []string{"remember", "x"}},
		{"unknown flag", "", []string{"store", "--colour", "red", "x"}},
		{"as JSON", "", []string{"recall", "--json", "--limit", "0", "x"}},
	}
	var got strings.Builder
	for _, tc := range cases {
		a := shared.cli(t, tc.stdin, tc.args...)
		if a.code == 0 || a.stdout != "" && !strings.HasPrefix(a.stdout, "[]") {
			t.Errorf("%s: exit %d, %s", tc.name, a.code, a.stdout)
		}
		fmt.Fprintf(&got, "%s: exit %d\n%s\n", tc.name, a.code, strings.ReplaceAll(a.stderr, shared.dir, "<dir>"))
	}
	golden(t, "bad-input-command.txt", []byte(got.String()))
}

func badLines() string {
	return strings.Join([]string{
		`{"text": "a good line"}`, `{"text": ""}`, `{"txt": "no text"}`, `not JSON`, `{"text": "x", "type": "poem"}`, `["text"]`,
		`{"text": "x", "created_at": "yesterday"}`, `{"text": "x", "collection": "drawer"}`, `{"text": 7}`, "{\"text\": \"caf\xe9\"}",
		`{"text": "a\u0000b"}`, `{"text": "` + strings.Repeat("x", 40_000) + `"}`, `{"text": "` + strings.Repeat("x", 1<<20) + `"}`,
	}, "\n")
}

// TestBadInputByTool is the same through a real MCP session.
func TestBadInputByTool(t *testing.T) {
	t.Parallel()
	type args = map[string]any
	d := shared.stdio(t, "MNEME_PROJECT=example.org/bad-input")
	cases := []struct {
		name, tool string
		args       args
	}{
		{"empty text", "memory_store", args{"text": ""}},
		{"blank text", "memory_store", args{"text": " \n"}},
		{"no text", "memory_store", args{}},
		{"a megabyte of text", "memory_store", args{"text": megabyte()}},
		{"NUL bytes", "memory_store", args{"text": "a\x00b"}},
		{"unknown type", "memory_store", args{"text": "x", "type": "poem"}},
		{"unknown collection", "memory_store", args{"text": "x", "collection": "drawer"}},
		{"unknown parameter", "memory_store", args{"content": "x"}},
		{"project with a line break", "memory_store", args{"text": "x", "project": "a\nb"}},
		{"project too long", "memory_store", args{"text": "x", "project": strings.Repeat("p", 300)}},
		{"link to nothing", "memory_store", args{"text": "A fact with a link to nothing", "links": []any{args{"target_id": nobody, "link_type": "clarifies"}}}},
		{"limit 0", "memory_recall", args{"query": "x", "limit": 0}},
		{"limit 10000", "memory_recall", args{"query": "x", "limit": 10000}},
		{"limit as text", "memory_recall", args{"query": "x", "limit": "5"}},
		{"min_score above 1", "memory_recall", args{"query": "x", "min_score": 7}},
		{"empty query", "memory_recall", args{"query": ""}},
		{"query too long", "memory_recall", args{"query": strings.Repeat("q", 9000)}},
		{"search unknown collection", "rag_search", args{"query": "x", "collection": "drawer"}},
		{"get what is no id", "memory_get", args{"id": "7"}},
		{"get nobody", "memory_get", args{"id": nobody}},
		{"related to nobody", "memory_related", args{"id": nobody}},
		{"update nobody", "memory_update", args{"id": nobody, "pinned": true}},
		{"update nothing", "memory_update", args{"id": nobody}},
		{"link nobody", "memory_link", args{"source_id": nobody, "target_id": "0000000a-0000-8000-8000-000000000000", "link_type": "clarifies"}},
		{"unknown link type", "memory_link", args{"source_id": nobody, "target_id": nobody, "link_type": "likes"}},
		{"forget without filter", "memory_forget", args{}},
		{"forget before a date that is none", "memory_forget", args{"date_before": "2026-02-30"}},
		{"no steps", "procedure", args{"name": "x", "steps": []string{}}},
		{"empty insight", "learning", args{"insight": ""}},
		{"no outcome", "episode", args{"event": "x"}},
		{"task as a number", "trajectory", args{"task": 5, "steps": "x"}},
		{"organize unknown collection", "memory_organize", args{"collections": []string{"drawer"}}},
		{"a summary of 1000 sentences", "memory_summarize", args{"sentences": 1000}},
	}
	var got strings.Builder
	for _, tc := range cases {
		out, text := d.try(t, tc.tool, tc.args)
		if text == "" {
			t.Errorf("%s: was taken: %v", tc.name, out)
		}
		if !strings.Contains(text, "\nhint: ") || len(text) > 600 || !utf8.ValidString(text) {
			t.Errorf("%s: says %q", tc.name, text)
		}
		fmt.Fprintf(&got, "%s: %s\n%s\n\n", tc.name, tc.tool, text)
	}
	golden(t, "bad-input-tool.txt", []byte(got.String()))
	if out := d.call(t, "memory_forget", args{"date_before": "2999-01-01", "dry_run": true}); out["count"] != 0.0 {
		t.Errorf("something was stored all the same: %v", out)
	}
}

// Bytes that are no text cannot be sent by a client's own encoder.
func TestBadBytesOverStdio(t *testing.T) {
	t.Parallel()
	r := startRaw(t, "")
	r.say(t, hello)
	r.hear(t)
	for sent, want := range map[string]string{
		"caf\xe9":   "not valid UTF-8",
		`a\ud800b`:  "half of a character",
		`a\u0000b`:  "NUL bytes",
		"\x00\x01x": "",
	} {
		r.say(t, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"memory_store","arguments":{"text":"`+sent+`"}}}`)
		m := fmt.Sprint(r.hear(t))
		if want != "" && !strings.Contains(m, want) || want == "" && !strings.Contains(m, "-32700") {
			t.Errorf("%q: answered %s", sent, m)
		}
	}
	r.say(t, recall)
	if m := r.hear(t); m["result"] == nil {
		t.Errorf("the session did not survive: %v", m)
	}
	if err := r.stdin.Close(); err != nil {
		t.Fatal(err)
	}
}

// Odd names are names: they are kept as they are, and separate from others.
func TestOddProjectNames(t *testing.T) {
	t.Parallel()
	d := shared.stdio(t)
	for i, name := range []string{
		`a/"b"/'c'`, `C:\Users\me\src`, `../../etc/passwd`, `'; drop table memories; --`, `%s%d`, `$(id)`, `{"json": true}`, "Ünïcödé 記憶 🧠", `a b`, `*`,
	} {
		text := fmt.Sprintf("The walrus of place %d sings.", i)
		stored := d.call(t, "memory_store", map[string]any{"text": text, "project": name})
		if stored["project"] != name {
			t.Errorf("%q became %q", name, stored["project"])
		}
		var found []any
		for _, h := range d.call(t, "memory_recall", map[string]any{"query": "walrus", "project": name, "min_score": 0, "limit": 100})["results"].([]any) {
			// Other tests keep something for all projects, which answers here as well.
			if t := h.(map[string]any)["text"].(string); strings.HasPrefix(t, "The walrus of place ") {
				found = append(found, t)
			}
		}
		if len(found) != 1 || found[0] != text {
			t.Errorf("%q: found %v", name, found)
		}
		if out := shared.ok(t, "recall", "--json", "--project", name, "--min-score", "0", "walrus"); !strings.Contains(out, text) {
			t.Errorf("%q: the command line found %s", name, out)
		}
	}
}
