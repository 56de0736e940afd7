package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/redact/redacttest"
)

// told is how many secrets one session holds: no more is kept of a session anyway.
const told = 12

// secretsByHooks puts secrets of every kind into the transcripts of sessions: into prompts, answers,
// commands and the output of commands. Then the sessions end, once in the shared home, where a running
// mneme stores the memories of the sessions, and once in a home in which no mneme runs, where these
// memories wait in the spool. Hooks for a prompt and for the failure of a tool run too.
func secretsByHooks(t *testing.T) {
	unserved := filepath.Join(shared.dir, "unserved")
	for i, home := range []string{shared.home, unserved} {
		k := newKilling(t, fmt.Sprintf("hooked-%d", i), home)
		batches := slices.Collect(slices.Chunk(secretsFor(t, "hooks", uint64(600+i)), told))
		for n, batch := range batches {
			id := k.session(n)
			k.tell(t, id, batch)
			k.listen(t, "SessionEnd", id)
			if n%8 == 0 { // each process takes its time
				k.listen(t, "UserPromptSubmit", id)
				k.listen(t, "PostToolUseFailure", id)
			}
		}
	}
	waiting, err := filepath.Glob(filepath.Join(unserved, "spool", "*.json"))
	check(t, err)
	marked := 0
	for _, path := range waiting {
		text, err := os.ReadFile(path)
		check(t, err)
		if strings.Contains(string(text), "[redacted:") {
			marked++
		}
	}
	if marked < told {
		t.Errorf("of %d entries that wait only %d held something: the sessions taught too little", len(waiting), marked)
	}
}

// tell writes a transcript in which secrets are said, run and printed.
func (k *killing) tell(t *testing.T, id string, secrets []redacttest.Secret) {
	t.Helper()
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	line := func(kind string, content any) {
		message := map[string]any{"role": kind, "content": content, "id": fmt.Sprintf("m%d", b.Len())}
		check(t, encoder.Encode(map[string]any{"type": kind, "uuid": fmt.Sprintf("%s-%d", id, b.Len()), "sessionId": id, "message": message}))
	}
	for i, s := range secrets {
		call := fmt.Sprintf("toolu_%d", i)
		line("user", "Please remember for all sessions: "+s.Sentence)
		line("assistant", []any{
			map[string]any{"type": "text", "text": "The root cause was the old setting, so from now on this holds: " + s.Sentence},
			map[string]any{"type": "tool_use", "id": call, "name": "Bash", "input": map[string]any{"command": "deploy --with '" + s.Sentence + "'"}},
		})
		line("user", []any{map[string]any{
			"type": "tool_result", "tool_use_id": call, "is_error": i%2 == 0, "content": "Exit code 1\nError: cannot deploy: " + s.Sentence,
		}})
	}
	check(t, os.WriteFile(k.transcript(id), []byte(b.String()), 0o600))
}

// listen runs a hook to its end and notes its output.
func (k *killing) listen(t *testing.T, event, id string) {
	t.Helper()
	out, err := k.command(t, event, id).CombinedOutput()
	_, noted := shared.said.Write(out)
	check(t, noted)
	if err != nil {
		t.Errorf("%s: %v: %s", event, err, out)
	}
}
