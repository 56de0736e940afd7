package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

type recallFlags struct {
	project, since, before   string
	asOf                     string
	session                  string
	also, files              []string
	global, all, links       bool
	collections, types, tags []string
	explain                  bool
	limit                    int
	minScore                 float64
}

// recaller answers a question.
type recaller interface {
	Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error)
}

func (a *app) recall() *cobra.Command {
	var f recallFlags
	cmd := &cobra.Command{
		Use:        "recall QUERY…",
		SuggestFor: []string{"search", "find", "query", "ask"},
		Short:      "Find what matters to a question",
		Long:       "Find the memories that matter to a question, in the project of the current folder\nand in _global, best first. Each has a score, the chance that it answers, and is\ncalled strong when that is above 0.7. Exit code 3 if there are none.",
		Example: `  mneme recall "how do we deploy?"
  mneme recall --limit 20 --type decision retry policy
  mneme recall --since "last week" --file retry.go "what did we change?" --also "what is still open?"
  mneme recall --min-score 0.7 "what runs on port 8080?"
  mneme recall --json "staging database" | jq -r '.[].text'`,
		Args: cobra.MinimumNArgs(1),
	}
	fl := cmd.Flags()
	fl.IntVar(&f.limit, "limit", memory.DefaultLimit, fmt.Sprintf("how many at most, 1 to %d", memory.MaxLimit))
	fl.Float64Var(&f.minScore, "min-score", 0, "leave out what does not score above this, 0 to 1 (above 0.7 an answer is strong)")
	fl.StringVar(&f.project, "project", "", "project (default: that of the current folder)")
	fl.BoolVar(&f.global, "global", false, "only what holds everywhere")
	fl.BoolVar(&f.all, "all-projects", false, "ask every project")
	fl.StringArrayVar(&f.collections, "collection", nil, "collections, with commas or repeated (default all)")
	fl.StringArrayVar(&f.types, "type", nil, "types, any of them")
	fl.StringArrayVar(&f.tags, "tags", nil, "tags, all of them")
	fl.BoolVar(&f.links, "links", false, "behind each answer also what is linked to it (by default behind strong ones)")
	fl.StringVar(&f.since, "since", "", "created at or after this date, such as 2026-01-31, 7d or \"last week\"")
	fl.StringVar(&f.before, "before", "", "created before this date")
	fl.StringVar(&f.asOf, "as-of", "", "search what was remembered at this date, as it was then")
	fl.StringVar(&f.session, "session", "", "said in this session")
	fl.StringArrayVar(&f.files, "file", nil, "naming one of these files; may be repeated")
	fl.BoolVar(&f.explain, "explain", false, "say why: the numbers behind each place, what was asked for, and what was just below")
	fl.StringArrayVar(&f.also, "also", nil, "another question, answered beside the first; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		q, err := a.query(cfg, f, strings.Join(args, " "))
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			res, err := c.Recall(cmd.Context(), q)
			if err != nil {
				return err
			}
			return a.paged(cmd.Context(), func() error { return a.printRecall(q, res) })
		})
	}
	return cmd
}

func (a *app) query(cfg config.Config, f recallFlags, text string) (memory.Query, error) {
	q := memory.Query{
		Text: text, Then: f.also, Each: len(f.also) > 0, FromSession: f.session, Files: f.files, AllProjects: f.all, Collections: split(f.collections), Types: split(f.types), Tags: split(f.tags),
		Limit: f.limit, Explain: f.explain, ExpandLinks: f.links, Source: memory.SourceCLI, User: cfg.User,
	}
	if f.minScore != 0 {
		q.MinScore = &f.minScore
	}
	// The query's own zero means the default; a person who types 0 means 0.
	if f.limit == 0 {
		return q, memory.Errorf(memory.Invalid, fmt.Sprintf("leave it out for %d", memory.DefaultLimit),
			"limit must be 1 to %d, got 0", memory.MaxLimit)
	}
	if f.all && (f.project != "" || f.global) {
		return q, memory.Errorf(memory.Invalid, "choose one", "--all-projects excludes --project and --global")
	}
	var err error
	if !f.all {
		if q.Project, err = a.project(cfg, f.project, f.global); err != nil {
			return q, err
		}
	}
	if q.Since, err = a.dateFlag("since", f.since); err != nil {
		return q, err
	}
	if q.Before, err = a.dateFlag("before", f.before); err != nil {
		return q, err
	}
	if q.AsOf, err = a.dateFlag("as-of", f.asOf); err != nil {
		return q, err
	}
	_, err = q.Clean()
	return q, err // as it came: the client redacts before tags are in lower case
}

func (a *app) printRecall(q memory.Query, res memory.RecallResult) error {
	if res.Degraded != "" {
		a.note("not everything could be used: %s", res.Degraded)
	}
	if res.AsOf != nil {
		a.note("this is the past: what was remembered at %s, as it was then", a.date(*res.AsOf))
	}
	switch {
	case a.json && q.Explain:
		if err := a.printJSON(explainedJSON{q, res.Hits, list(res.JustBelow), res.BelowBar, res.TookMillis}); err != nil {
			return err
		}
	case a.json:
		if err := a.printJSON(hitsJSON(res.Hits)); err != nil {
			return err
		}
	default:
		if err := a.printHits(q, res); err != nil {
			return err
		}
		if err := a.printExplanation(q, res); err != nil {
			return err
		}
	}
	if len(res.Hits) == 0 {
		return quiet(ExitNothing)
	}
	return nil
}

func (a *app) printHits(q memory.Query, res memory.RecallResult) error {
	if len(res.Hits) == 0 {
		a.note("%s", nothingFound(q.MinScore, res.BelowBar))
		return nil
	}
	p := a.paint()
	for i, h := range res.Hits {
		head := fmt.Sprintf("%2d  %.2f %s", i+1, h.Score, strength(h))
		if len(q.Then) > 0 && (i == 0 || res.Hits[i-1].Question != h.Question) {
			if err := a.printf("%s\n", p.bold(printable(q.Questions()[max(h.Question, 1)-1]))); err != nil {
				return err
			}
		}
		about := []string{h.Type, printable(h.Project), a.date(h.CreatedAt), fmt.Sprintf("confidence %.2f", h.Confidence)}
		if len(h.Tags) > 0 {
			about = append(about, "#"+printable(strings.Join(h.Tags, " #")))
		}
		if err := a.printf("%s  %s\n%s\n    %s\n", p.bold(head), memory.ShortID(h.ID),
			wrap(h.Text, a.sys.width(), "    "), p.faint(strings.Join(about, " · "))); err != nil {
			return err
		}
		if err := a.printWhy(h); err != nil {
			return err
		}
		if by := h.SupersededBy; by != nil {
			if err := a.printf("    superseded by %s: %s\n", memory.ShortID(by.ID), oneLine(by.Text, max(40, a.sys.width()-32))); err != nil {
				return err
			}
		}
	}
	if res.BelowBar > 0 && q.MinScore != nil {
		a.note("%d more did not score above %.2g", res.BelowBar, *q.MinScore)
	}
	return nil
}

// strength is the mark of a hit, as a word.
func strength(h memory.Hit) string {
	if h.Strong {
		return "strong"
	}
	return "weak"
}

func nothingFound(bar *float64, below int) string {
	if below == 0 || bar == nil {
		return "nothing found"
	}
	return fmt.Sprintf("nothing scores above %.2g; %d were below (leave out --min-score to see them)", *bar, below)
}
