package extract

import (
	"testing"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// Each alternative of a table finds its own example.
func TestTables(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]lexis.Pattern{
		"noWish": noWish, "mending": mending, "because": because, "hollowY": hollowY,
		"hedges": hedges, "plans": plans, "asides": asides,
	} {
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, w := range wishWords {
		if err := w.words.Check(); err != nil {
			t.Errorf("%s: %v", w.rule, err)
		}
	}
}
