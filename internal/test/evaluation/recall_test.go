package evaluation

import (
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
	"github.com/mneme-memory/mneme/memory"
)

// figures are the means over the questions of a data set.
type figures struct{ r5, r10, r25, mrr10 float64 }

// TestRecall prints how much of what is relevant recall finds, and fails when
// a change makes it clearly worse. The floors lie .01 under what was measured.
func TestRecall(t *testing.T) {
	t.Parallel()
	dataFolder(t)
	model, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	floors := map[string]struct{ all, barred float64 }{
		"locomo": {.69, .665}, "nl2bash": {.80, .795}, "cosqa": {.675, .66}, "gitbugs": {.74, .735},
	}
	sets := []string{"locomo", "nl2bash", "cosqa", "gitbugs"}
	corpora := map[string]*corpus{}
	for _, name := range sets {
		corpora[name] = load(t, model, name)
	}
	t.Log("set       questions       bar   R@5   R@10  R@25  MRR@10")
	for _, name := range sets {
		c := corpora[name]
		all := report(t, c, model, "all", 0, func(question) bool { return true })
		barred := report(t, c, model, "all", memory.DefaultMinScore, func(question) bool { return true })
		if name == "locomo" {
			report(t, c, model, "not adversarial", 0, func(q question) bool { return q.Category != "adversarial" })
			report(t, c, model, "not adversarial", memory.DefaultMinScore, func(q question) bool { return q.Category != "adversarial" })
		}
		if f := floors[name]; all.r10 < f.all || barred.r10 < f.barred {
			t.Errorf("%s: Recall@10 %.3f, with the bar %.3f; at least %.3f and %.3f are expected", name, all.r10, barred.r10, f.all, f.barred)
		}
	}
	strangers(t, model, sets, corpora)
}

func report(t *testing.T, c *corpus, model *static.Model, label string, bar float64, wanted func(question) bool) figures {
	t.Helper()
	var sum figures
	n := 0.0
	for _, q := range c.questions {
		if wanted(q) {
			one := answer(c, model, q, bar)
			sum.r5, sum.r10, sum.r25, sum.mrr10 = sum.r5+one.r5, sum.r10+one.r10, sum.r25+one.r25, sum.mrr10+one.mrr10
			n++
		}
	}
	f := figures{sum.r5 / n, sum.r10 / n, sum.r25 / n, sum.mrr10 / n}
	t.Logf("%-9s %-15s %.1f   %.3f %.3f %.3f %.3f", c.name, label, bar, f.r5, f.r10, f.r25, f.mrr10)
	return f
}

func answer(c *corpus, model *static.Model, q question, bar float64) figures {
	res := c.recall(model, q.Query, q.Project, q.Exclude, bar, 25)
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

func (c *corpus) recall(model *static.Model, text, project string, exclude []string, bar float64, limit int) memory.RecallResult {
	q := memory.Query{Text: text, Project: project, Limit: limit, MinScore: &bar}
	key := project + "\x00" + text
	if c.found[key] == nil {
		c.found[key] = c.candidates(model, text, project, exclude)
	}
	return memory.Rank(q, memory.CalibrationFor(static.Name), c.found[key], now())
}

// strangers prints how often questions of one data set get an answer from
// another, where there is none: the share with any hit, and hits in five.
func strangers(t *testing.T, model *static.Model, sets []string, corpora map[string]*corpus) {
	t.Helper()
	t.Log("store     questions of   any hit  hits in 5")
	for _, name := range sets {
		c := corpora[name]
		project := c.memories[0].Project
		for _, other := range sets {
			if other == name {
				continue
			}
			const asked = 40
			any, hits := 0, 0
			for i := range asked {
				q := corpora[other].questions[i*7919%len(corpora[other].questions)]
				n := len(c.recall(model, q.Query, project, nil, memory.DefaultMinScore, 5).Hits)
				hits += n
				any += min(1, n)
			}
			t.Logf("%-9s %-12s   %3.0f %%    %.1f", name, other, 100*float64(any)/asked, float64(hits)/asked)
		}
	}
}
