package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

const maxDepth = 5 // links away; further than that everything is related

// relater follows links.
type relater interface {
	Related(ctx context.Context, id string, depth, limit int) ([]memory.Related, error)
}

func (a *app) related() *cobra.Command {
	var depth, limit int
	cmd := &cobra.Command{
		Use:   "related ID",
		Short: "Show what a memory is linked to",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().IntVar(&depth, "depth", 1, "how many links away, 1 to 5")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many at most, 1 to 100")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := memory.CheckRef(args[0]); err != nil {
			return err
		}
		if depth < 1 || depth > maxDepth {
			return memory.Errorf(memory.Invalid, "leave it out for 1", "depth must be 1 to %d, got %d", maxDepth, depth)
		}
		if limit < 1 || limit > memory.MaxLimit {
			return memory.Errorf(memory.Invalid, "leave it out for 20", "limit must be 1 to %d, got %d", memory.MaxLimit, limit)
		}
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			found, err := c.Related(cmd.Context(), args[0], depth, limit)
			if err != nil {
				return err
			}
			return a.printRelated(found)
		})
	}
	return cmd
}

func (a *app) printRelated(found []memory.Related) error {
	for i := range found {
		found[i].Tags = list(found[i].Tags)
	}
	if a.json {
		if err := a.printJSON(list(found)); err != nil {
			return err
		}
	}
	if len(found) == 0 {
		if !a.json {
			a.note("nothing is linked to it")
		}
		return quiet(ExitNothing)
	}
	for _, r := range found {
		if a.json {
			return nil
		}
		indent := strings.Repeat("  ", r.Depth-1)
		arrow := "→ " + r.Link.Type
		if r.Link.SourceID == r.ID {
			arrow = "← " + r.Link.Type
		}
		if err := a.printf("%s%s  %s\n%s\n", indent, a.paint().bold(arrow), memory.ShortID(r.ID), wrap(r.Text, a.sys.width(), indent+"    ")); err != nil {
			return err
		}
	}
	return nil
}
