package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
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
	for _, line := range differences(v) {
		if err := a.printf("%s\n", wrap(line, a.sys.width(), "    ")); err != nil {
			return err
		}
	}
	return nil
}

// differences says in lines what a version changed.
func differences(v memory.Version) []string {
	switch {
	case v.After == nil:
		return []string{"removed"}
	case v.Before == nil:
		return []string{string(v.After.State) + ": " + v.After.Text}
	}
	b, c := *v.Before, *v.After
	var out []string
	changed := func(what string, from, to any) {
		if f, t := fmt.Sprint(from), fmt.Sprint(to); f != t {
			out = append(out, fmt.Sprintf("%s: %s → %s", what, orText(f, "none"), orText(t, "none")))
		}
	}
	switch {
	case b.State != c.State && c.MergedInto != "":
		out = append(out, fmt.Sprintf("%s → merged into %s", b.State, c.MergedInto))
	case b.State != c.State:
		out = append(out, fmt.Sprintf("%s → %s", b.State, c.State))
	}
	switch {
	case b.Text == "" && c.Text != "":
		out = append(out, c.Text)
	case b.Text != c.Text && c.Text != "":
		out = append(out, wordDiff(b.Text, c.Text))
	}
	changed("collection", b.Collection, c.Collection)
	changed("type", b.Type, c.Type)
	changed("tags", strings.Join(b.Tags, ","), strings.Join(c.Tags, ","))
	changed("importance", b.Importance, c.Importance)
	changed("pinned", b.Pinned, c.Pinned)
	changed("confidence", fmt.Sprintf("%.2f", b.Confidence), fmt.Sprintf("%.2f", c.Confidence))
	changed("from", b.SourceRef, c.SourceRef)
	changed("model", b.Model, c.Model)
	if len(out) == 0 {
		out = append(out, "details changed")
	}
	return out
}
