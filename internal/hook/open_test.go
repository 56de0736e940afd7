package hook

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/session"
)

// next starts another session and returns what the model is told.
func (b *bench) next(t *testing.T, source string) string {
	t.Helper()
	out := b.run(t, sessionStart, map[string]any{"source": source, "session_id": "1730c0de-0000-4000-8000-000000000002", "transcript_path": ""})
	if out == "" {
		return ""
	}
	return answerOf(t, sessionStart, out).Specific.Context
}

// worked is a bench with a session in which something was said.
func worked(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	if err := os.WriteFile(b.transcript, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(t, sessionStart, map[string]any{"source": "startup"})
	return b
}

func TestStartTellsWhatTheLastSessionLeftOpen(t *testing.T) {
	t.Parallel()
	b := worked(t)
	b.run(t, postToolUseFailure, failing("t1", "go test ./... # "+secret, goError+secret))
	b.run(t, sessionEnd, nil)
	b.client.hits = someHits()
	told := b.next(t, "startup")
	today := time.Now().UTC().Format(time.DateOnly)
	want := "- [left open, " + today + "] The last session ended while `go test ./... # [redacted:password]` failed: ./pay.go: undefined: retry.Do\n[end of notes"
	if !strings.Contains(told, want) || strings.Contains(told, secret) {
		t.Errorf("told %q, want %q after the memories", told, want)
	}
	for _, source := range []string{"compact", "resume"} {
		if told := b.next(t, source); strings.Contains(told, "left open") {
			t.Errorf("at %s: %q", source, told)
		}
	}
}

func TestStartTellsNothingThatIsNotOpen(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(t *testing.T, b *bench){
		"it passed": func(t *testing.T, b *bench) {
			b.run(t, postToolUseFailure, failing("t1", "go test ./...", goError))
			b.run(t, postToolUse, passing("t2", "go test ./...", "ok"))
		},
		"a search found nothing": func(t *testing.T, b *bench) {
			b.run(t, postToolUseFailure, failing("t1", "grep -r test .", "Exit code 2\ngrep: build: No such file or directory"))
		},
		"a program is not there": func(t *testing.T, b *bench) {
			b.run(t, postToolUseFailure, failing("t1", "rg retry", "Exit code 127\nbash: rg: command not found"))
		},
		"another tool failed": func(t *testing.T, b *bench) {
			b.run(t, postToolUseFailure, map[string]any{
				"tool_name": "Edit", "tool_use_id": "t1", "tool_input": map[string]any{"file_path": "make/test"}, "error": "String to replace not found in file.",
			})
		},
		"a later session worked": func(t *testing.T, b *bench) {
			b.run(t, postToolUseFailure, failing("t1", "go test ./...", goError))
			b.run(t, sessionEnd, nil)
			err := session.Open(b.home).Update(t.Context(), "later", func(s *session.State) error {
				s.Project, s.Ended, s.Checkpoint.UUID = "example.org/me/shop", true, "u"
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		},
		"it was long ago": func(t *testing.T, b *bench) {
			b.run(t, postToolUseFailure, failing("t1", "go test ./...", goError))
			b.run(t, sessionEnd, nil)
			b.change = func(o *Options) { o.Now = func() time.Time { return time.Now().Add(openFor + time.Hour) } }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := worked(t)
			do(t, b)
			if name != "it was long ago" && name != "a later session worked" {
				b.run(t, sessionEnd, nil)
			}
			if told := b.next(t, "startup"); strings.Contains(told, "left open") {
				t.Errorf("told %q", told)
			}
		})
	}
}

// A session that was killed never says that it ended; one in another window has not ended.
func TestStartWaitsUntilASessionIsOver(t *testing.T) {
	t.Parallel()
	b := worked(t)
	b.run(t, postToolUseFailure, failing("t1", "go test ./...", goError))
	if told := b.next(t, "startup"); strings.Contains(told, "left open") {
		t.Errorf("somebody is at it: %q", told)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(b.transcript, old, old); err != nil {
		t.Fatal(err)
	}
	if told := b.next(t, "startup"); !strings.Contains(told, "failed: ./pay.go: undefined: retry.Do") {
		t.Errorf("it was killed: %q", told)
	}
}

func TestStartTellsWhatIsStillToDo(t *testing.T) {
	t.Parallel()
	b := worked(t)
	line := `{"type":"assistant","sessionId":"s","timestamp":"2026-10-03T08:12:22.000Z","uuid":"u","message":{"role":"assistant","content":` +
		`[{"type":"text","text":"Done. Still open: the TTL change and the runbook."}]}}`
	if err := os.WriteFile(b.transcript, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(t, sessionEnd, nil)
	b.client.hits = someHits()
	told := b.next(t, "startup")
	want := "- [still to do, " + time.Now().UTC().Format(time.DateOnly) + "] the TTL change; the runbook\n"
	if !strings.Contains(told, want) {
		t.Errorf("told %q, want %q in it", told, want)
	}
	for _, source := range []string{"compact", "resume"} {
		if told := b.next(t, source); strings.Contains(told, "still to do") {
			t.Errorf("at %s: %q", source, told)
		}
	}
}
