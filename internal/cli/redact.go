package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// redacter redacts everything that is stored.
type redacter interface {
	RedactEverything(
		ctx context.Context, in memory.RedactInput, progress func(memory.RedactReport),
	) (memory.RedactReport, error)
}

type redactFlags struct {
	dryRun, yes, noProject, again bool
	verify                        string
}

func (a *app) redact() *cobra.Command {
	var f redactFlags
	cmd := &cobra.Command{
		Use:   "redact",
		Short: "Take out of everything stored what today's privacy rules find",
		Long: "Redact everything that is stored with the rules of today: those that mneme has, those of your\n" +
			"~/.claude/CLAUDE.md, and for what is of the current project those of its CLAUDE.md files. What the rules\n" +
			"allow stays. First it is shown what would change, and you are asked.\n" +
			"\nMemories are rewritten: texts, tags, names of projects and sessions. They keep their ids, links and\n" +
			"confidence, and earlier versions are rewritten too. So are the archive of conversations, pinned\n" +
			"questions, the audit, sessions and what hooks have waiting. Lines of logs are blanked, and histories of\n" +
			"Temporal deleted. Then mneme looks everywhere for what was taken out, and writes a receipt, as\n" +
			"\"mneme forget --purge\" does: --verify looks again, and with --again also takes away again.\n" +
			"\nThere is no way back: \"mneme undo\" cannot bring a secret back. A secret that was stored should be\n" +
			"changed where it opens something: transcripts and backups may still hold it.",
		Example: "  mneme redact --dry-run\n  mneme redact\n  mneme redact --verify ~/.mneme/purges/redact-20260131T030000.000-1a2b3c4d.json",
		Args:    cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.dryRun, "dry-run", false, "show what would be redacted, change nothing")
	fl.BoolVar(&f.yes, "yes", false, "do not ask")
	fl.BoolVar(&f.noProject, "no-project", false, "leave out the rules of the current folder's project")
	fl.StringVar(&f.verify, "verify", "", "look again for what a redaction took out, by its receipt")
	fl.BoolVar(&f.again, "again", false, "with --verify: take away again what is found in files and histories")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case f.verify != "" && (f.dryRun || f.yes || f.noProject):
			return memory.Errorf(memory.Invalid, "give the receipt alone, or with --again", "--verify redacts no memory")
		case f.verify != "":
			return a.lookAgain(cmd.Context(), f.verify, f.again)
		case f.again:
			return memory.Errorf(memory.Invalid, "give --verify RECEIPT", "--again is for a receipt")
		}
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			in := memory.RedactInput{User: cfg.User}
			project, err := a.project(cfg, "", false)
			if err != nil {
				return err
			}
			if !f.noProject && project != memory.Global {
				in.Dir, in.Project = a.sys.Dir, project
			}
			return a.runRedact(cmd.Context(), c, in, f)
		})
	}
	return cmd
}

func (a *app) runRedact(ctx context.Context, c Client, in memory.RedactInput, f redactFlags) error {
	if f.dryRun || !f.yes {
		look := in
		look.DryRun = true
		would, err := a.redactWith(ctx, c, look)
		if err != nil {
			return err
		}
		if f.dryRun || would.Total() == 0 {
			return a.showRedaction(would)
		}
		sure, err := a.confirmRedaction(ctx, would)
		if err != nil || !sure {
			return err
		}
	}
	report, err := a.redactWith(ctx, c, in)
	if err != nil {
		return err
	}
	return a.showRedaction(report)
}

// redactWith redacts, and says meanwhile what is being done.
func (a *app) redactWith(ctx context.Context, c Client, in memory.RedactInput) (memory.RedactReport, error) {
	var out memory.RedactReport
	started, stage := "", ""
	err := a.patiently(ctx, c, func() (err error) {
		out, err = c.RedactEverything(ctx, in, func(now memory.RedactReport) {
			started = now.WorkflowID
			if now.Stage != "" && now.Stage != stage {
				stage = now.Stage
				a.note("%s", stage)
			}
		})
		return err
	})
	if errors.Is(err, context.Canceled) && started != "" && !in.DryRun {
		a.note("it goes on in the background as %s; its receipt will be in the folder purges of mneme's home", started)
	}
	return out, err
}

func (a *app) confirmRedaction(ctx context.Context, would memory.RedactReport) (bool, error) {
	if !a.sys.StdinTTY {
		return false, memory.Errorf(memory.Invalid, "see it with --dry-run, then repeat with --yes",
			"this redacts %s and more, and nobody is there to confirm", memories(would.Memories))
	}
	fmt.Fprint(a.sys.Stderr, a.redactionText(would))
	sure, err := a.confirmed(ctx, "There is no way back. Redact all this? [y/N] ")
	if err == nil && !sure {
		a.note("nothing was redacted")
	}
	return sure, err
}

// showRedaction prints a report; the exit code says whether something is still there.
func (a *app) showRedaction(r memory.RedactReport) error {
	purge := memory.PurgeReport{}
	if r.Purge != nil {
		purge = *r.Purge
	}
	if a.json {
		r.Examples = list(r.Examples)
		purge.Places, purge.Found = list(purge.Places), list(purge.Found)
		r.Purge = &purge
		if err := a.printJSON(r); err != nil {
			return err
		}
	} else if err := a.printRedaction(r, purge); err != nil {
		return err
	}
	switch {
	case r.Total() == 0:
		return quiet(ExitNothing)
	case !purge.Clean():
		return quiet(ExitUnexpected)
	}
	return nil
}

func (a *app) printRedaction(r memory.RedactReport, purge memory.PurgeReport) error {
	if r.Total() == 0 {
		a.note("today's rules find nothing in what is stored")
		return nil
	}
	if err := a.printf("%s", a.redactionText(r)); err != nil || r.DryRun {
		return err
	}
	return a.printPurge(purge)
}

// redactionText says what was or would be redacted.
func (a *app) redactionText(r memory.RedactReport) string {
	var b strings.Builder
	verb := "redacted"
	if r.DryRun {
		verb = "would redact"
	}
	var kinds []string
	for kind, n := range r.Kinds {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(kinds)
	tail := ""
	if len(kinds) > 0 {
		tail = ": " + strings.Join(kinds, ", ")
	}
	fmt.Fprintf(&b, "%s %s%s\n", verb, memories(r.Memories), printable(tail))
	if r.Merged > 0 {
		fmt.Fprintf(&b, "  %s said the same afterwards and merged\n", memories(r.Merged))
	}
	for _, e := range r.Examples {
		head := fmt.Sprintf("  %s  %s  ", memory.ShortID(e.ID), printable(e.Project))
		b.WriteString(head + oneLine(e.Text, max(30, a.sys.width()-len(head))) + "\n")
	}
	if more := r.Memories - len(r.Examples); r.DryRun && more > 0 {
		fmt.Fprintf(&b, "  … and %d more\n", more)
	}
	if r.DryRun && r.Purge != nil {
		if swept := sweptText(r.Purge.Swept); swept != "" {
			fmt.Fprintf(&b, "  and %s\n", swept)
		}
	}
	return b.String()
}
