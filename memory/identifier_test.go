package memory_test

import (
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// TestTicketIsAnsweredByWhatNamesIt asks for the number of a ticket among neighbours of it.
func TestTicketIsAnsweredByWhatNamesIt(t *testing.T) {
	t.Parallel()
	texts := []string{
		"CLM-471: glass claims are paid without an assessor.",
		"For clm-482 the second assessor is from another region.",
		"Letters are sent in the language of XCLM-482 customers.",
		"Water damage needs two assessors (CLM-482).",
	}
	candidates := make([]memory.Candidate, len(texts))
	for i, text := range texts {
		id := memory.NewID("p", memory.Memories, text)
		candidates[i] = memory.Candidate{Memory: memory.Memory{ID: id, Text: text, Confidence: 0.5}, Cosine: 0.6, HasCosine: true}
	}
	half := 0.5
	q := memory.Query{Text: "CLM-482", Limit: 5, MinScore: &half}
	found := memory.Rank(q, memory.CalibrationFor("mneme-static"), candidates, time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)).Hits
	named := map[string]bool{texts[1]: true, texts[3]: true}
	if len(found) < 2 || !named[found[0].Text] || !named[found[1].Text] || found[0].Score != 1 || found[1].Score != 1 {
		t.Errorf("found %+v", found)
	}
	for _, h := range found[min(2, len(found)):] {
		if h.Score == 1 {
			t.Errorf("%q is said to answer for certain", h.Text)
		}
	}
}
