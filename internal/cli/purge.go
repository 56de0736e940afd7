package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// purger takes texts from everywhere, and looks for them again.
type purger interface {
	Purge(ctx context.Context, in memory.ForgetInput, progress func(memory.ForgetReceipt)) (memory.ForgetReceipt, error)
	VerifyPurge(
		ctx context.Context, in memory.VerifyInput, progress func(memory.PurgeReport),
	) (memory.PurgeReport, error)
}

// forgetOrPurge forgets, and says meanwhile what a purge is doing.
func (a *app) forgetOrPurge(ctx context.Context, c shower, in memory.ForgetInput) (memory.ForgetReceipt, error) {
	if !in.Purge || in.DryRun {
		return c.Forget(ctx, in)
	}
	var out memory.ForgetReceipt
	started, stage := "", ""
	err := a.patiently(ctx, c, func() (err error) {
		out, err = c.Purge(ctx, in, func(now memory.ForgetReceipt) {
			started = now.WorkflowID
			if now.Purge != nil && now.Purge.Stage != stage {
				stage = now.Purge.Stage
				a.note("%s", stage)
			}
		})
		return err
	})
	if errors.Is(err, context.Canceled) && started != "" {
		a.note("it goes on in the background as %s; its receipt will be in the folder purges of mneme's home", started)
	}
	return out, err
}

// verifyPurge looks again for what a purge took.
func (a *app) verifyPurge(cmd *cobra.Command, f forgetFlags, args []string) error {
	given := len(args) > 0
	for _, name := range []string{
		"tags", "before", "since", "query", "project",
		"all-projects", "collection", "type", "dry-run", "yes",
	} {
		given = given || cmd.Flags().Changed(name)
	}
	if given {
		return memory.Errorf(memory.Invalid, "give the receipt alone, or with --purge",
			"--verify looks for what a purge took and forgets no memory")
	}
	return a.lookAgain(cmd.Context(), f.verify, f.purge)
}

// lookAgain looks for what a receipt says was taken away, and with again takes it away first.
func (a *app) lookAgain(ctx context.Context, receipt string, again bool) error {
	path, err := filepath.Abs(receipt)
	if err != nil {
		return memory.Errorf(memory.Invalid, "", "find the receipt: %w", err)
	}
	return a.with(ctx, func(_ config.Config, c Client) error {
		var report memory.PurgeReport
		stage := ""
		err := a.patiently(ctx, c, func() (err error) {
			report, err = c.VerifyPurge(ctx, memory.VerifyInput{Receipt: path, Again: again}, func(now memory.PurgeReport) {
				if now.Stage != stage {
					stage = now.Stage
					a.note("%s", stage)
				}
			})
			return err
		})
		if err != nil {
			return err
		}
		if a.json {
			report.Places, report.Found = list(report.Places), list(report.Found)
			err = a.printJSON(report)
		} else {
			err = a.printPurge(report)
		}
		if err == nil && !report.Clean() {
			return quiet(ExitUnexpected)
		}
		return err
	})
}

// printPurge tells where the texts were looked for and what was found. It claims
// nothing else.
func (a *app) printPurge(r memory.PurgeReport) error {
	if swept := sweptText(r.Swept); swept != "" {
		if err := a.printf("  cleaned %s\n", swept); err != nil {
			return err
		}
	}
	for _, p := range r.Places {
		if err := a.printf(
			"  looked through %d %s of %s (%s)\n", p.Count, p.What, printable(p.Place), size(p.Bytes),
		); err != nil {
			return err
		}
	}
	if err := a.printf("%s\n", purgeSummary(r)); err != nil {
		return err
	}
	for _, t := range r.Found {
		if err := a.printf("  %s in %s\n", traceText(t), printable(t.Place)); err != nil {
			return err
		}
		if t.Hint != "" {
			if err := a.printf("    %s\n", printable(t.Hint)); err != nil {
				return err
			}
		}
	}
	if r.More > 0 {
		if err := a.printf("  … and %d more\n", r.More); err != nil {
			return err
		}
	}
	a.purgeNotes(r)
	return a.printf("receipt: %s\n", printable(r.Receipt))
}

// traceText names what was found.
func traceText(t memory.Trace) string {
	switch {
	case t.ID == "":
		return "something that was redacted is"
	case t.Whole:
		return "the text of memory " + memory.ShortID(t.ID) + " is"
	default:
		return "words of memory " + memory.ShortID(t.ID) + " are"
	}
}

// sweptText names what was taken away or changed besides memories.
func sweptText(s memory.Swept) string {
	var parts []string
	for _, one := range []struct {
		n         int
		one, many string
	}{
		{s.Versions, "earlier version", "earlier versions"},
		{s.Messages, "archived message", "archived messages"},
		{s.Questions, "pinned question", "pinned questions"},
		{s.Plans, "plan of organize", "plans of organize"},
		{s.AuditRows, "row of the audit", "rows of the audit"},
		{s.Histories, "history of Temporal", "histories of Temporal"},
		{s.Spooled, "waiting request of a hook", "waiting requests of hooks"},
		{s.Sessions, "session", "sessions"},
		{s.LogLines, "line of a log", "lines of logs"},
		{s.Files, "file", "files"},
	} {
		if one.n > 0 {
			parts = append(parts, plural(one.n, one.one, one.many))
		}
	}
	return strings.Join(parts, ", ")
}

func purgeSummary(r memory.PurgeReport) string {
	texts := plural(r.Texts, "text", "texts")
	if r.Texts == 0 {
		return "there was no text to look for: it was purged before, and the receipt of then finds it (mneme forget --verify)"
	}
	if !r.Clean() {
		return fmt.Sprintf("%s: NOT all of it is gone, %s still there",
			texts, plural(len(r.Found)+r.More, "trace is", "traces are"))
	}
	return texts + ": found nowhere there"
}

// purgeNotes says what was not looked at, or cannot be told.
func (a *app) purgeNotes(r memory.PurgeReport) {
	if n := len(r.Kept) + r.KeptMore; n > 0 {
		a.note("some of the words are also in %s that %s: mneme show %s", plural(n, "other memory", "other memories"),
			map[bool]string{true: "stays", false: "stay"}[n == 1], memory.ShortID(r.Kept[0]))
	}
	if r.Short > 0 {
		a.note("%s too short to be looked for in files: fewer than 8 letters", plural(r.Short, "text is", "texts are"))
	}
	for _, u := range r.Unreached {
		a.note("not searched: %s, until %s", printable(u.What), printable(u.Until))
	}
}
