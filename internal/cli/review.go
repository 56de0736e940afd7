package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/review"
	"github.com/mneme-memory/mneme/memory"
)

// reviewFlags are those of "mneme review".
type reviewFlags struct {
	project, since, source string
	all                    bool
	limit                  int
	keep, pin, forget      []string
	merge                  []string // ids with commas, one list a group
}

func (a *app) review() *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Go through new memories: keep, edit, merge, forget or pin",
		Long: "Go through new memories of the current project and of _global, and through those that\n" +
			"are shown again and again and never used, or will be pruned soon. What was decided on is\n" +
			"not shown again.\n" +
			"Nothing is changed before the end, when you are asked. The editor is $VISUAL or $EDITOR.\n\n" +
			"Without a terminal, list them with --json and decide with --keep, --pin, --forget and\n--merge; \"mneme edit\" changes a text.",
		Example: `  mneme review
  mneme review --json --limit 10
  mneme review --keep 0e5a…,1b7c… --forget 9f00… --merge 77aa…,88bb…`,
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.project, "project", "", "project (default: that of the current folder)")
	fl.BoolVar(&f.all, "all-projects", false, "every project")
	fl.StringVar(&f.since, "since", "", fmt.Sprintf("created at or after this date (default: %d days ago)", review.DefaultDays))
	fl.StringVar(&f.source, "source", "", "how they came: "+strings.Join(memory.Sources(), ", ")+" (tool is what Claude stored, through MCP)")
	fl.IntVar(&f.limit, "limit", 50, fmt.Sprintf("how many at most, 1 to %d", review.MaxItems))
	fl.StringArrayVar(&f.keep, "keep", nil, "ids to keep, with commas or repeated")
	fl.StringArrayVar(&f.pin, "pin", nil, "ids to keep and never prune")
	fl.StringArrayVar(&f.forget, "forget", nil, "ids to forget")
	fl.StringArrayVar(&f.merge, "merge", nil, "two or more ids to make one of, with commas; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var err error
		if f.source, err = sourceOf(f.source); err != nil {
			return err
		}
		decisions, err := f.decisions()
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			state, err := review.LoadState(cfg.Home)
			if err != nil {
				return err
			}
			if len(decisions) > 0 {
				// What was decided on is remembered by its id, not by the beginning that was given.
				if err := resolveDecisions(cmd.Context(), c, decisions); err != nil {
					return err
				}
				return a.decide(cmd.Context(), cfg, c, state, decisions)
			}
			return a.goThrough(cmd.Context(), cfg, c, state, f)
		})
	}
	return cmd
}

// decisions are the decisions given as flags.
func (f reviewFlags) decisions() ([]review.Decision, error) {
	var out []review.Decision
	for _, given := range []struct {
		action review.Action
		ids    []string
	}{{review.Keep, f.keep}, {review.Pin, f.pin}, {review.Forget, f.forget}} {
		for _, id := range split(given.ids) {
			out = append(out, review.Decision{Action: given.action, ID: id})
		}
	}
	for _, group := range f.merge {
		ids := split([]string{group})
		if len(ids) < 2 {
			return nil, memory.Errorf(memory.Invalid, "give two ids or more, with a comma between", "--merge %s names nothing to merge with", group)
		}
		out = append(out, review.Decision{Action: review.Merge, ID: ids[0], With: ids[1:]})
	}
	for _, d := range out {
		for _, id := range append([]string{d.ID}, d.With...) {
			if err := memory.CheckRef(id); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// resolveDecisions puts ids in the place of their beginnings.
func resolveDecisions(ctx context.Context, c resolver, decisions []review.Decision) error {
	for i, d := range decisions {
		ids, err := c.Resolve(ctx, append([]string{d.ID}, d.With...))
		if err != nil {
			return err
		}
		decisions[i].ID, decisions[i].With = ids[0], ids[1:]
	}
	return nil
}

// goThrough shows what there is to review: on a screen, or as a list.
func (a *app) goThrough(ctx context.Context, cfg config.Config, c review.Client, state *review.State, f reviewFlags) error {
	o, err := a.reviewOptions(ctx, cfg, state, f)
	if err != nil {
		return err
	}
	items, err := review.Load(ctx, c, o)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		return a.printJSON(list(items))
	case len(items) == 0:
		a.note("nothing to review since %s", o.Since.In(a.sys.location()).Format(time.DateOnly))
		return nil
	case !a.sys.StdinTTY || !a.sys.StdoutTTY:
		return a.printItems(items)
	}
	s := newScreen(items, a.editor())
	if _, err := tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(a.sys.Stdin), tea.WithOutput(a.sys.Stdout)).Run(); err != nil {
		if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("show the screen: %w", err)
	}
	if decisions := s.decisions(); len(decisions) > 0 {
		return a.decide(ctx, cfg, c, state, decisions)
	}
	a.note("nothing was changed")
	return nil
}

func (a *app) reviewOptions(ctx context.Context, cfg config.Config, state *review.State, f reviewFlags) (review.Options, error) {
	o := review.Options{Source: f.source, Limit: f.limit, Decided: state.Decided, Since: a.sys.Now().AddDate(0, 0, -review.DefaultDays)}
	since, err := a.dateFlag("since", f.since)
	if err != nil {
		return o, err
	}
	if since != nil {
		o.Since = *since
	}
	if !f.all {
		if o.Project, err = a.project(cfg, f.project, false); err != nil {
			return o, err
		}
	}
	o.Suggested = suggestions(ctx, cfg, o.Project)
	return o, nil
}

// suggestions are what the last snapshot knows to cost more than it gives.
// Without a snapshot there are none, which is no reason not to review.
func suggestions(ctx context.Context, cfg config.Config, project string) []review.Suggestion {
	r, err := analytics.OpenReader(ctx, snapshotPath(cfg))
	if err != nil {
		return nil
	}
	defer r.Close()
	report, err := r.Report(ctx, analytics.ReportInput{Project: project})
	if err != nil {
		return nil
	}
	var out []review.Suggestion
	for _, v := range report.DeadWeight {
		out = append(out, review.Suggestion{
			ID: v.ID, Reason: fmt.Sprintf("shown %d times for %.0f tokens, never used: forget it?", v.Injected, v.Tokens),
		})
	}
	return out
}

// editor is the person's own, its words split.
func (a *app) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(a.sys.Env(name)); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}

// decide carries decisions out and remembers them.
func (a *app) decide(ctx context.Context, cfg config.Config, c review.Client, state *review.State, decisions []review.Decision) error {
	outcomes, err := review.Apply(ctx, c, cfg.User, decisions)
	if stateErr := state.Add(outcomes, a.sys.Now()); err == nil {
		err = stateErr
	}
	if a.json {
		return errors.Join(a.printJSON(outcomes), err)
	}
	for _, o := range outcomes {
		if o.Done() {
			if err := a.printf("%-8s %s\n", o.Action, memory.ShortID(o.ID)); err != nil {
				return err
			}
		}
	}
	return err
}

func (a *app) printItems(items []review.Item) error {
	for _, it := range items {
		if err := a.printMemory(it.Memory, nil); err != nil {
			return err
		}
		if it.Suggestion != "" {
			if err := a.printf("  %s\n", it.Suggestion); err != nil {
				return err
			}
		}
	}
	return nil
}
