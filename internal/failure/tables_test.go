package failure

import "testing"

// Each alternative of a table finds its own example.
func TestTables(t *testing.T) {
	t.Parallel()
	for i, rule := range lineRules {
		if err := rule.re.Check(); err != nil {
			t.Errorf("line rule %d: %v", i, err)
		}
	}
}
