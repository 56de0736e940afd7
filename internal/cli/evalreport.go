package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// count fills in the figures.
func (r *evalReport) count(places []int, took []time.Duration) {
	r.Questions = len(places)
	if len(places) == 0 {
		return
	}
	hits := func(within int) float64 {
		n := 0
		for _, p := range places {
			if p > 0 && p <= within {
				n++
			}
		}
		return float64(n) / float64(len(places))
	}
	r.Hit1, r.Hit3, r.Hit5 = hits(1), hits(3), hits(5)
	for _, p := range places {
		if p > 0 {
			r.MRR += 1 / float64(p) / float64(len(places))
		}
	}
	slices.Sort(took)
	r.Median = float64(took[len(took)/2].Microseconds()) / 1000
}

// printEval prints the figures of an evaluation, the questions whose answers were not found, and the
// questions that could not be measured.
func (a *app) printEval(r evalReport) error {
	r.Left = list(r.Left)
	if a.json {
		return a.printJSON(r)
	}
	for _, m := range r.Left {
		a.note("line %d was not measured: %s", m.Line, oneLine(m.Why, 160))
	}
	if r.Questions == 0 {
		return memory.Errorf(memory.Invalid, "correct the questions", "nothing could be measured")
	}
	if r.Degraded > 0 {
		a.note("%d of %s were answered without a part: \"mneme doctor\" says which",
			r.Degraded, plural(r.Questions, "question", "questions"))
	}
	rows := [][]string{
		{"questions", fmt.Sprint(r.Questions)},
		{"hit@1", fmt.Sprintf("%.3f", r.Hit1)},
		{"hit@3", fmt.Sprintf("%.3f", r.Hit3)},
		{"hit@5", fmt.Sprintf("%.3f", r.Hit5)},
		{"MRR", fmt.Sprintf("%.3f", r.MRR)},
		{"median", fmt.Sprintf("%.0f ms", r.Median)},
	}
	if err := table(a.sys.Stdout, rows); err != nil {
		return err
	}
	const most = 20
	for i, m := range r.NotFound {
		if i == most {
			if err := a.printf("  … and %d more\n", len(r.NotFound)-most); err != nil {
				return err
			}
			break
		}
		if err := a.printf(
			"not among the first %d: line %d, %s\n", evalDepth, m.Line, oneLine(m.Question, 80),
		); err != nil {
			return err
		}
	}
	const few = 100
	if r.Questions < few {
		a.note("%s are few: one more or less moves a figure by %.3f",
			plural(r.Questions, "question", "questions"), 1/float64(r.Questions))
	}
	for _, note := range r.Notes {
		a.note("not measured: %s", note)
	}
	return nil
}
