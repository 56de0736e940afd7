package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

const exportPage = 200

func (a *app) export() *cobra.Command {
	var page memory.Page
	var output string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write all live memories as JSON lines",
		Long:  "Write all live memories as JSON lines, to stdout or to a file that only you can read.\n\"mneme import\" reads them again.",
		Args:  cobra.NoArgs,
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

func (a *app) exportTo(ctx context.Context, c lister, page memory.Page, output string) (int, error) {
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

func writeExport(ctx context.Context, c lister, page memory.Page, w io.Writer) (int, error) {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 0; ; {
		found, err := c.List(ctx, page)
		if err != nil {
			return n, err
		}
		for _, m := range found {
			if err := enc.Encode(exportLine(m)); err != nil {
				return n, fmt.Errorf("write export: %w", err)
			}
		}
		n += len(found)
		// An empty page and not a short one is the end: a server may give
		// smaller pages than were asked for.
		if len(found) == 0 {
			return n, out.Flush()
		}
		page.After = found[len(found)-1].ID
	}
}
