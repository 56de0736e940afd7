package cli

import (
	"context"
	"fmt"

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
		Short: "Show all that ever happened to a memory",
		Args:  cobra.ExactArgs(1),
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
	if err := a.printf("\nChanges\n"); err != nil {
		return err
	}
	rows := make([][]string, 0, len(h.Versions))
	for _, v := range h.Versions {
		rows = append(rows, []string{"  " + a.date(v.At), v.Action, change(v), v.WorkflowID})
	}
	if err := table(a.sys.Stdout, rows); err != nil {
		return err
	}
	if err := a.printf("\nAudit\n"); err != nil {
		return err
	}
	rows = rows[:0]
	for _, e := range h.Audit {
		rows = append(rows, []string{"  " + a.date(e.At), e.Action, printable(e.User), e.WorkflowID})
	}
	return table(a.sys.Stdout, rows)
}

// change says in few words what a version changed.
func change(v memory.Version) string {
	switch {
	case v.After == nil:
		return "removed"
	case v.Before == nil:
		return fmt.Sprintf("new, %s", v.After.State)
	case v.Before.State != v.After.State:
		return fmt.Sprintf("%s → %s", v.Before.State, v.After.State)
	case v.Before.Collection != v.After.Collection:
		return fmt.Sprintf("%s → %s", v.Before.Collection, v.After.Collection)
	case v.Before.Text != v.After.Text:
		return "text changed"
	case v.Before.Confidence != v.After.Confidence:
		return fmt.Sprintf("confidence %.2f → %.2f", v.Before.Confidence, v.After.Confidence)
	default:
		return "details changed"
	}
}
