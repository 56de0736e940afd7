package lexis_test

import (
	"testing"

	"github.com/mneme-memory/mneme/internal/lexis"
)

func TestOneOf(t *testing.T) {
	t.Parallel()
	p := lexis.OneOf(`(?i)^(?:`, lexis.Table{{`maybe`, "maybe"}, {`i (?:think|guess)`, "I guess"}}, `)\b`)
	for text, want := range map[string]bool{"Maybe so": true, "I think so": true, "maybes": false, "so maybe": false} {
		if p.Match(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	wrong := lexis.OneOf(`^(?:`, lexis.Table{{`maybe`, "maybe"}, {`perhaps`, "per haps"}}, `)`)
	if err := wrong.Check(); err == nil {
		t.Error("an example that its alternative does not find passes")
	}
	if err := lexis.Lazy(`x`).Check(); err != nil {
		t.Errorf("without a table: %v", err)
	}
}
