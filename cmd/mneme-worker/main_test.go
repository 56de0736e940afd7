package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// log is a writer that tells when it has been given a word.
type log struct {
	word string
	seen chan struct{}

	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	had := strings.Contains(l.text.String(), l.word)
	l.text.Write(p)
	if !had && strings.Contains(l.text.String(), l.word) {
		close(l.seen)
	}
	return len(p), nil
}

func environ(t *testing.T, set map[string]string) func(string) string {
	home := t.TempDir()
	return func(name string) string {
		switch name {
		case "HOME", "MNEME_HOME":
			return home
		default:
			return set[name]
		}
	}
}

func TestRefusesWithoutAnAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		env  map[string]string
		want []string
	}{
		{name: "nothing is set", want: []string{
			"MNEME_TEMPORAL_ADDRESS", "MNEME_POSTGRES_URL", "MNEME_QDRANT_ADDRESS", "MNEME_OLLAMA_URL", "hint: ",
		}},
		{name: "one is missing", want: []string{"no value for MNEME_QDRANT_ADDRESS\n"}, env: map[string]string{
			"MNEME_TEMPORAL_ADDRESS": "127.0.0.1:7233", "MNEME_POSTGRES_URL": "postgres://me:hunter2@db/mneme", "MNEME_OLLAMA_URL": "http://127.0.0.1:11434",
		}},
		{name: "one is wrong", want: []string{"MNEME_POSTGRES_URL", "hint: "}, env: map[string]string{"MNEME_POSTGRES_URL": "mysql://me:hunter2@db/mneme"}},
		{name: "arguments", args: []string{"--help"}, want: []string{"no arguments", "hint: "}},
		{name: "health of what", args: []string{"health", "now"}, want: []string{"no arguments", "hint: "}},
		{name: "health of nothing", args: []string{"health"}, want: []string{"MNEME_TEMPORAL_ADDRESS", "hint: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if code := start(t.Context(), c.args, environ(t, c.env), io.Discard, &out); code != 2 {
				t.Errorf("exit status %d, want 2", code)
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in %q", want, out.String())
				}
			}
			if strings.Contains(out.String(), "hunter2") {
				t.Errorf("the password is told: %q", out.String())
			}
		})
	}
}

// TestWaitsForAPart has nothing running: the worker says what it waits for,
// without the password, and ends well when told to.
func TestWaitsForAPart(t *testing.T) {
	t.Parallel()
	out := &log{word: "part=PostgreSQL", seen: make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan int, 1)
	go func() {
		done <- start(ctx, nil, environ(t, map[string]string{
			"MNEME_TEMPORAL_ADDRESS": "127.0.0.1:1", "MNEME_POSTGRES_URL": "postgres://me:hunter2@127.0.0.1:1/mneme",
			"MNEME_QDRANT_ADDRESS": "127.0.0.1:1", "MNEME_OLLAMA_URL": "http://127.0.0.1:1",
		}), io.Discard, out)
	}()
	select {
	case <-out.seen:
	case code := <-done:
		t.Fatalf("it ended with %d: %s", code, out.text.String())
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("exit status %d, want 0", code)
	}
	if text := out.text.String(); strings.Contains(text, "hunter2") {
		t.Errorf("the password is in the log: %s", text)
	}
}

// TestLinksNoServer keeps the servers of the embedded profile out of the
// binary.
func TestLinksNoServer(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		for _, bad := range []string{"go.temporal.io/server", "mneme/embedded", "sqlite"} {
			if strings.Contains(path, bad) {
				t.Errorf("it links %s", strings.TrimSpace(path))
			}
		}
	}
	binary := filepath.Join(t.TempDir(), "mneme-worker")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "-ldflags=-s -w", ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	if mb := info.Size() >> 20; mb > 100 {
		t.Errorf("the binary has %d MB, want at most 100: what was linked in?", mb)
	}
}

// TestHealthTellsWhatIsDown has nothing running: every part is named, without the password.
func TestHealthTellsWhatIsDown(t *testing.T) {
	t.Parallel()
	var out, said bytes.Buffer
	code := start(t.Context(), []string{"health"}, environ(t, map[string]string{
		"MNEME_TEMPORAL_ADDRESS": "127.0.0.1:1", "MNEME_POSTGRES_URL": "postgres://me:hunter2@127.0.0.1:1/mneme",
		"MNEME_QDRANT_ADDRESS": "127.0.0.1:1", "MNEME_OLLAMA_URL": "http://127.0.0.1:1",
	}), &out, &said)
	if code != 1 {
		t.Errorf("exit status %d, want 1: %s", code, said.String())
	}
	for _, want := range []string{"fail  Temporal", "fail  PostgreSQL", "fail  Qdrant", "warn  Ollama", "fail  worker", "→ check MNEME_POSTGRES_URL"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "hunter2") {
		t.Errorf("the password is told: %s", out.String())
	}
}
