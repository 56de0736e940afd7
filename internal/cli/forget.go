package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

type forgetFlags struct {
	filter memory.Filter
	tags   []string
	before string
	dryRun bool
	purge  bool
	yes    bool
}

func (a *app) forget() *cobra.Command {
	var f forgetFlags
	cmd := &cobra.Command{
		Use:   "forget [ID…]",
		Short: "Forget memories, by id or by filter",
		Long: "Forget the memories with the given ids, or all that a filter selects; everything that\n" +
			"is given must hold. A filter that selects more than one asks first, or needs --yes.\nWithout --purge the ledger keeps the history; with it texts are blanked for good.",
		Example: "  mneme forget 0e5a…\n  mneme forget --project old-app --before 2025-01-01 --dry-run",
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.tags, "tags", nil, "tags, all of them")
	fl.StringVar(&f.before, "before", "", "created before this date")
	fl.StringVar(&f.filter.Project, "project", "", "project")
	fl.StringVar(&f.filter.Collection, "collection", "", "collection")
	fl.StringVar(&f.filter.Type, "type", "", "type")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be forgotten, change nothing")
	fl.BoolVar(&f.purge, "purge", false, "blank the history too: there is no way back")
	fl.BoolVar(&f.yes, "yes", false, "do not ask")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := a.forgetInput(f, args)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			in.User = cfg.User
			return a.runForget(cmd.Context(), c, in, f.yes)
		})
	}
	return cmd
}

func (a *app) forgetInput(f forgetFlags, ids []string) (memory.ForgetInput, error) {
	in := memory.ForgetInput{Filter: f.filter, DryRun: f.dryRun, Purge: f.purge}
	var err error
	if in.Filter.Before, err = a.dateFlag("before", f.before); err != nil {
		return in, err
	}
	in.Filter.IDs, in.Filter.Tags = ids, split(f.tags)
	_, err = in.Filter.Clean()
	return in, err // as it came: the client redacts before tags are in lower case
}

// forgetter forgets what a filter selects, or says what that is.
type forgetter interface {
	Forget(ctx context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error)
}

func (a *app) runForget(ctx context.Context, c forgetter, in memory.ForgetInput, yes bool) error {
	if !in.DryRun && !yes && len(in.Filter.IDs) == 0 {
		sure, err := a.confirmForget(ctx, c, in)
		if err != nil || !sure {
			return err
		}
	}
	res, err := c.Forget(ctx, in)
	if err != nil {
		return err
	}
	if a.json {
		res.IDs = list(res.IDs)
		if err := a.printJSON(res); err != nil {
			return err
		}
	} else if err := a.printForgotten(res); err != nil {
		return err
	}
	if res.Count == 0 {
		return quiet(ExitNothing)
	}
	return nil
}

// confirmForget asks before a filter forgets more than one memory.
func (a *app) confirmForget(ctx context.Context, c forgetter, in memory.ForgetInput) (bool, error) {
	in.DryRun = true
	would, err := c.Forget(ctx, in)
	if err != nil || would.Count <= 1 {
		return err == nil, err
	}
	if !a.sys.StdinTTY {
		return false, memory.Errorf(memory.Invalid, "see them with --dry-run, then repeat with --yes",
			"the filter selects %s, and nobody is there to confirm", memories(would.Count))
	}
	fmt.Fprintf(a.sys.Stderr, "This forgets %s and %s. Type yes to go on: ",
		memories(would.Count), plural(would.Links, "link", "links"))
	line, err := interruptible(ctx, func() (string, error) { return bufio.NewReader(a.sys.Stdin).ReadString('\n') })
	if ctx.Err() != nil {
		return false, err
	}
	if strings.TrimSpace(strings.ToLower(line)) != "yes" { // an error is no answer, and no answer is no
		a.note("nothing was forgotten")
		return false, nil
	}
	return true, nil
}

func (a *app) printForgotten(res memory.ForgetReceipt) error {
	if res.Count == 0 {
		a.note("nothing matched")
		return nil
	}
	verb := "forgot"
	if res.DryRun {
		verb = "would forget"
	}
	tail := ""
	if res.Verified {
		tail = "; looked for again, and gone"
	}
	if res.Purged {
		tail = ", history blanked" + tail
	}
	if err := a.printf("%s %s and %s%s\n", verb, memories(res.Count), plural(res.Links, "link", "links"), tail); err != nil {
		return err
	}
	const most = 20
	for i, id := range res.IDs {
		if i == most {
			return a.printf("  … and %d more\n", res.Count-most)
		}
		if err := a.printf("  %s\n", id); err != nil {
			return err
		}
	}
	return nil
}
