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
	filter      memory.Filter
	tags        []string
	before      string
	since       string
	query       string
	allProjects bool
	dryRun      bool
	purge       bool
	verify      string
	yes         bool
}

func (a *app) forget() *cobra.Command {
	var f forgetFlags
	cmd := &cobra.Command{
		Use:        "forget [ID…]",
		SuggestFor: []string{"delete", "remove", "rm"},
		Short:      "Forget memories, by id, by filter or by what answers a query",
		Long: "Forget the memories with the given ids, or all of the current project that a filter selects, or\n" +
			"what strongly answers --query; everything that is given must hold. More than one is shown first, with\n" +
			"project, date and text, and forgotten when you type how many they are, or with --yes.\n" +
			"Without --purge the database keeps the history, and \"mneme undo\" brings all back. With it the texts are taken\n" +
			"for good from the database and its write-ahead log, the index, the histories of Temporal, and mneme's files\n" +
			"of sessions, hooks and logs; then they are looked for in all of these, byte by byte, and what was found is told.\n" +
			"That takes from seconds to minutes. Its receipt is a file that holds no text: --verify\n" +
			"looks again, and --verify with --purge also takes away what came back into files and histories.",
		Example: "  mneme forget 0e5a6a4e\n  mneme forget --tags draft --before 2025-01-01 --dry-run\n  mneme forget --query \"the old build server\"\n" +
			"  mneme forget --purge 0e5a6a4e\n  mneme forget --verify ~/.mneme/purges/forget-20260131T030000.000-1a2b3c4d.json",
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.tags, "tags", nil, "tags, all of them")
	fl.StringVar(&f.before, "before", "", "created before this date")
	fl.StringVar(&f.since, "since", "", "created at or after this date")
	fl.StringVar(&f.query, "query", "", "what strongly answers this, at most 100")
	fl.StringVar(&f.filter.Project, "project", "", "project (default the current one)")
	fl.BoolVar(&f.allProjects, "all-projects", false, "in every project")
	fl.StringVar(&f.filter.Collection, "collection", "", "collection")
	fl.StringVar(&f.filter.Type, "type", "", "type")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show what would be forgotten, change nothing")
	fl.BoolVar(&f.purge, "purge", false, "take the texts from everywhere, and look for them: there is no way back")
	fl.StringVar(&f.verify, "verify", "", "look again for what a purge took, by its receipt")
	fl.BoolVar(&f.yes, "yes", false, "do not ask")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.verify != "" {
			return a.verifyPurge(cmd, f, args)
		}
		in, err := a.forgetInput(f, args)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			in.User = cfg.User
			// An id names one memory in any project. A filter applies to one project, because other
			// projects may use the same tag.
			if len(args) == 0 && !f.allProjects {
				if in.Filter.Project, err = a.project(cfg, f.filter.Project, false); err != nil {
					return err
				}
			}
			if f.query != "" {
				if in.Filter.IDs, err = answersTo(cmd.Context(), c, f, in.Filter); err != nil {
					return err
				}
				if len(in.Filter.IDs) == 0 {
					a.note("nothing answers that strongly; nothing was forgotten")
					return quiet(ExitNothing)
				}
			}
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
	if in.Filter.Since, err = a.dateFlag("since", f.since); err != nil {
		return in, err
	}
	in.Filter.IDs, in.Filter.Tags = ids, split(f.tags)
	switch {
	case f.query != "" && len(ids) > 0:
		return in, memory.Errorf(memory.Invalid, "choose one", "ids and --query exclude each other")
	case f.allProjects && f.filter.Project != "":
		return in, memory.Errorf(memory.Invalid, "choose one", "--all-projects and --project exclude each other")
	case f.query != "":
		return in, nil
	}
	_, err = in.Filter.Clean()
	return in, err // as it came: the client redacts before tags are in lower case
}

// answersTo returns the ids of what strongly answers a query, and is of the
// filter's project: what holds everywhere answers it too.
func answersTo(ctx context.Context, c recaller, f forgetFlags, filter memory.Filter) ([]string, error) {
	q := memory.Query{
		Text: f.query, Project: filter.Project, AllProjects: f.allProjects, Tags: filter.Tags, Before: filter.Before, Since: filter.Since,
		Limit: memory.MaxLimit, Source: memory.SourceCLI, Trial: true,
	}
	if filter.Collection != "" {
		q.Collections = []string{filter.Collection}
	}
	if filter.Type != "" {
		q.Types = []string{filter.Type}
	}
	found, err := c.Recall(ctx, q)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, h := range found.Hits {
		if h.Strong && (f.allProjects || h.Project == filter.Project) {
			ids = append(ids, h.ID)
		}
	}
	return ids, nil
}

// forgetter forgets what a filter selects, or says what that is.
type forgetter interface {
	Forget(ctx context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error)
}

// shower forgets memories, and can fetch their texts for the question before.
type shower interface {
	forgetter
	getter
	purger
	waiter
}

