package cli

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestExplainShowsWhy has the numbers, the filter and what was just below.
func TestExplainShowsWhy(t *testing.T) {
	t.Parallel()
	f := fake{recall: func(q memory.Query) (memory.RecallResult, error) {
		if !q.Explain {
			t.Error("no explanation was asked for")
		}
		hit := memory.Hit{ID: idA, Text: "The port is 8443.", Why: &memory.Why{Evidence: .5, Lent: .25, Prior: .125, Cosine: .6, Share: .5}}
		near := memory.Hit{ID: idB, Text: "The port was 80.", Score: .2, Why: &memory.Why{}}
		beside := memory.Hit{ID: idB, Text: "The proxy maps it.", Why: &memory.Why{Linked: "builds_on 0c0e"}}
		return memory.RecallResult{Hits: []memory.Hit{hit, beside}, JustBelow: []memory.Hit{near}}, nil
	}}
	code, out, errs := newSession(t, f).run(t.Context(), "recall", "--explain", "--type", "fact", "--since", "2026-01-31", "which", "port?")
	for _, want := range []string{
		"why 0.875 = evidence 0.500 (cosine 0.60, keywords 0.0, has 50 % of the words) + lent by its session 0.250",
		"why not found by itself, but brought by a link: builds_on 0c0e\n",
		"Looked in here and _global; types fact; since 2026-01-31", "Just below\n    0.20  1b7c0d2f  The port was 80.",
	} {
		if code != ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit %d, %s\n%s\nlacks %q", code, errs, out, want)
		}
	}
	if _, out, _ := newSession(t, f).run(t.Context(), "recall", "--explain", "--json", "port?"); !strings.Contains(out, `"just_below": [`) || !strings.Contains(out, `"evidence": 0.5`) {
		t.Errorf("as JSON %s", out)
	}
}
