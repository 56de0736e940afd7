package cli

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// censor counts what there is.
type censor interface {
	Census(ctx context.Context, in memory.CensusInput) (memory.Census, error)
}

func (a *app) tags() *cobra.Command {
	var w whereFlags
	var limit int
	cmd := &cobra.Command{
		Use:   "tags",
		Short: "Show which tags are used, and how often",
		Args:  cobra.NoArgs,
	}
	w.add(cmd)
	cmd.Flags().IntVar(&limit, "limit", 50, fmt.Sprintf("how many at most, 1 to %d", memory.MaxTallies))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit < 1 || limit > memory.MaxTallies {
			return memory.Errorf(memory.Invalid, "leave it out for 50", "limit must be 1 to %d, got %d", memory.MaxTallies, limit)
		}
		return a.census(cmd.Context(), w, func(_ config.Config, c memory.Census) error {
			tags := list(c.Tags[:min(limit, len(c.Tags))])
			if a.json {
				if err := a.printJSON(tags); err != nil {
					return err
				}
			} else if err := table(a.sys.Stdout, tallyRows("", tags)); err != nil {
				return err
			}
			if len(tags) == 0 {
				return quiet(ExitNothing)
			}
			return nil
		})
	}
	return cmd
}

func (a *app) stats() *cobra.Command {
	var w whereFlags
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count what is remembered: by type, collection, project and month",
		Long:  "Count what is remembered, and what it takes on disk. Growth is by the month in which a memory arrived.",
		Args:  cobra.NoArgs,
	}
	w.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.census(cmd.Context(), w, a.printStats)
	}
	return cmd
}

// census asks for the projects that w names.
func (a *app) census(ctx context.Context, w whereFlags, then func(config.Config, memory.Census) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	projects, err := a.projects(cfg, w)
	if err != nil {
		return err
	}
	return a.with(ctx, func(_ config.Config, c Client) error {
		counted, err := c.Census(ctx, memory.CensusInput{Projects: projects})
		if err != nil {
			return err
		}
		return a.paged(ctx, func() error { return then(cfg, counted) })
	})
}

// censusJSON is the --json output of stats.
type censusJSON struct {
	memory.Census
	Total  int              `json:"total"`
	Folder map[string]int64 `json:"folder"` // bytes of the data folder's parts
}

func (a *app) printStats(cfg config.Config, c memory.Census) error {
	out := censusJSON{Census: c, Folder: folderSizes(cfg.Home)}
	for _, t := range c.Types {
		out.Total += t.Count
	}
	if a.json {
		out.Types, out.Collections, out.Projects = list(out.Types), list(out.Collections), list(out.Projects)
		out.Tags, out.Growth = list(out.Tags), list(out.Growth)
		return a.printJSON(out)
	}
	const mostProjects = 15
	rows := [][]string{{"Memories", fmt.Sprint(out.Total)}}
	rows = append(rows, tallyRows("By type", c.Types)...)
	rows = append(rows, tallyRows("By collection", c.Collections)...)
	rows = append(rows, tallyRows("By project", c.Projects[:min(mostProjects, len(c.Projects))])...)
	if len(c.Growth) > 0 {
		rows = append(rows, []string{"", ""}, []string{"Arrived", ""})
		for _, m := range c.Growth {
			rows = append(rows, []string{"  " + m.From.Format("2006-01"), fmt.Sprint(m.Count)})
		}
	}
	rows = append(rows, []string{"", ""}, []string{"On disk", ""}, []string{"  database (of all projects)", humanize.Bytes(uint64(max(0, c.Bytes)))})
	total := int64(0)
	for _, n := range out.Folder {
		total += n
	}
	rows = append(rows, []string{"  data folder " + cfg.Home, humanize.Bytes(uint64(total))})
	return table(a.sys.Stdout, rows)
}

// tallyRows are the rows of a table, under a heading if there is one.
func tallyRows(heading string, tallies []memory.Tally) [][]string {
	var rows [][]string
	indent := ""
	if heading != "" && len(tallies) > 0 {
		rows, indent = append(rows, []string{"", ""}, []string{heading, ""}), "  "
	}
	for _, t := range tallies {
		rows = append(rows, []string{indent + printable(t.Name), fmt.Sprint(t.Count)})
	}
	return rows
}

// folderSizes adds up the files of the data folder by its first level. What
// cannot be read, or goes while it is counted, is left out.
func folderSizes(home string) map[string]int64 {
	sizes := map[string]int64{}
	_ = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error { // no error is returned below
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // it is left out
		}
		if info, err := d.Info(); err == nil {
			rest, _ := filepath.Rel(home, path)
			part, _, _ := strings.Cut(filepath.ToSlash(rest), "/")
			sizes[part] += info.Size()
		}
		return nil
	})
	return sizes
}
