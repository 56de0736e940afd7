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
	if err := remedyBegins.Check(); err != nil {
		t.Errorf("the beginning of a remedy: %v", err)
	}
	if err := hidden.Check(); err != nil {
		t.Errorf("a hidden failure: %v", err)
	}
}
