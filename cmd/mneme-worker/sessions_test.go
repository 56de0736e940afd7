package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

const finding = "The CI image ships glibc 2.28, which has no getentropy, so cmd/keygen failed to link."

// transcript is the file that Claude Code writes for one question and its
// answer.
const transcript = `{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-03-01T10:00:00Z","cwd":"/shop","message":{"role":"user","content":"Why does the build of the release fail?"}}
{"type":"assistant","uuid":"u2","sessionId":"s","timestamp":"2026-03-01T10:01:00Z","cwd":"/shop","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"The root cause was that the CI image ships glibc 2.28, which has no getentropy, so cmd/keygen failed to link."}]}}
`

// With a chat model the worker reads sessions, and keeps what it finds also
// while Temporal is down.
func TestWorkerReadsSessions(t *testing.T) {
	t.Parallel()
	answer, err := json.Marshal(map[string]any{"facts": []any{
		map[string]any{"text": finding, "type": "learning", "score": 0.9, "sources": []string{"e2"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"message": map[string]any{"role": "assistant", "content": string(answer)}, "done": true})
	}))
	t.Cleanup(model.Close)
	home := t.TempDir()
	file := filepath.Join(home, "t.jsonl")
	if err := os.WriteFile(file, []byte(transcript), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := session.Open(home).Update(t.Context(), "s", func(s *session.State) error {
		s.Transcript, s.Project, s.Ended = file, "shop", true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Sources{Env: environ(t, map[string]string{"MNEME_TEMPORAL_ADDRESS": "127.0.0.1:1", "MNEME_CHAT_MODEL": "llama3.2"})})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Home = home
	redactor, err := dial.Redactor(config.Temporal{}, home, "")
	if err != nil {
		t.Fatal(err)
	}
	chat, err := assembly.OpenChat(t.TempDir(), homestate.Service{Address: model.URL, Mode: homestate.Given}, cfg.Ollama.ChatModel)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	working := readSessions(ctx, cfg, "", chat, redactor, slog.New(slog.DiscardHandler))
	kept := func() bool {
		state, err := spool.Open(home, redactor).State()
		return err == nil && state.Entries == 2 // the finding, and the audit's event
	}
	wait.Until(t, "what the model found is in the spool", kept)
	cancel()
	working.Wait()
}

// Without a chat model the hooks read them.
func TestWorkerLeavesSessionsToTheHooks(t *testing.T) {
	t.Parallel()
	readSessions(t.Context(), config.Config{Home: t.TempDir()}, "", nil, nil, slog.New(slog.DiscardHandler)).Wait()
}
