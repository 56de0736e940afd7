package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// listFlags are those of "mneme list".
type listFlags struct {
	where                          whereFlags
	since, before, session, source string
	collections, types, tags       []string
	sort                           string
	limit                          int
}

// whereFlags say of which projects.
type whereFlags struct {
	project     string
	global, all bool
}

func (w *whereFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&w.project, "project", "", "project (default: that of the current folder, and _global)")
	fl.BoolVar(&w.global, "global", false, "only what holds everywhere")
	fl.BoolVar(&w.all, "all-projects", false, "every project")
}

// projects are the projects to list; none means all.
func (a *app) projects(cfg config.Config, w whereFlags) ([]string, error) {
	if w.all && (w.project != "" || w.global) {
		return nil, memory.Errorf(memory.Invalid, "choose one", "--all-projects excludes --project and --global")
	}
	if w.all {
		return nil, nil
	}
	name, err := a.project(cfg, w.project, w.global)
	if err != nil {
		return nil, err
	}
	if w.project != "" || name == memory.Global {
		return []string{name}, nil
	}
	return memory.Query{Project: name}.Projects(), nil
}

func (a *app) list() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Look at what is remembered",
		Long: "List memories, newest first, one on a line. \"mneme show ID\" shows one in full,\n" +
			"\"mneme recall\" finds by meaning. Exit code 3 if there are none.",
		Example: "  mneme list --since 7d\n  mneme list --all-projects --tags db --sort used --limit 50",
		Args:    cobra.NoArgs,
	}
	f.where.add(cmd)
	fl := cmd.Flags()
	fl.StringArrayVar(&f.collections, "collection", nil, "collections, with commas or repeated (default all)")
	fl.StringArrayVar(&f.types, "type", nil, "types, any of them")
	fl.StringArrayVar(&f.tags, "tags", nil, "tags, all of them")
	fl.StringVar(&f.since, "since", "", "created at or after this date, such as 2026-01-31, 7d or \"last week\"")
	fl.StringVar(&f.before, "before", "", "created before this date")
	fl.StringVar(&f.session, "session", "", "said in this session")
	fl.StringVar(&f.source, "source", "", "how they came: "+strings.Join(memory.Sources(), ", "))
	fl.StringVar(&f.sort, "sort", memory.SortNewest, "one of "+strings.Join(memory.Sorts(), ", "))
	fl.IntVar(&f.limit, "limit", 20, "how many at most")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		page, err := a.listPage(cfg, f)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			found, err := listUpTo(cmd.Context(), c, page, f.limit)
			if err != nil {
				return err
			}
			return a.paged(cmd.Context(), func() error { return a.printList(found, f) })
		})
	}
	return cmd
}

func (a *app) listPage(cfg config.Config, f listFlags) (memory.Page, error) {
	p := memory.Page{
		Collections: split(f.collections), Types: split(f.types), Tags: split(f.tags), Session: f.session, Sort: f.sort,
	}
	if f.limit < 1 {
		return p, memory.Errorf(memory.Invalid, "leave it out for 20", "limit must be 1 or more, got %d", f.limit)
	}
	var err error
	if p.Source, err = sourceOf(f.source); err != nil {
		return p, err
	}
	if p.Projects, err = a.projects(cfg, f.where); err != nil {
		return p, err
	}
	if p.Since, err = a.dateFlag("since", f.since); err != nil {
		return p, err
	}
	if p.Before, err = a.dateFlag("before", f.before); err != nil {
		return p, err
	}
	_, err = p.Clean()
	return p, err // as it came: the client redacts before tags are in lower case
}

// sourceOf reads a flag; mcp is what the tools are called where they are configured.
func sourceOf(flag string) (string, error) {
	if flag == "mcp" {
		return memory.SourceTool, nil
	}
	for _, s := range append(memory.Sources(), "") {
		if s == flag {
			return s, nil
		}
	}
	return "", memory.Errorf(memory.Invalid, "use one of "+strings.Join(memory.Sources(), ", "), "there is no source %q", oneLine(flag, 60))
}

// listUpTo reads pages until there are limit memories or no more.
func listUpTo(ctx context.Context, c lister, page memory.Page, limit int) ([]memory.Memory, error) {
	var out []memory.Memory
	for len(out) < limit {
		page.Skip, page.Limit = len(out), limit-len(out)
		found, err := c.List(ctx, page)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return out, nil
		}
		out = append(out, found...)
	}
	return out, nil
}

func (a *app) printList(found []memory.Memory, f listFlags) error {
	for i := range found {
		found[i].Tags = list(found[i].Tags)
	}
	if a.json {
		if err := a.printJSON(list(found)); err != nil {
			return err
		}
	}
	if len(found) == 0 {
		if !a.json {
			a.note("there is nothing of this kind; --all-projects looks everywhere")
		}
		return quiet(ExitNothing)
	}
	if a.json {
		return nil
	}
	p := a.paint()
	for _, m := range found {
		about := m.Type
		if f.where.all || m.Project == memory.Global {
			about += ", " + printable(m.Project)
		}
		if len(m.Tags) > 0 {
			about += ", #" + printable(strings.Join(m.Tags, " #"))
		}
		day := m.CreatedAt.In(a.sys.location()).Format("2006-01-02")
		room := a.sys.width() - memory.ShortLen - len(day) - 4
		if err := a.printf("%s  %s  %s\n%s\n", p.bold(memory.ShortID(m.ID)), day, p.faint(oneLine(about, room)),
			"    "+oneLine(m.Text, a.sys.width()-4)); err != nil {
			return err
		}
	}
	if len(found) == f.limit {
		a.note("the first %d; --limit shows more", f.limit)
	}
	return nil
}
