package health

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestReport(t *testing.T) {
	t.Parallel()
	r := New()
	r.Needs("Temporal", "1.32\x1b[2J", nil)
	r.Mentions("Ollama", "", memory.Down("Ollama", "start it", errors.New("no\nanswer")))
	if r.Code() != Healthy {
		t.Error("a part that is not needed makes it unhealthy")
	}
	var out strings.Builder
	if err := r.Write(&out, false); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "\x1b") || strings.Count(text, "\n") != 3 || !strings.Contains(text, "warn  Ollama") ||
		!strings.Contains(text, "→ start it") {
		t.Errorf("wrote %q", text)
	}
	r.Needs("PostgreSQL", "", errors.New("down"))
	if r.Code() != Unhealthy {
		t.Error("a part that is needed leaves it healthy")
	}
	out.Reset()
	if err := r.Write(&out, true); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil || back.Healthy || len(back.Parts) != 3 || back.Parts[2].Error != "down" {
		t.Errorf("%s: %+v, %v", out.String(), back, err)
	}
}
