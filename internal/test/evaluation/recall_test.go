package evaluation

import (
	"os"
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
	"github.com/mneme-memory/mneme/internal/test/evaluation/corpus"
	"github.com/mneme-memory/mneme/memory"
)

// figures are the means over the questions of a data set.
type figures struct{ r5, r10, r25, mrr10 float64 }

// floors lie .01 under what was measured.
func floors() map[string]figures {
	return map[string]figures{
		"locomo": {.66, .765, .84, .51}, "nl2bash": {.74, .80, .86, .65},
		"cosqa": {.56, .69, .80, .40}, "gitbugs": {.68, .735, .82, .63},
	}
}

// TestRecall prints how much of what is relevant recall finds and how early,
// and fails when a change makes it clearly worse.
func TestRecall(t *testing.T) {
	t.Parallel()
	folder := corpus.Folder("../../..")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no evaluation data at %s: set MNEME_SHARED to the folder that holds retrieval-dev", folder)
	}
	model, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	embed := func(text string) memory.Vector { return model.Embed(text) }
	t.Log("set       questions       R@5   R@10  R@25  MRR@10")
	for _, name := range corpus.Names() {
		c, err := corpus.Load(folder, name, embed)
		if err != nil {
			t.Fatal(err)
		}
		got := report(t, c, embed, "all", func(corpus.Question) bool { return true })
		if name == "locomo" {
			report(t, c, embed, "not adversarial", func(q corpus.Question) bool { return q.Category != "adversarial" })
		}
		if f := floors()[name]; got.r5 < f.r5 || got.r10 < f.r10 || got.r25 < f.r25 || got.mrr10 < f.mrr10 {
			t.Errorf("%s: %.3f, at least %.3f is expected", name, got, f)
		}
	}
}

func report(t *testing.T, c *corpus.Corpus, embed corpus.Embedder, label string, wanted func(corpus.Question) bool) figures {
	t.Helper()
	var sum figures
	n := 0.0
	indexes := map[string]corpus.Index{}
	for _, q := range c.Questions {
		if !wanted(q) {
			continue
		}
		if _, ok := indexes[q.Project]; !ok {
			indexes[q.Project] = c.All(q.Project)
		}
		found := indexes[q.Project].Candidates(q.Query, embed(q.Query), q.Exclude)
		one := figuresOf(q, memory.Rank(memory.Query{Text: q.Query, Limit: 25}, memory.CalibrationFor(static.Name), found, corpus.Now()))
		sum.r5, sum.r10, sum.r25, sum.mrr10 = sum.r5+one.r5, sum.r10+one.r10, sum.r25+one.r25, sum.mrr10+one.mrr10
		n++
	}
	f := figures{sum.r5 / n, sum.r10 / n, sum.r25 / n, sum.mrr10 / n}
	t.Logf("%-9s %-15s %.3f %.3f %.3f %.3f", c.Name, label, f.r5, f.r10, f.r25, f.mrr10)
	return f
}

func figuresOf(q corpus.Question, res memory.RecallResult) figures {
	var f figures
	share := 1 / float64(len(q.Relevant))
	for i, h := range res.Hits {
		if !slices.Contains(q.Relevant, h.ID) {
			continue
		}
		f.r25 += share
		if i < 10 {
			f.r10 += share
			f.mrr10 = max(f.mrr10, 1/float64(i+1))
		}
		if i < 5 {
			f.r5 += share
		}
	}
	return f
}
