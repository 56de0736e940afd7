package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// undoer takes changes back.
type undoer interface {
	Undo(ctx context.Context, in memory.UndoInput, progress func(memory.UndoReport)) (memory.UndoReport, error)
	Changes(ctx context.Context, limit int) ([]memory.Change, error)
	Restore(ctx context.Context, id, user string) (memory.Memory, error)
}

// changesListed is how many changes "undo --list" shows.
const changesListed = 20

type undoFlags struct {
	dryRun, yes, list bool
}

func (a *app) undo() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use:   "undo [RUN | ID]",
		Short: "Take back a change: an organize run, a forget, an import, a merge, an edit, a store",
		Long: "Take back a change. RUN is the id of its workflow, which each command prints and --list shows.\n" +
			"With a memory's ID the last change of that memory is taken back, and of nothing but what was\n" +
			"merged with it. Without an argument the last change of all is shown, and taken back if you say yes.\n" +
			"\nEvery memory becomes what it was before the change: text, vector, confidence, links. This is\n" +
			"proven by comparing hashes, in the database and in the index. What was changed since is left alone\n" +
			"and named; recalls since then still count. An undo is a change too: \"mneme undo\" with its id takes it back.\n" +
			"What was purged does not come back.",
		Example: "  mneme undo\n  mneme undo --list\n  mneme undo organize/20260131T030000.000-1a2b3c4d --dry-run",
		Args:    cobra.MaximumNArgs(1),
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would come back, change nothing")
	fl.BoolVar(&f.yes, "yes", false, "do not ask")
	fl.BoolVar(&f.list, "list", false, "show the last changes and their ids")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			if f.list {
				return a.listChanges(cmd.Context(), c)
			}
			in := memory.UndoInput{DryRun: f.dryRun, User: cfg.User}
			if len(args) > 0 {
				in.Of = args[0]
			}
			return a.runUndo(cmd.Context(), c, in, f.yes)
		})
	}
	return cmd
}

func (a *app) runUndo(ctx context.Context, c Client, in memory.UndoInput, yes bool) error {
	if in.Of == "" && !in.DryRun {
		of, err := a.confirmUndo(ctx, c, in, yes)
		if err != nil || of == "" {
			return err
		}
		in.Of = of
	}
	var report memory.UndoReport
	started := ""
	err := a.patiently(ctx, c, func() (err error) {
		report, err = c.Undo(ctx, in, func(r memory.UndoReport) {
			started = r.WorkflowID
			if r.Restored > 0 {
				a.note("%s of %d brought back", memories(r.Restored), r.Change.Memories)
			}
		})
		return err
	})
	if errors.Is(err, context.Canceled) && started != "" {
		a.note("it goes on in the background as %s", started)
	}
	if err != nil {
		return err
	}
	if a.json {
		report.Left, report.Examples = list(report.Left), list(report.Examples)
		if err := a.printJSON(report); err != nil {
			return err
		}
	} else if err := a.printUndone(report); err != nil {
		return err
	}
	if report.Restored+report.Links == 0 {
		return quiet(ExitNothing)
	}
	return nil
}

// confirmUndo shows the last change and asks. It returns the id of the change
// that was shown: another one may have been made meanwhile.
func (a *app) confirmUndo(ctx context.Context, c Client, in memory.UndoInput, yes bool) (of string, err error) {
	in.DryRun = true
	report, err := c.Undo(ctx, in, nil)
	if err != nil || yes {
		return report.Change.Chain, err
	}
	if !a.sys.StdinTTY {
		return "", memory.Errorf(memory.Invalid, "see it with --dry-run, then repeat with --yes or with its id",
			"the last change is %s, and nobody is there to confirm", report.Change.WorkflowID)
	}
	if err := a.showUndo(report); err != nil {
		return "", err
	}
	sure, err := a.confirmed(ctx, "Take it back? [y/N] ")
	if err != nil {
		return "", err
	}
	if !sure {
		a.note("nothing was changed")
		return "", nil
	}
	return report.Change.Chain, nil
}

// confirmed asks a question; see isYes.
func (a *app) confirmed(ctx context.Context, question string) (bool, error) {
	fmt.Fprint(a.sys.Stderr, question)
	line, err := interruptible(ctx, func() (string, error) { return bufio.NewReader(a.sys.Stdin).ReadString('\n') })
	if ctx.Err() != nil {
		return false, err
	}
	return isYes(line), nil // an error is no answer, and no answer is no
}

// changeLine says in one line what a change was.
func (a *app) changeLine(c memory.Change) string {
	parts := []string{a.paint().bold(c.Action), a.date(c.At)}
	if c.User != "" {
		parts = append(parts, "by "+printable(c.User))
	}
	what := memories(c.Memories)
	if c.Links > 0 {
		what += " and " + plural(c.Links, "link", "links")
	}
	if c.Project != "" {
		what += " of " + printable(c.Project)
	}
	return strings.Join(append(parts, what), ", ")
}