func (a *app) runForget(ctx context.Context, c shower, in memory.ForgetInput, yes bool) error {
	if !in.DryRun && !yes {
		sure, err := a.confirmForget(ctx, c, &in)
		if err != nil || !sure {
			return err
		}
	}
	res, err := a.forgetOrPurge(ctx, c, in)
	if err != nil {
		return err
	}
	var shown []memory.Details
	if in.DryRun {
		if shown, err = details(ctx, c, res.IDs); err != nil {
			return err
		}
	}
	if a.json {
		res.IDs = list(res.IDs)
		if err := a.printJSON(forgetJSON{res, shown}); err != nil {
			return err
		}
	} else if err := a.printForgotten(res, shown); err != nil {
		return err
	}
	switch {
	case res.Count == 0:
		return quiet(ExitNothing)
	case res.Purge != nil && !res.Purge.Clean():
		return quiet(ExitUnexpected)
	}
	return nil
}

// forgetJSON is a receipt; a dry run shows the memories.
type forgetJSON struct {
	memory.ForgetReceipt
	Memories []memory.Details `json:"memories,omitempty"`
}

// details reads memories, in as many calls as that takes.
func details(ctx context.Context, c getter, ids []string) ([]memory.Details, error) {
	var out []memory.Details
	for len(ids) > 0 {
		n := min(len(ids), memory.MaxLimit)
		page, err := c.Get(ctx, ids[:n])
		if err != nil {
			return nil, err
		}
		out, ids = append(out, page...), ids[n:]
	}
	return out, nil
}

// shownAtOnce is how many memories a page of the question shows.
const shownAtOnce = 20

// confirmForget shows the memories and asks, if there is more than one. Then exactly the
// shown memories are forgotten, and none that came to match meanwhile.
func (a *app) confirmForget(ctx context.Context, c shower, in *memory.ForgetInput) (bool, error) {
	look := *in
	look.DryRun = true
	would, err := c.Forget(ctx, look)
	if err != nil || would.Count <= 1 {
		return err == nil, err
	}
	if !a.sys.StdinTTY {
		return false, memory.Errorf(memory.Invalid, "see them with --dry-run, then repeat with --yes",
			"this selects %s, and nobody is there to confirm", memories(would.Count))
	}
	if would.Count == len(would.IDs) {
		in.Filter.IDs = would.IDs
	}
	answers := bufio.NewReader(a.sys.Stdin)
	for from := 0; ; {
		to := min(from+shownAtOnce, len(would.IDs))
		page, err := details(ctx, c, would.IDs[from:to])
		if err != nil {
			return false, err
		}
		fmt.Fprint(a.sys.Stderr, a.memoryLines(page))
		more := ""
		if from = to; from < len(would.IDs) {
			more = fmt.Sprintf("Enter shows more than these %d, ", from)
		}
		fmt.Fprintf(a.sys.Stderr, "This forgets %s. Type %d to forget them; %sanything else stops: ", memories(would.Count), would.Count, more)
		line, err := interruptible(ctx, func() (string, error) { return answers.ReadString('\n') })
		if ctx.Err() != nil {
			return false, err
		}
		switch said := strings.TrimSpace(strings.ToLower(line)); {
		case said == fmt.Sprint(would.Count), said == "yes":
			return true, nil
		case said == "" && err == nil && more != "":
			continue
		}
		a.note("nothing was forgotten") // no answer is no
		return false, nil
	}
}

// memoryLines shows memories with project, date and text, a line each.
func (a *app) memoryLines(found []memory.Details) string {
	var b strings.Builder
	for _, m := range found {
		head := fmt.Sprintf("  %s  %s  %s  ", memory.ShortID(m.ID), a.date(m.CreatedAt), printable(m.Project))
		text := m.Text
		if text == "" {
			text = "(" + string(m.State) + ")"
		}
		b.WriteString(head + oneLine(text, max(30, a.sys.width()-len(head))) + "\n")
	}
	return b.String()
}

func (a *app) printForgotten(res memory.ForgetReceipt, shown []memory.Details) error {
	if res.Count == 0 {
		a.note("nothing matched")
		return nil
	}
	verb := "forgot"
	if res.DryRun {
		verb = "would forget"
	}
	tail := ""
	if res.Verified && !res.Purged {
		tail = "; looked for again, and gone from database and index"
	}
	if err := a.printf("%s %s and %s%s\n", verb, memories(res.Count), plural(res.Links, "link", "links"), tail); err != nil {
		return err
	}
	if len(shown) > 0 {
		if err := a.printf("%s", a.memoryLines(shown)); err != nil {
			return err
		}
		if more := res.Count - len(shown); more > 0 {
			return a.printf("  … and %d more\n", more)
		}
		return nil
	}
	if res.Purge != nil && !res.DryRun {
		return a.printPurge(*res.Purge)
	}
	if !res.DryRun {
		a.note("to take this back: mneme undo %s", res.WorkflowID)
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
