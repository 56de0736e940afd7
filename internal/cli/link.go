package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// linker joins two memories.
type linker interface {
	Link(ctx context.Context, link memory.Link) (memory.Link, error)
}

func (a *app) link() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "link SOURCE TYPE TARGET",
		Short:   "Link two memories",
		Long:    "Say how one memory stands to another. TYPE is one of " + strings.Join(memory.LinkTypes(), ", ") + ".",
		Example: "  mneme link <id> contradicts <id>",
		Args:    cobra.ExactArgs(3),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		want := memory.Link{SourceID: args[0], Type: args[1], TargetID: args[2]}
		if err := checkLink(want); err != nil {
			return err
		}
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			made, err := c.Link(cmd.Context(), want)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(made)
			}
			return a.printf("linked  %s %s %s\n", memory.ShortID(made.SourceID), made.Type, memory.ShortID(made.TargetID))
		})
	}
	return cmd
}

func checkLink(l memory.Link) error {
	for _, id := range []string{l.SourceID, l.TargetID} {
		if err := memory.CheckRef(id); err != nil {
			return err
		}
	}
	if !slices.Contains(memory.LinkTypes(), l.Type) {
		return memory.Errorf(memory.Invalid, "use one of "+strings.Join(memory.LinkTypes(), ", "), "there is no link type %q", oneLine(l.Type, 60))
	}
	if l.SourceID == l.TargetID {
		return memory.Errorf(memory.Invalid, "give two different ids", "a memory cannot be linked to itself")
	}
	return nil
}
