package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// organizer tidies up, and tells how far it is.
type organizer interface {
	Organize(ctx context.Context, in memory.OrganizeInput, progress func(memory.OrganizeReport)) (memory.OrganizeReport, error)
}

func (a *app) organize() *cobra.Command {
	var in memory.OrganizeInput
	var collections []string
	cmd := &cobra.Command{
		Use:   "organize",
		Short: "Merge duplicates, let the unused fade, prune what faded",
		Long: "Merge near-duplicates, let confidence fade, promote what earned it, prune what faded\n" +
			"and was not used for 90 days since it came in. It runs weekly by itself. Nothing pinned\n" +
			"is pruned, and nothing that an earlier run did not name as nearly pruned. Of a project of\n" +
			"which more than a tenth would be pruned nothing is, until you say --yes.",
		Example: `  mneme organize --dry-run
  mneme organize --yes --project example.org/me/shop`,
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.BoolVar(&in.DryRun, "dry-run", false, "say what would be done, change nothing")
	fl.BoolVar(&in.Yes, "yes", false, "prune also what waits for a yes: more than a tenth of a project")
	fl.StringArrayVar(&collections, "collection", nil, "collections, with commas or repeated (default all)")
	fl.StringVar(&in.Project, "project", "", "project (default all)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		in.Collections = split(collections)
		in, err := in.Clean()
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			in.User = cfg.User
			var report memory.OrganizeReport
			err := a.patiently(cmd.Context(), c, func() (err error) {
				report, err = c.Organize(cmd.Context(), in, a.organizeProgress())
				return err
			})
			if err != nil {
				return err
			}
			if a.json {
				report.Collections = list(report.Collections)
				return a.printJSON(report)
			}
			return a.printOrganized(report)
		})
	}
	return cmd
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

func (a *app) printOrganized(r memory.OrganizeReport) error {
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
	for _, g := range groups {
		if err := a.printf("\n%s  %s into %s\n%s\n", a.paint().bold(fmt.Sprintf("%.2f", g.Similarity)),
			memories(len(g.MergedIDs)), g.SurvivorID, wrap(g.Text, a.sys.width(), "    ")); err != nil {
			return err
		}
	}
	if err := a.printNearly(nearly); err != nil {
		return err
	}
	if text, hint := memory.HeldText(r.Held); text != "" {
		a.note("%s: %s", text, hint)
	}
	verb := "organized"
	if r.DryRun {
		verb = "dry run, nothing was changed:"
	}
	a.note("%s in %.1f s (%s)", verb, r.TookSeconds, r.WorkflowID)
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
