package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/memory"
)

// completeFor is how long a shell waits for values that must be asked for.
const completeFor = 800 * time.Millisecond

// completions tells the shell which values the flags of a command take, and
// which memories it may be about. What is asked of a mneme that does not run
// has no answer: completing starts nothing.
func (a *app) completions(cmd *cobra.Command) {
	known := map[string][]string{
		"type": memory.Types(), "collection": memory.Collections(), "sort": memory.Sorts(), "source": memory.Sources(),
	}
	for flag, values := range known {
		a.completeFlag(cmd, flag, func(context.Context) []string { return values })
	}
	a.completeFlag(cmd, "project", func(ctx context.Context) []string {
		return a.counted(ctx, func(c memory.Census) []memory.Tally { return c.Projects })
	})
	a.completeFlag(cmd, "tags", func(ctx context.Context) []string {
		return a.counted(ctx, func(c memory.Census) []memory.Tally { return c.Tags })
	})
	if _, takes, _ := strings.Cut(cmd.Use, " "); strings.HasPrefix(strings.TrimPrefix(takes, "["), "ID") && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = a.completeIDs
	}
}

// completeFlag completes the last of the values of a flag, which commas separate.
func (a *app) completeFlag(cmd *cobra.Command, flag string, values func(context.Context) []string) {
	if cmd.Flags().Lookup(flag) == nil {
		return
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		var out []string
		for _, v := range values(cmd.Context()) {
			if strings.HasPrefix(v, typed[len(before):]) {
				out = append(out, before+v)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}) // fails for flags only that are not there
}

// completeIDs offers the newest memories, each with the beginning of its text.
func (a *app) completeIDs(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var out []string
	a.ask(cmd.Context(), func(ctx context.Context, c Client) {
		found, err := c.List(ctx, memory.Page{Sort: memory.SortNewest, Limit: 50})
		if err != nil {
			return // nothing to offer
		}
		for _, m := range found {
			id := memory.ShortID(m.ID)
			if strings.HasPrefix(id, typed) && !slices.Contains(args, id) {
				out = append(out, id+"\t"+oneLine(m.Text, 50))
			}
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}

// counted returns the names of what a census has counted.
func (a *app) counted(ctx context.Context, of func(memory.Census) []memory.Tally) []string {
	var out []string
	a.ask(ctx, func(ctx context.Context, c Client) {
		census, err := c.Census(ctx, memory.CensusInput{})
		if err != nil {
			return // nothing to offer
		}
		for _, t := range of(census) {
			out = append(out, t.Name)
		}
	})
	return out
}

// ask connects to a mneme that runs, for a moment.
func (a *app) ask(ctx context.Context, do func(context.Context, Client)) {
	cfg, err := a.config()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, completeFor)
	defer cancel()
	client, err := a.deps.Dial(ctx, cfg)
	if err != nil {
		return
	}
	defer client.Close()
	do(ctx, client)
}
