package hook

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestPromptIsOffByDefault(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.client.hits = someHits()
	if got := b.run(t, userPromptSubmit, map[string]any{"prompt": "how do we retry payments?"}); got != "" || len(b.client.queries) != 0 {
		t.Errorf("printed %q", got)
	}
}

func TestPromptShowsWhatIsNew(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.cfg.Hooks.Prompt.Enabled = true
	b.client.hits = someHits()[:1]
	b.run(t, sessionStart, map[string]any{"source": "startup"})
	if got := b.run(t, userPromptSubmit, map[string]any{"prompt": "how do we retry payments?"}); got != "" {
		t.Errorf("what the session has seen is shown again: %s", got)
	}
	b.client.hits = someHits()
	a := answerOf(t, userPromptSubmit, b.run(t, userPromptSubmit, map[string]any{"prompt": "how do we retry payments?"}))
	if !strings.Contains(a.Specific.Context, memory.ShortID(idA)) || strings.Contains(a.Specific.Context, memory.ShortID(idB)) {
		t.Errorf("shown %q", a.Specific.Context)
	}
	if got := b.run(t, userPromptSubmit, map[string]any{"prompt": "how do we retry payments?"}); got != "" {
		t.Errorf("shown twice: %s", got)
	}
	asked := len(b.client.queries)
	for _, text := range []string{"yes", "/compact and more words", "   "} {
		if got := b.run(t, userPromptSubmit, map[string]any{"prompt": text}); got != "" || len(b.client.queries) != asked {
			t.Errorf("%q is asked for", text)
		}
	}
}

// What the session has stored, found by a tool, or what was learned from it, is no
// news to it, and takes no other memory's place.
func TestPromptKnowsWhatTheSessionDid(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.cfg.Hooks.Prompt.Enabled = true
	const idC, idD, idE = "0c0e0d0c-0b0a-8908-8706-050403020100", "0d0e0d0c-0b0a-8908-8706-050403020100", "0e0e0d0c-0b0a-8908-8706-050403020100"
	own := memory.Hit{ID: idC, Text: "Learned from this session", Type: memory.TypeFact, Session: theSession, CreatedAt: day(3)}
	told := memory.Hit{ID: idD, Text: "Found by a tool", Type: memory.TypeFact, Session: "another", CreatedAt: day(4)}
	late := memory.Hit{ID: idE, Text: "At the end of the transcript", Type: memory.TypeFact, CreatedAt: day(5)}
	b.client.hits = append([]memory.Hit{own, told, late}, someHits()...)
	line := `{"type":"user","message":{"content":[{"type":"tool_result","content":"1. Found by a tool (id ` + memory.ShortID(idD) + `)"}]}}` + "\n"
	cross := strings.Repeat("x", pieceOfIt-len(line)-5) + memory.ShortID(idE) // across two pieces of what is read
	if err := os.WriteFile(b.transcript, []byte(line+cross), 0o600); err != nil {
		t.Fatal(err)
	}
	a := answerOf(t, userPromptSubmit, b.run(t, userPromptSubmit, map[string]any{"prompt": "how do we retry payments?"}))
	for id, want := range map[string]bool{idA: true, idB: true, idC: false, idD: false, idE: false} {
		if strings.Contains(a.Specific.Context, memory.ShortID(id)) != want {
			t.Errorf("%s shown: %v", id, !want)
		}
	}
	if n := len(b.client.queries); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// findNot looks for a text in every file below the home folder.
func (b *bench) findNot(t *testing.T, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(b.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		if strings.Contains(string(data), text) {
			t.Errorf("%s holds %q", path, text)
		}
		return nil
	})
	if err != nil || files < 2 {
		t.Errorf("looked into %d files: %v", files, err)
	}
}
