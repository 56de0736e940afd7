package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/difference"
	"github.com/mneme-memory/mneme/memory"
)

// historian tells everything that happened to a memory.
type historian interface {
	History(ctx context.Context, id string) (memory.History, error)
}

func (a *app) history() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "Show a memory's life: what changed when, by whom and why",
		Long: "Show a memory's life, oldest first: each change with its date, who asked for it and the workflow\n" +
			"that made it. Of a text, [-these words went-] and {+these came+}. \"mneme undo\" with the id of\n" +
			"a workflow takes its change back.",
		Args: cobra.ExactArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := memory.CheckRef(args[0]); err != nil {
			return err
		}
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			h, err := c.History(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if a.json {
				h.Memory.Tags, h.Versions, h.Audit = list(h.Memory.Tags), list(h.Versions), list(h.Audit)
				return a.printJSON(h)
			}
			return a.paged(cmd.Context(), func() error { return a.printHistory(h) })
		})
	}
	return cmd
}

func (a *app) printHistory(h memory.History) error {
	if err := a.printMemory(h.Memory, nil); err != nil {
		return err
	}
	if err := a.printf("\nIts life\n"); err != nil {
		return err
	}
	users := map[string]string{} // by workflow and step
	for _, e := range h.Audit {
		users[e.WorkflowID+" "+e.Step] = e.User
	}
	for _, v := range h.Versions {
		if err := a.printVersion(v, users[v.WorkflowID+" "+v.Step]); err != nil {
			return err
		}
	}
	counted := map[string]int{}
	var order []string
	for _, e := range h.Audit {
		if !inVersions(h.Versions, e) {
			if counted[e.Action] == 0 {
				order = append(order, e.Action)
			}
			counted[e.Action]++
		}
	}
	if len(order) == 0 {
		return nil
	}
	parts := make([]string, len(order))
	for i, action := range order {
		parts[i] = fmt.Sprintf("%s %d×", action, counted[action])
	}
	return a.printf("\nBeside these: %s\n", printable(strings.Join(parts, ", ")))
}

// inVersions reports whether a version tells of an audit row's change.
func inVersions(versions []memory.Version, e memory.Audit) bool {
	for _, v := range versions {
		if v.WorkflowID == e.WorkflowID && v.RunID == e.RunID && strings.HasPrefix(v.Step, e.Step) {
			return true
		}
	}
	return false
}

// printVersion shows one change: when, what, by whom and why, then the differences.
func (a *app) printVersion(v memory.Version, user string) error {
	head := fmt.Sprintf("  %s  %s", a.date(v.At), a.paint().bold(printable(v.Action)))
	if user != "" {
		head += "  by " + printable(user)
	}
	if err := a.printf("%s  %s\n", head, a.paint().faint(printable(v.WorkflowID))); err != nil {
		return err
	}
	for _, line := range difference.Of(v) {
		if err := a.printf("%s\n", wrap(lineText(line), a.sys.width(), "    ")); err != nil {
			return err
		}
	}
	return nil
}

// diffText writes what became of a text as one line.
func diffText(before, after string) string { return piecesText(difference.Words(before, after)) }

// piecesText puts [-removed words-] and {+added words+} between the unchanged ones.
func piecesText(pieces []difference.Piece) string {
	words := make([]string, len(pieces))
	for i, p := range pieces {
		switch p.Op {
		case difference.Removed:
			words[i] = "[-" + p.Text + "-]"
		case difference.Added:
			words[i] = "{+" + p.Text + "+}"
		case difference.Kept:
			words[i] = p.Text
		}
	}
	return strings.Join(words, " ")
}

// lineText writes a change as a line.
func lineText(l difference.Line) string {
	text := piecesText(l.Pieces)
	switch {
	case l.What != "":
		return fmt.Sprintf("%s: %s → %s", l.What, l.From, l.To)
	case l.From != "":
		return fmt.Sprintf("%s → %s", l.From, l.To)
	case l.To != "" && text != "":
		return l.To + ": " + text
	default:
		return l.To + text
	}
}
