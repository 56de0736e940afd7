package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// explainedJSON is the --json output of "mneme recall --explain".
type explainedJSON struct {
	Query     memory.Query       `json:"query"`
	Results   []memory.Hit       `json:"results"`
	JustBelow []memory.Hit       `json:"just_below"`
	BelowBar  int                `json:"below_bar"`
	Took      map[string]float64 `json:"took_ms"`
}

// printWhy prints what a hit's place was made of, if that was asked for.
func (a *app) printWhy(h memory.Hit) error {
	w := h.Why
	if w == nil {
		return nil
	}
	if w.Linked != "" {
		return a.printf("    why not found by itself, but brought by a link: %s\n", printable(w.Linked))
	}
	exact := ""
	if w.Exact {
		exact = "; it is what was asked, word by word"
	}
	return a.printf("    why %.3f = evidence %.3f (cosine %.2f, keywords %.1f, has %.0f %% of the words) + lent by its session %.3f\n"+
		"        + %.3f for confidence %.2f, importance %.2f and an age of %.0f days%s\n",
		w.Evidence+w.Lent+w.Prior, w.Evidence, w.Cosine, w.Keyword, 100*w.Share, w.Lent,
		w.Prior, w.Confidence, w.Importance, w.AgeDays, exact)
}

// printExplanation prints the query and the near misses.
func (a *app) printExplanation(q memory.Query, res memory.RecallResult) error {
	if !q.Explain {
		return nil
	}
	if err := a.printf("\nLooked in %s\n", a.filterText(q)); err != nil {
		return err
	}
	if len(res.JustBelow) > 0 {
		if err := a.printf("\nJust below\n"); err != nil {
			return err
		}
	}
	for _, h := range res.JustBelow {
		if err := a.printf("    %.2f  %s  %s\n", h.Score, memory.ShortID(h.ID), oneLine(h.Text, a.sys.width()-20)); err != nil {
			return err
		}
		if err := a.printWhy(h); err != nil {
			return err
		}
	}
	return nil
}

// filterText says in words which memories were looked at.
func (a *app) filterText(q memory.Query) string {
	parts := []string{"every project"}
	if !q.AllProjects {
		parts[0] = printable(strings.Join(q.Projects(), " and "))
	}
	add := func(what string, values ...string) {
		if text := strings.Join(values, ", "); text != "" {
			parts = append(parts, what+" "+printable(text))
		}
	}
	day := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return a.date(*t)
	}
	add("collections", q.Collections...)
	add("types", q.Types...)
	add("tags", q.Tags...)
	add("files", q.Files...)
	add("session", q.FromSession)
	add("since", day(q.Since))
	add("before", day(q.Before))
	if q.MinScore != nil {
		parts = append(parts, fmt.Sprintf("scores above %.2g", *q.MinScore))
	}
	return strings.Join(parts, "; ")
}