// showUndo says what an undo would bring back.
func (a *app) showUndo(r memory.UndoReport) error {
	if err := a.printf("%s\n%s\n", a.changeLine(r.Change), a.paint().faint(r.Change.WorkflowID)); err != nil {
		return err
	}
	if r.Change.Old {
		a.note("it was made by an older release, which wrote no links and decay down: those stay as they are")
	}
	for _, x := range r.Examples {
		if err := a.printTurn(x); err != nil {
			return err
		}
	}
	if more := r.Restored - len(r.Examples); more > 0 {
		if err := a.printf("  … and %d more\n", more); err != nil {
			return err
		}
	}
	return a.printLeft(r)
}

// printTurn shows one memory before and after an undo.
func (a *app) printTurn(x memory.Undo) error {
	to := string(x.To)
	if to == "" {
		to = "not there"
	}
	turn := fmt.Sprintf("%s → %s", x.From, to)
	if x.From == x.To {
		turn = "goes back"
	}
	if err := a.printf("  %s  %s  %s\n", a.paint().bold(turn), x.ID, printable(x.Project)); err != nil {
		return err
	}
	for _, side := range []struct{ sign, text string }{{"-", x.Was}, {"+", x.Becomes}} {
		if side.text == "" || side.sign == "-" && x.Was == x.Becomes {
			continue
		}
		if err := a.printf("    %s %s\n", side.sign, oneLine(side.text, a.sys.width()-6)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printLeft(r memory.UndoReport) error {
	if r.LeftCount == 0 {
		return nil
	}
	if err := a.printf("%s left alone:\n", memories(r.LeftCount)); err != nil {
		return err
	}
	for _, l := range r.Left {
		if err := a.printf("  %s  %s: %s\n", l.ID, printable(l.Project), l.Reason); err != nil {
			return err
		}
		if l.Text == "" {
			continue
		}
		if err := a.printf("    %s\n", oneLine(l.Text, a.sys.width()-4)); err != nil {
			return err
		}
	}
	if more := r.LeftCount - len(r.Left); more > 0 {
		return a.printf("  … and %d more\n", more)
	}
	return nil
}

func (a *app) printUndone(r memory.UndoReport) error {
	if err := a.showUndo(r); err != nil {
		return err
	}
	if r.DryRun {
		a.note("dry run, nothing was changed: %s and %s would come back", memories(r.Restored), plural(r.Links, "link", "links"))
		return nil
	}
	if r.Restored+r.Links == 0 {
		a.note("nothing came back: all is as it was before the change already, was changed since, or was purged")
		return nil
	}
	if err := a.printf("took back %s and %s", memories(r.Restored), plural(r.Links, "link", "links")); err != nil {
		return err
	}
	tail := "; compared with what they were, in the database and in the index: equal"
	if !r.Verified {
		tail = "; NOT all of them are what they were: " + strings.Join(r.Differ, ", ")
	}
	if r.Carried > 0 {
		tail += fmt.Sprintf("; %d were recalled since, which still counts", r.Carried)
	}
	if r.Embedded > 0 {
		tail += fmt.Sprintf("; %d were embedded anew for the model of today", r.Embedded)
	}
	if r.LinksLeft > 0 {
		tail += "; " + plural(r.LinksLeft, "link", "links") + " to what is gone stayed away"
	}
	if err := a.printf("%s\n", tail); err != nil {
		return err
	}
	a.note("to take this back: mneme undo %s", r.WorkflowID)
	return nil
}

func (a *app) listChanges(ctx context.Context, c undoer) error {
	changes, err := c.Changes(ctx, changesListed)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(list(changes))
	}
	rows := make([][]string, 0, len(changes))
	for _, x := range changes {
		state := ""
		switch {
		case x.UndoneBy != "":
			state = "undone"
		case x.Undoes != "":
			state = "of " + x.Undoes
		}
		rows = append(rows, []string{a.date(x.At), x.Action, memories(x.Memories), printable(x.Project), x.WorkflowID, state})
	}
	if len(rows) == 0 {
		a.note("there is no change yet")
		return quiet(ExitNothing)
	}
	return table(a.sys.Stdout, rows)
}

func (a *app) restore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID…",
		Short: "Bring back memories that were forgotten, pruned, merged away or that expired",
		Long: "Bring back memories by their ids, each as it was when it was last there. Where one was merged\n" +
			"into another, that one stays as it is. \"mneme undo\" takes whole changes back.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			for _, id := range ids {
				if err := memory.CheckRef(id); err != nil {
					return err
				}
			}
			return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
				return a.runRestore(cmd.Context(), c, cfg.User, ids)
			})
		},
	}
}

func (a *app) runRestore(ctx context.Context, c undoer, user string, ids []string) error {
	done := make([]memory.Memory, 0, len(ids))
	for _, id := range ids {
		m, err := c.Restore(ctx, id, user)
		if err != nil {
			return err
		}
		m.Tags = list(m.Tags)
		done = append(done, m)
		if a.json {
			continue
		}
		if err := a.printf("restored  %s  %s\n", m.ID, oneLine(m.Text, a.sys.width()-len(m.ID)-12)); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(done)
	}
	return nil
}
