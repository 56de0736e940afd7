package transcript_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/transcript"
)

// shortSession is the lines of a short session: an answer in three pieces with a tool call between.
func shortSession() []string {
	line := func(typ, uuid, message string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"sessionId":"s","timestamp":"2026-01-02T03:04:05Z","cwd":"/home/me/app","message":%s}`, typ, uuid, message)
	}
	return []string{
		`{"type":"mode","mode":"default"}`,
		line("user", "u1", `{"role":"user","content":"how do we deploy?"}`),
		line("user", "u2", `{"role":"user","content":"<command-name>/compact</command-name>"}`),
		line("assistant", "a1", `{"id":"m1","content":[{"type":"thinking","thinking":"let me look"}]}`),
		line("assistant", "a2", `{"id":"m1","content":[{"type":"text","text":"I look at the Makefile."}]}`),
		line("assistant", "a3", `{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cat Makefile"}}]}`),
		line("user", "u3", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"deploy: ship it"}]}`),
		line("assistant", "a4", `{"id":"m2","content":[{"type":"text","text":"Run make deploy."}]}`),
		line("assistant", "a5", `{"id":"m2","content":[{"type":"text","text":"It ships."}]}`),
	}
}

func write(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func texts(events []transcript.Event) string {
	var out []string
	for _, e := range events {
		text := e.Text
		if e.Tool != nil {
			text = e.Tool.Result
		}
		out = append(out, fmt.Sprintf("%s %s %s", e.Kind, e.UUID, text))
	}
	return strings.Join(out, " | ")
}

func TestReadMessages(t *testing.T) {
	t.Parallel()
	path := write(t, shortSession()...)
	for name, tc := range map[string]struct {
		o    transcript.MessageOptions
		want string
	}{
		"whole":   {transcript.MessageOptions{Whole: true}, "prompt u1 how do we deploy? | said a2 I look at the Makefile. | said a4 Run make deploy.\n\nIt ships."},
		"growing": {transcript.MessageOptions{}, "prompt u1 how do we deploy? | said a2 I look at the Makefile."},
		"tools":   {transcript.MessageOptions{Tools: true}, "prompt u1 how do we deploy? | said a2 I look at the Makefile. | called u3 deploy: ship it"},
		"everything": {
			transcript.MessageOptions{Whole: true, Tools: true, Thinking: true},
			"prompt u1 how do we deploy? | thought a1 let me look | said a2 I look at the Makefile. | called u3 deploy: ship it | said a4 Run make deploy.\n\nIt ships.",
		},
	} {
		got, err := transcript.ReadMessages(t.Context(), path, 0, tc.o)
		if err != nil || texts(got.Events) != tc.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, texts(got.Events), tc.want)
		}
	}
}

// TestReadMessagesInSteps reads a file as it grows, line by line and then byte by byte: each
// message comes once, whole, and none is missed.
func TestReadMessagesInSteps(t *testing.T) {
	t.Parallel()
	all := []byte(strings.Join(shortSession(), "\n") + "\n")
	want, err := transcript.ReadMessages(t.Context(), write(t, shortSession()...), 0, transcript.MessageOptions{Whole: true, Tools: true})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "growing.jsonl")
	var got []transcript.Event
	from := int64(0)
	for n := 0; n <= len(all); n += 37 {
		if err := os.WriteFile(path, all[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := transcript.ReadMessages(t.Context(), path, from, transcript.MessageOptions{Tools: true, MaxBytes: 200})
		if err != nil || s.End < from || s.End > int64(n) {
			t.Fatalf("at %d: %+v, %v", n, s, err)
		}
		got, from = append(got, s.Events...), s.End
	}
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		s, err := transcript.ReadMessages(t.Context(), path, from, transcript.MessageOptions{Tools: true, Whole: true, MaxBytes: 200})
		if err != nil {
			t.Fatal(err)
		}
		got, from, more = append(got, s.Events...), s.End, s.More
	}
	if texts(got) != texts(want.Events) {
		t.Errorf("in steps\n%s, at once\n%s", texts(got), texts(want.Events))
	}
}

func TestReadMessagesOfBrokenFiles(t *testing.T) {
	t.Parallel()
	lines := shortSession()
	lines = append(lines[:2:2], append([]string{`{"type":"user",`, "no JSON", strings.Repeat("x", 5000)}, lines[2:]...)...)
	got, err := transcript.ReadMessages(t.Context(), write(t, lines...), 0, transcript.MessageOptions{Whole: true, MaxLine: 4000})
	if err != nil || got.Skipped != 3 || len(got.Events) != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	long := strings.Repeat("long words ", 100_000)
	path := write(t, fmt.Sprintf(`{"type":"user","uuid":"u","message":{"content":%q}}`, long))
	got, err = transcript.ReadMessages(t.Context(), path, 0, transcript.MessageOptions{Whole: true})
	if err != nil || len(got.Events) != 1 || got.Events[0].Text != strings.TrimSpace(long) {
		t.Errorf("a prompt of 1.1 MB: %d events, %v", len(got.Events), err)
	}
}

func TestFirstDir(t *testing.T) {
	t.Parallel()
	if dir, err := transcript.FirstDir(t.Context(), write(t, shortSession()...)); dir != "/home/me/app" || err != nil {
		t.Errorf("%q, %v", dir, err)
	}
	if dir, err := transcript.FirstDir(t.Context(), write(t, `{"type":"mode"}`)); dir != "" || err != nil {
		t.Errorf("%q, %v", dir, err)
	}
}

// FuzzReadMessages reads files with any content in steps of any size: each step goes on behind the
// step before, and all steps together return the same events as one call that reads the whole file.
// That call ends behind the last whole line.
func FuzzReadMessages(f *testing.F) {
	f.Add([]byte(strings.Join(shortSession(), "\n")+"\n"), int64(300))
	f.Add([]byte("{\"type\":\"assistant\",\"uuid\":\"\xff\",\"message\":{\"content\":[1,{\"type\":\"text\",\"text\":7}]}}\n\n{}"), int64(1))
	f.Fuzz(func(t *testing.T, data []byte, step int64) {
		path := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		step = max(1, step%4096)
		atOnce, err := transcript.ReadMessages(context.Background(), path, 0, transcript.MessageOptions{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []transcript.Event
		from := int64(0)
		for more, n := true, 0; more; n++ {
			s, err := transcript.ReadMessages(context.Background(), path, from, transcript.MessageOptions{Whole: true, MaxBytes: step})
			if err != nil {
				t.Fatal(err)
			}
			if s.More && s.End <= from || n > len(data)+1 {
				t.Fatalf("step %d from %d ended at %d", n, from, s.End)
			}
			got, from, more = append(got, s.Events...), s.End, s.More
		}
		if texts(got) != texts(atOnce.Events) {
			t.Errorf("in steps of %d\n%s, at once\n%s", step, texts(got), texts(atOnce.Events))
		}
		if last := bytes.LastIndexByte(data, '\n') + 1; atOnce.End != int64(last) {
			t.Errorf("read to %d, the last whole line ends at %d", atOnce.End, last)
		}
	})
}
