package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// getter returns memories by id.
type getter interface {
	Get(ctx context.Context, ids []string) ([]memory.Details, error)
}

// resolver finds the ids whose beginnings were given.
type resolver interface {
	Resolve(ctx context.Context, refs []string) ([]string, error)
}

func (a *app) get() *cobra.Command {
	said := false
	cmd := &cobra.Command{
		Use:     "get ID…",
		Short:   "Show memories in full, with their links",
		Aliases: []string{"show"},
		Args:    cobra.MinimumNArgs(1),
	}
	cmd.Flags().BoolVar(&said, "context", false,
		"also what was said when it was made, if that conversation is archived")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		for _, id := range ids {
			if err := memory.CheckRef(id); err != nil {
				return err
			}
		}
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			found, err := c.Get(cmd.Context(), ids)
			if err != nil {
				return err
			}
			if said {
				return a.printContexts(cmd.Context(), c, ids, found)
			}
			return a.paged(cmd.Context(), func() error { return a.printDetails(ids, found) })
		})
	}
	return cmd
}

func (a *app) printDetails(ids []string, found []memory.Details) error {
	var seen []string
	for i := range found {
		found[i].Tags, found[i].Links = list(found[i].Tags), list(found[i].Links)
		seen = append(append(seen, found[i].ID), found[i].StandsFor...)
		for _, id := range found[i].StandsFor {
			a.note("memory %s was merged into %s", memory.ShortID(id), memory.ShortID(found[i].ID))
		}
	}
	if a.json {
		if err := a.printJSON(list(found)); err != nil {
			return err
		}
	}
	for i, d := range found {
		if a.json {
			break
		}
		if i > 0 {
			if err := a.printf("\n"); err != nil {
				return err
			}
		}
		if err := a.printMemory(d.Memory, d.Links); err != nil {
			return err
		}
		for _, by := range d.SupersededBy {
			if err := a.printf("superseded by %s\n", memory.ShortID(by)); err != nil {
				return err
			}
		}
	}
	missing := 0
	for _, id := range ids {
		if !slices.ContainsFunc(seen, func(one string) bool { return memory.Names(id, one) }) {
			missing++
			a.note("there is no memory %s", id)
		}
	}
	if missing > 0 {
		return quiet(ExitNothing)
	}
	return nil
}

func (a *app) printMemory(m memory.Memory, links []memory.Link) error {
	p := a.paint()
	used := fmt.Sprintf("%s, last %s", plural(m.AccessCount, "time", "times"), a.date(m.LastAccessed))
	rows := [][]string{
		{"id", m.ID},
		{"state", string(m.State)},
		{"collection", m.Collection},
		{"project", printable(m.Project)},
		{"type", m.Type},
		{"tags", printable(strings.Join(m.Tags, ", "))},
		{"confidence", fmt.Sprintf("%.2f", m.Confidence)},
		{"importance", fmt.Sprintf("%.2f", m.Importance)},
		{"created", a.date(m.CreatedAt)},
		{"recalled", used},
		{"source", m.Source},
	}
	if m.SourceRef != "" {
		rows = append(rows, []string{"from", printable(m.SourceRef)})
	}
	if m.Pinned {
		rows = append(rows, []string{"pinned", "yes"})
	}
	if m.ExpiresAt != nil {
		rows = append(rows, []string{"expires", a.date(*m.ExpiresAt)})
	}
	if m.Session != "" {
		rows = append(rows, []string{"session", fmt.Sprintf("%s, place %d", printable(m.Session), m.Position)})
	}
	if err := a.printf("%s\n\n", p.bold(wrap(m.Text, a.sys.width(), ""))); err != nil {
		return err
	}
	if err := table(a.sys.Stdout, rows); err != nil {
		return err
	}
	for _, l := range links {
		line := fmt.Sprintf("%s %s", l.Type, memory.ShortID(l.TargetID))
		if l.TargetID == m.ID {
			line = fmt.Sprintf("is what %s %s", memory.ShortID(l.SourceID), l.Type)
		}
		if err := a.printf("link        %s\n", line); err != nil {
			return err
		}
	}
	return nil
}
