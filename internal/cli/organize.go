package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// organizer tidies up, and tells how far it is.
type organizer interface {
	Organize(ctx context.Context, in memory.OrganizeInput, progress func(memory.OrganizeReport)) (memory.OrganizeReport, error)
}

// organizeFlags are the flags of "mneme organize" that are no part of a run's input: --plan writes a
// plan to a file, --apply carries out the plan in a file, and --cancel ends a run.
type organizeFlags struct {
	plan, apply string
	cancel      bool
}

func (a *app) organize() *cobra.Command {
	var in memory.OrganizeInput
	var f organizeFlags
	var collections []string
	cmd := &cobra.Command{
		Use:   "organize",
		Short: "Merge duplicates, let the unused fade, prune what faded",
		Long: "Merge near-duplicates, let confidence fade, promote what earned it, prune what faded\n" +
			"and was not used for 90 days since it came in. It runs weekly by itself. Nothing pinned\n" +
			"is pruned, and nothing that an earlier run did not name as nearly pruned. Of a project of\n" +
			"which more than a tenth would be pruned nothing is, until you say --yes.\n" +
			"\n--dry-run shows the plan: the texts of each merge side by side and what comes out, and what is\n" +
			"pruned, promoted, expired and why. --plan writes it to a file as well, which --apply carries out:\n" +
			"exactly that, and nothing if one of its memories was changed meanwhile. A run can be undone.\n" +
			"\nOnly one run is at work at a time. Ctrl-C stops the waiting, and the run goes on; --cancel ends it,\n" +
			"after the page that it is at.",
		Example: `  mneme organize --dry-run
  mneme organize --plan plan.json && mneme organize --apply plan.json
  mneme organize --yes --project example.org/me/shop
  mneme organize --cancel`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.cancel {
				return cobra.MaximumNArgs(1)(cmd, args)
			}
			return cobra.NoArgs(cmd, args)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&in.DryRun, "dry-run", false, "show what would be done, change nothing")
	fl.BoolVar(&in.Yes, "yes", false, "prune also what waits for a yes: more than a tenth of a project")
	fl.StringArrayVar(&collections, "collection", nil, "collections, with commas or repeated (default all)")
	fl.StringVar(&in.Project, "project", "", "project (default all)")
	fl.StringVar(&f.plan, "plan", "", "dry run that also writes its plan to this file")
	fl.StringVar(&f.apply, "apply", "", "carry out the plan in this file, and nothing else")
	fl.BoolVar(&f.cancel, "cancel", false, "end the run that is at work, or the one whose id is given")
	for _, other := range []string{"dry-run", "yes", "collection", "project", "plan", "cancel"} {
		cmd.MarkFlagsMutuallyExclusive("apply", other)
	}
	cmd.MarkFlagsMutuallyExclusive("cancel", "dry-run")
	cmd.MarkFlagsMutuallyExclusive("cancel", "plan")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in.Collections = split(collections)
		in, err := in.Clean()
		if err != nil {
			return err
		}
		if f.apply != "" {
			p, err := readPlan(f.apply)
			if err != nil {
				return err
			}
			in.Apply = &memory.PlanRef{ID: p.Head.ID, Digest: p.Head.Digest}
		}
		in.DryRun = in.DryRun || f.plan != ""
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			in.User = cfg.User
			if f.cancel {
				return a.cancelOrganize(cmd.Context(), c, strings.Join(args, ""))
			}
			return a.runOrganize(cmd.Context(), c, in, f)
		})
	}
	return cmd
}

func (a *app) runOrganize(ctx context.Context, c Client, in memory.OrganizeInput, f organizeFlags) error {
	var report memory.OrganizeReport
	started := ""
	progress := a.organizeProgress()
	err := a.patiently(ctx, c, func() (err error) {
		report, err = c.Organize(ctx, in, func(r memory.OrganizeReport) {
			started = r.WorkflowID
			progress(r)
		})
		return err
	})
	if errors.Is(err, context.Canceled) && started != "" {
		a.note("it goes on in the background as %[1]s; \"mneme organize --cancel\" ends it, \"mneme undo %[1]s\" takes back what it did", started)
	}
	if err != nil {
		return err
	}
	if !report.DryRun {
		return a.tellOrganized(report, nil)
	}
	plan, err := readWholePlan(ctx, c, report.WorkflowID)
	if err != nil {
		return err
	}
	if f.plan != "" {
		if err := writePlan(f.plan, plan); err != nil {
			return err
		}
		defer a.note("the plan is in %[1]s; \"mneme organize --apply %[1]s\" carries it out", quoted(f.plan))
	}
	return a.paged(ctx, func() error { return a.tellOrganized(report, &plan) })
}

