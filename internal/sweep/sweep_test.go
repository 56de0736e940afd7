package sweep_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/sweep"
)

const (
	id     = "1730c0de-0000-4000-8000-000000000001"
	secret = "hunter2hunter2"
	asked  = "Why does the build of the release fail with " + secret + "?"
	found  = "The root cause was that the CI image ships glibc 2.28, which has no getentropy, so cmd/keygen failed to link."
)

// stars takes out one word, as the real redactor does with secrets.
type stars struct{}

func (stars) Redact(text string) (string, []string) {
	return strings.ReplaceAll(text, secret, "[redacted:password]"), nil
}

// turns writes a transcript with one finding, and further turns after it.
func turns(t *testing.T, file string, more ...string) {
	t.Helper()
	var lines []byte
	for n, text := range append([]string{asked, "I looked into it. " + found}, more...) {
		role, content := "user", any(text)
		if n%2 == 1 {
			role, content = "assistant", []any{map[string]any{"type": "text", "text": text}}
		}
		line, err := json.Marshal(map[string]any{
			"type": role, "uuid": fmt.Sprintf("u%03d", n), "sessionId": id, "timestamp": "2026-03-01T10:00:00Z", "cwd": "/shop",
			"message": map[string]any{"id": fmt.Sprintf("msg_%d", n), "role": role, "content": content},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := os.WriteFile(file, lines, 0o600); err != nil {
		t.Fatal(err)
	}
}

// start returns a sweep over a new home, and the source of a session in it.
func start(t *testing.T) (home string, s *sweep.Sweep, of sweep.Source) {
	t.Helper()
	home = t.TempDir()
	s = &sweep.Sweep{
		Sessions: session.Open(home), Spool: spool.Open(home, stars{}), Redactor: stars{}, Now: time.Now, User: "me", Most: 10,
	}
	of = sweep.Source{Session: id, Transcript: filepath.Join(home, "t.jsonl"), Project: "shop", Dir: "/shop"}
	turns(t, of.Transcript)
	return home, s, of
}

// waiting returns what waits in a home's spool.
func waiting(t *testing.T, home string) []spool.Entry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(spool.Dir(home), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []spool.Entry
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var e spool.Entry
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func TestTakeKeepsOnce(t *testing.T) {
	t.Parallel()
	home, s, of := start(t)
	for round, want := range []int{1, 0} {
		taken, err := s.Take(t.Context(), of, true)
		if err != nil || len(taken.Keys) != want {
			t.Fatalf("round %d took %+v, %v", round, taken, err)
		}
	}
	kept := waiting(t, home)
	if len(kept) != 1 || kept[0].Store == nil {
		t.Fatalf("the spool has %+v", kept)
	}
	if in := kept[0].Store; !strings.Contains(in.Text, "getentropy") || in.Project != "shop" || in.Session != id || in.User != "me" {
		t.Errorf("kept %+v", in)
	}
	state, _, err := s.Sessions.Get(id)
	if err != nil || state.Extracted != 1 || state.Checkpoint.IsZero() || state.Dir != "/shop" {
		t.Errorf("the session has %+v, %v", state, err)
	}
	if strings.Contains(state.Topic, secret) || !strings.HasPrefix(state.Topic, "Why does the build") {
		t.Errorf("the topic is %q", state.Topic)
	}
}

// The checkpoint is moved last: what was found before a crash is found again under the same key.
func TestTakeAfterACrashHasTheSameKeys(t *testing.T) {
	t.Parallel()
	home, s, of := start(t)
	first, err := s.Take(t.Context(), of, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Sessions.Update(t.Context(), id, func(st *session.State) error {
		*st = session.State{Session: id}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	second, err := s.Take(t.Context(), of, true)
	if err != nil || len(first.Keys) != 1 || len(second.Keys) != 1 || first.Keys[0] != second.Keys[0] {
		t.Errorf("%v, then %v, %v", first.Keys, second.Keys, err)
	}
	if kept := waiting(t, home); len(kept) != 1 {
		t.Errorf("%d wait", len(kept))
	}
}

// The last turn may go on, and is left unless the whole is asked for.
func TestTakeLeavesATurnThatMayGoOn(t *testing.T) {
	t.Parallel()
	_, s, of := start(t)
	taken, err := s.Take(t.Context(), of, false)
	if err != nil || len(taken.Keys) != 0 {
		t.Fatalf("of a turn that goes on it took %+v, %v", taken, err)
	}
	turns(t, of.Transcript, "Thank you, now let us look at the next thing.")
	if taken, err = s.Take(t.Context(), of, false); err != nil || len(taken.Keys) != 1 {
		t.Errorf("of the turn that is over it took %+v, %v", taken, err)
	}
}

func TestTakeKeepsToTheSessionsBound(t *testing.T) {
	t.Parallel()
	home, s, of := start(t)
	s.Most = 0
	taken, err := s.Take(t.Context(), of, true)
	if err != nil || len(taken.Keys) != 0 || len(waiting(t, home)) != 0 {
		t.Errorf("took %+v, %v", taken, err)
	}
}

// A spool that cannot be written leaves the checkpoint where it is.
func TestTakeWithoutASpoolLosesNothing(t *testing.T) {
	t.Parallel()
	home, s, of := start(t)
	if err := os.WriteFile(spool.Dir(home), nil, 0o600); err != nil { // where its folder would be
		t.Fatal(err)
	}
	if taken, err := s.Take(t.Context(), of, true); err == nil || len(taken.Keys) != 0 {
		t.Fatalf("took %+v, %v", taken, err)
	}
	if err := os.Remove(spool.Dir(home)); err != nil {
		t.Fatal(err)
	}
	if taken, err := s.Take(t.Context(), of, true); err != nil || len(taken.Keys) != 1 {
		t.Errorf("later it took %+v, %v", taken, err)
	}
}

func TestAttended(t *testing.T) {
	t.Parallel()
	home, s, _ := start(t)
	now := time.Now()
	cfg := config.Config{Home: home}
	cfg.Ollama.ChatModel = "llama3.2"
	round := func(at time.Time) {
		t.Helper()
		sweeper := sweep.Sweeper{
			Config: cfg, Redactor: stars{}, Now: func() time.Time { return at },
			Chat: func(context.Context, string, string, json.RawMessage) (string, error) { return "", nil },
		}
		if n, err := sweeper.Round(t.Context()); err != nil || n != 0 {
			t.Fatalf("the round took %d, %v", n, err)
		}
	}
	round(now)
	if _, err := os.Stat(filepath.Join(home, "sessions")); !os.IsNotExist(err) {
		t.Errorf("where no session ever was, a round leaves a folder: %v", err)
	}
	if err := s.Sessions.Update(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	if sweep.Attended(cfg, now) {
		t.Error("attended before the first round")
	}
	round(now)
	for after, want := range map[time.Duration]bool{0: true, 59 * time.Minute: true, 61 * time.Minute: false} {
		if got := sweep.Attended(cfg, now.Add(after)); got != want {
			t.Errorf("attended %s after a round: %v", after, got)
		}
	}
	cfg.Ollama.ChatModel = ""
	if sweep.Attended(cfg, now) {
		t.Error("attended without a chat model")
	}
}
