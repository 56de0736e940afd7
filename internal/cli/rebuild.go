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
		Short: "Recreate the search index from the ledger",
		Long: "Recreate Qdrant's collections from PostgreSQL, the truth, and prove by count and hash\n" +
			"that both hold the same. Also how a changed embedding model is taken up. Exit code 1\nif they are not equal.",
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
			if c.Written > told[c.Collection] {
				told[c.Collection] = c.Written
				a.note("%s: %d of %d written", c.Collection, c.Written, c.Ledger)
			}
		}
	}
}

func (a *app) printRebuilt(r memory.RebuildReport) error {
	if a.json {
		r.Collections = list(r.Collections)
		if err := a.printJSON(r); err != nil {
			return err
		}
	} else if err := table(a.sys.Stdout, rebuildRows(r)); err != nil {
		return err
	}
	if r.Reembedded > 0 {
		a.note("%s embedded anew with %s", plural(r.Reembedded, "text", "texts"), r.Model)
	}
	if !r.Equal {
		return memory.Errorf(memory.Internal, `run "mneme rebuild" once more; if it stays so, "mneme doctor" may tell more`,
			"index and ledger are not equal after the rebuild")
	}
	return nil
}

func rebuildRows(r memory.RebuildReport) [][]string {
	rows := [][]string{{"COLLECTION", "LEDGER", "INDEX", "LEDGER HASH", "INDEX HASH", "EQUAL"}}
	for _, c := range r.Collections {
		equal := "yes"
		if !c.Equal {
			equal = "NO"
		}
		rows = append(rows, []string{
			c.Collection, fmt.Sprint(c.Ledger), fmt.Sprint(c.Index), shortHash(c.LedgerHash), shortHash(c.IndexHash), equal,
		})
	}
	return rows
}

func shortHash(h string) string { return h[:min(len(h), 12)] }
