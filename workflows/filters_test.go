package workflows_test

import (
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestRecallFilters asks for what names a file, for what was said in one session, and
// several questions at once.
func TestRecallFilters(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	for session, text := range map[string]string{
		"s1": "Retries of payments are set in internal/pay/retry.go.",
		"s2": "Payments are retried five times with growing pauses.",
		"s3": "Releases are cut on Thursdays.",
	} {
		_, err := r.Store(t.Context(), memory.StoreInput{Text: text, Session: session})
		check(t, err)
	}
	texts := func(q memory.Query) []string {
		t.Helper()
		res, err := r.Recall(t.Context(), q)
		check(t, err)
		var out []string
		for _, h := range res.Hits {
			out = append(out, h.Text)
		}
		return out
	}
	const file, times, day = "Retries of payments are set in internal/pay/retry.go.", "Payments are retried five times with growing pauses.", "Releases are cut on Thursdays."
	if got := texts(memory.Query{Text: "how are payments retried?", Files: []string{"/home/me/shop/internal/pay/retry.go"}}); !slices.Equal(got, []string{file}) {
		t.Errorf("by file: %q", got)
	}
	if got := texts(memory.Query{Text: "how are payments retried?", FromSession: "s2"}); !slices.Equal(got, []string{times}) {
		t.Errorf("by session: %q", got)
	}
	why, err := r.Recall(t.Context(), memory.Query{Text: "how are payments retried?", Limit: 1, Explain: true})
	check(t, err)
	if len(why.Hits) != 1 || why.Hits[0].Why == nil || why.Hits[0].Why.Evidence <= 0 || len(why.JustBelow) != 2 || why.JustBelow[0].Why == nil {
		t.Errorf("explained: %+v, just below %+v", why.Hits, why.JustBelow)
	}
	res, err := r.Recall(t.Context(), memory.Query{
		Text: "on which day are releases cut?", Then: []string{"how often are payments retried, with which pauses?"}, Each: true, Limit: 1,
	})
	check(t, err)
	if len(res.Hits) != 2 || res.Hits[0].Text != day || res.Hits[0].Question != 1 || res.Hits[1].Text != times || res.Hits[1].Question != 2 {
		t.Errorf("two questions: %+v", res.Hits)
	}
}