// organizeJSON is the report, and of a dry run the plan.
type organizeJSON struct {
	memory.OrganizeReport

	Plan *planFile `json:"plan,omitempty"`
}

func (a *app) tellOrganized(report memory.OrganizeReport, plan *planFile) error {
	if a.json {
		report.Collections = list(report.Collections)
		return a.printJSON(organizeJSON{report, plan})
	}
	if err := a.printOrganized(report, plan); err != nil {
		return err
	}
	return nil
}

// cancelOrganize ends runs that are at work.
func (a *app) cancelOrganize(ctx context.Context, c Client, id string) error {
	ids, err := c.CancelOrganize(ctx, id)
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(struct {
			Cancelled []string `json:"cancelled"`
		}{list(ids)})
	} else if len(ids) == 0 {
		a.note("no organize run is at work")
	}
	for _, id := range ids {
		a.note("%[1]s ends after the page that it is at; \"mneme undo %[1]s\" takes back what it did", id)
	}
	if err == nil && len(ids) == 0 {
		return quiet(ExitNothing)
	}
	return err
}

// organizeProgress tells of each collection once it is done.
func (a *app) organizeProgress() func(memory.OrganizeReport) {
	told := 0
	return func(r memory.OrganizeReport) {
		for ; told < len(r.Collections); told++ {
			c := r.Collections[told]
			a.note("%s: %s looked at", c.Collection, memories(c.Scanned))
		}
	}
}

func (a *app) printOrganized(r memory.OrganizeReport, plan *planFile) error {
	rows := [][]string{{"COLLECTION", "SCANNED", "EXPIRED", "PROMOTED", "MERGED", "DECAYED", "PRUNED", "NEARLY PRUNED"}}
	var groups []memory.MergedGroup
	var nearly []memory.NearlyPruned
	for _, c := range r.Collections {
		row := []string{c.Collection}
		for _, n := range []int{c.Scanned, c.Expired, c.Promoted, c.Merged, c.Decayed, c.Pruned, c.Announced} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
		groups, nearly = append(groups, c.Groups...), append(nearly, c.Nearly...)
	}
	if err := table(a.sys.Stdout, rows); err != nil {
		return err
	}
	if plan != nil {
		groups, nearly = nil, nil // the plan names them all
		if err := a.showPlan(*plan); err != nil {
			return err
		}
	}
	for _, g := range groups {
		if err := a.printf("\n%s  %s into %s\n%s\n", a.paint().bold(fmt.Sprintf("%.2f", g.Similarity)),
			memories(len(g.MergedIDs)), g.SurvivorID, wrap(g.Text, a.sys.width(), "    ")); err != nil {
			return err
		}
	}
	if err := a.printNearly(nearly); err != nil {
		return err
	}
	if plan == nil {
		if err := a.showLeftOut(r.LeftOut); err != nil {
			return err
		}
	}
	if text, hint := memory.HeldText(r.Held); text != "" {
		a.note("%s: %s", text, hint)
	}
	verb := "organized"
	if r.Applied != "" {
		verb = "carried out the plan " + r.Applied
	}
	if r.DryRun {
		verb = "dry run, nothing was changed:"
	}
	a.note("%s in %.1f s (%s)", verb, r.TookSeconds, r.WorkflowID)
	if !r.DryRun {
		a.note("to take this back: mneme undo %s", r.WorkflowID)
	}
	return nil
}

// printNearly names what a later run will prune.
func (a *app) printNearly(nearly []memory.NearlyPruned) error {
	if len(nearly) == 0 {
		return nil
	}
	if err := a.printf("\n%s: pruned in a week at the earliest, unless they are used; \"mneme review\" goes through them\n",
		a.paint().bold("nearly pruned")); err != nil {
		return err
	}
	for _, n := range nearly {
		if err := a.printf("%s  %s\n%s\n", memory.ShortID(n.ID), printable(n.Project), wrap(n.Text, a.sys.width(), "    ")); err != nil {
			return err
		}
	}
	return nil
}
