package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// exportPage is how many memories are read at once: as many as one call gives with their links.
const exportPage = memory.MaxLimit

func (a *app) export() *cobra.Command {
	var page memory.Page
	var output string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write all live memories as JSON lines",
		Long: "Write all live memories as JSON lines, to stdout or to a file that only you can read.\n" +
			"A line has every field of a memory, its links, its confidence and its counters, and\n" +
			"\"mneme import\" reads all of them again, here or in another home. Versions and the audit are\n" +
			"only in what \"mneme backup\" writes.",
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVarP(&output, "output", "o", "", "file to write, replaced in one step (default stdout)")
	fl.StringVar(&page.Project, "project", "", "project (default all)")
	fl.StringVar(&page.Collection, "collection", "", "collection (default all)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		check := memory.OrganizeInput{Project: page.Project}
		if page.Collection != "" {
			check.Collections = []string{page.Collection}
		}
		if _, err := check.Clean(); err != nil {
			return err
		}
		page.Limit = exportPage
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			n, err := a.exportTo(cmd.Context(), c, page, output)
			if err != nil {
				return err
			}
			a.note("exported %s", memories(n))
			return nil
		})
	}
	return cmd
}

// lister pages through all memories.
type lister interface {
	List(ctx context.Context, page memory.Page) ([]memory.Memory, error)
}

// exporter pages through all memories, and reads their links and counters.
type exporter interface {
	lister
	getter
}

func (a *app) exportTo(ctx context.Context, c exporter, page memory.Page, output string) (int, error) {
	if output == "" || output == "-" {
		return writeExport(ctx, c, page, a.sys.Stdout)
	}
	if !filepath.IsAbs(output) {
		output = filepath.Join(a.sys.Dir, output)
	}
	tmp, err := renameio.NewPendingFile(output, renameio.WithTempDir(filepath.Dir(output))) // mode 0600
	if err != nil {
		return 0, memory.Errorf(memory.Invalid, "give a file in a folder you may write to", "write export: %w", err)
	}
	defer tmp.Cleanup() //nolint:errcheck // gone already when all went well
	n, err := writeExport(ctx, c, page, tmp)
	if err != nil {
		return n, err
	}
	if err := tmp.CloseAtomicallyReplace(); err != nil {
		return n, fmt.Errorf("write export: %w", err)
	}
	return n, nil
}

func writeExport(ctx context.Context, c exporter, page memory.Page, w io.Writer) (int, error) {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 0; ; {
		found, err := c.List(ctx, page)
		if err != nil {
			return n, err
		}
		if len(found) > 0 {
			written, err := writePage(ctx, c, found, enc)
			if n += written; err != nil {
				return n, err
			}
		}
		// An empty page and not a short one is the end: a server may give
		// smaller pages than were asked for.
		if len(found) == 0 {
			return n, out.Flush()
		}
		page.After = found[len(found)-1].ID
	}
}

// writePage writes the memories of a page that are still live, with their links.
func writePage(ctx context.Context, c getter, page []memory.Memory, enc *json.Encoder) (int, error) {
	ids := make([]string, len(page))
	for i, m := range page {
		ids[i] = m.ID
	}
	n := 0
	for part := range slices.Chunk(ids, memory.MaxLimit) { // a server may give larger pages than were asked for
		found, err := c.Get(ctx, part)
		if err != nil {
			return n, err
		}
		for _, d := range found {
			if d.State != memory.Live || !slices.Contains(part, d.ID) {
				continue // forgotten or merged meanwhile
			}
			if err := enc.Encode(exportLine(d)); err != nil {
				return n, fmt.Errorf("write export: %w", err)
			}
			n++
		}
	}
	return n, nil
}
