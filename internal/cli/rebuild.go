package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// rebuilder writes the index anew, and tells how far it is.
type rebuilder interface {
	Rebuild(ctx context.Context, in memory.RebuildInput, progress func(memory.RebuildReport)) (memory.RebuildReport, error)
}

func (a *app) rebuild() *cobra.Command {
	var collections []string
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Bring the search index in step with the database",
		Long: "Compare Qdrant's collections with PostgreSQL, the truth, memory by memory; write what is\n" +
			"missing or differs, delete what should not be there, and look again. What is right stays, and\n" +
			"answers meanwhile. Also how a changed setting of the embedding model is taken up: the old index answers\n" +
			"until the new one is complete, and is deleted then; \"mneme reembed\" can go back. Exit code 1 if they are\nnot equal at the end.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringArrayVar(&collections, "collection", nil, "collections, with commas or repeated (default all)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		in := memory.RebuildInput{Collections: split(collections)}
		// The collections are checked as organize checks its own.
		if _, err := (memory.OrganizeInput{Collections: in.Collections}).Clean(); err != nil {
			return err
		}
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			in.User = cfg.User
			var report memory.RebuildReport
			err := a.patiently(cmd.Context(), c, func() (err error) {
				report, err = c.Rebuild(cmd.Context(), in, a.rebuildProgress())
				return err
			})
			if err != nil {
				return err
			}
			return a.printRebuilt(report)
		})
	}
	return cmd
}

func (a *app) rebuildProgress() func(memory.RebuildReport) {
	told := map[string]int{}
	return func(r memory.RebuildReport) {
		for _, c := range r.Collections {
			if c.Compared > told[c.Collection] {
				told[c.Collection] = c.Compared
				a.note("%s: %d of %d compared, %d written", c.Collection, c.Compared, c.Ledger, c.Written)
			}
		}
	}
}

func (a *app) printRebuilt(r memory.RebuildReport) error {
	if a.json {
		r.Collections = list(r.Collections)
		for i := range r.Collections {
			c := &r.Collections[i]
			c.Mended, c.Unequal = list(c.Mended), list(c.Unequal)
		}
		if err := a.printJSON(r); err != nil {
			return err
		}
	} else if err := table(a.sys.Stdout, rebuildRows(r)); err != nil {
		return err
	}
	if r.Reembedded > 0 {
		a.note("%s embedded anew with %s", plural(r.Reembedded, "text", "texts"), r.Model)
	}
	if r.Equal {
		return nil
	}
	for _, c := range r.Collections {
		for _, id := range c.Unequal {
			a.note("%s: %s is not in the index as it should be", c.Collection, id)
		}
	}
	return memory.Errorf(memory.Internal, `run "mneme rebuild" once more; if it stays so, "mneme doctor" may tell more`,
		"index and database are not equal after the rebuild")
}

func rebuildRows(r memory.RebuildReport) [][]string {
	rows := [][]string{{"COLLECTION", "LEDGER", "INDEX", "WRITTEN", "DELETED", "EQUAL"}}
	for _, c := range r.Collections {
		equal := "yes"
		if !c.Equal {
			equal = "NO"
		}
		rows = append(rows, []string{
			c.Collection, fmt.Sprint(c.Ledger), fmt.Sprint(c.Index), fmt.Sprint(c.Written), fmt.Sprint(c.Deleted), equal,
		})
	}
	return rows
}
