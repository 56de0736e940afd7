package hook

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	if !strings.Contains(a.Specific.Context, idA) || strings.Contains(a.Specific.Context, idB) {
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
