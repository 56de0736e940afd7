package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/memory"
)

// A hookCase is one event as Claude Code sends it.
type hookCase struct {
	name  string
	event string
	// fields are those of the event alone.
	fields func(session string, round int) (map[string]any, error)
	// did reports whether the hook did its work, by its answer and its line in
	// the log, which is empty without one.
	did func(warm bool, out string, line hooklog.Entry) bool
}

// A command's error, and the memory of its cause.
const (
	failedCommand = "go test ./internal/pool"
	failedError   = "Exit code 1\n--- FAIL: TestPool (0.01s)\n    pool_test.go:41: dial tcp 127.0.0.1:5432: connect: connection refused\nFAIL"
	learnedFix    = "`go test ./internal/pool` failed with \"dial tcp 127.0.0.1:5432: connect: connection refused\": " +
		"the database was not running, docker compose up -d db fixed it"
)

// hookCases are the events of a session. Known are texts that are stored.
func hookCases(transcripts string, known []string) []hookCase {
	plain := func(fields map[string]any) func(string, int) (map[string]any, error) {
		return func(string, int) (map[string]any, error) { return fields, nil }
	}
	fresh := newCorpus(6)
	return []hookCase{
		{
			name: "session-start", event: "SessionStart",
			fields: plain(map[string]any{"source": "startup"}),
			did:    func(warm bool, out string, _ hooklog.Entry) bool { return !warm || out != "" },
		},
		{
			name: "pre-tool-use, stored already", event: "PreToolUse",
			fields: func(_ string, round int) (map[string]any, error) { return storing(known[round%len(known)]), nil },
			did: func(warm bool, out string, _ hooklog.Entry) bool {
				return !warm || strings.Contains(out, `"deny"`)
			},
		},
		{
			name: "pre-tool-use, new", event: "PreToolUse",
			fields: func(_ string, round int) (map[string]any, error) {
				return storing(fresh.sentence(2_000_000 + round)), nil
			},
			did: func(_ bool, out string, line hooklog.Entry) bool { return out == "" && line.Event != "" },
		},
		{
			name: "post-tool-use", event: "PostToolUse",
			fields: plain(map[string]any{
				"tool_name": "Bash", "tool_use_id": "toolu_1", "duration_ms": 76, "tool_input": map[string]any{"command": "ls internal"},
				"tool_response": map[string]any{"stdout": "pool", "stderr": "", "interrupted": false, "isImage": false},
			}),
			did: func(_ bool, out string, _ hooklog.Entry) bool { return out == "" },
		},
		{
			name: "post-tool-use-failure", event: "PostToolUseFailure",
			fields: plain(map[string]any{
				"tool_name": "Bash", "tool_use_id": "toolu_1", "duration_ms": 45, "is_interrupt": false, "error": failedError,
				"tool_input": map[string]any{"command": failedCommand, "description": "run the tests"},
			}),
			did: func(warm bool, out string, _ hooklog.Entry) bool { return !warm || out != "" },
		},
		{
			name: "stop, which finds one thing in the transcript", event: "Stop",
			fields: func(session string, round int) (map[string]any, error) {
				path := filepath.Join(transcripts, session+".jsonl")
				return map[string]any{
					"transcript_path": path, "stop_hook_active": false, "last_assistant_message": "Done.",
				}, writeTranscript(path, session, round)
			},
			did: func(_ bool, _ string, line hooklog.Entry) bool { return line.Extracted == 1 },
		},
	}
}

// storing is the call of the tool that stores a text.
func storing(text string) map[string]any {
	return map[string]any{
		"tool_name": "mcp__mneme__memory_store", "tool_use_id": "toolu_1", "permission_mode": "default",
		"tool_input": map[string]any{"text": text, "type": memory.TypeFact},
	}
}

// knownFacts are those of the first n memories of the corpus that are facts
// and of no session: a text is a duplicate only among its like.
func knownFacts(n int) ([]string, error) {
	var b bytes.Buffer
	if err := newCorpus(1).write(&b, n); err != nil {
		return nil, err
	}
	var out []string
	for lines := json.NewDecoder(&b); lines.More(); {
		var line struct{ Text, Type, Session string }
		if err := lines.Decode(&line); err != nil {
			return nil, fmt.Errorf("read corpus: %w", err)
		}
		if line.Type == memory.TypeFact && line.Session == "" {
			out = append(out, line.Text)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("read corpus: there is no fact in it")
	}
	return out, nil
}

// writeTranscript writes a session of some turns, in one of which the reason
// of a failure is told. The last turn is not over.
func writeTranscript(path, session string, round int) error {
	const turns = 20
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	write := func(n int, kind string, message map[string]any) error {
		return encoder.Encode(map[string]any{
			"type": kind, "uuid": fmt.Sprintf("%s-%d", session, n), "sessionId": session, "isSidechain": false,
			"timestamp": "2026-01-02T03:04:05.000Z", "cwd": "/home/me/app", "version": "2.1.197", "message": message,
		})
	}
	said := func(text string) []map[string]any { return []map[string]any{{"type": "text", "text": text}} }
	for n := range turns {
		text := "I read the file and ran the tests again."
		if n == turns/2 {
			text = fmt.Sprintf("The root cause was that gateway-%d.example.org closes idle connections after %d seconds, "+
				"so internal/pool/pool%d.go handed out dead ones.", round, 10+round, round)
		}
		err := errors.Join(
			write(2*n, "user", map[string]any{"role": "user", "content": fmt.Sprintf("please look at part %d of the pool", n)}),
			write(2*n+1, "assistant", map[string]any{"id": fmt.Sprintf("msg_%d", n), "role": "assistant", "content": said(text)}))
		if err != nil {
			return fmt.Errorf("write transcript: %w", err)
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	return nil
}
