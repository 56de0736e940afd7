package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) man() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the manual pages into a folder",
		Long:    "Write a manual page for each command into a folder, such as ~/.local/share/man/man1,\nwhere \"man mneme-recall\" finds them.",
		Example: "  mneme man ~/.local/share/man/man1",
		Args:    cobra.ExactArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir := args[0]
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(a.sys.Dir, dir)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("write manual pages: %w", err)
		}
		root := cmd.Root()
		root.DisableAutoGenTag = true
		now := a.sys.Now()
		if err := doc.GenManTree(root, &doc.GenManHeader{Title: "MNEME", Section: "1", Source: "mneme " + a.versionText(), Manual: "mneme", Date: &now}, dir); err != nil {
			return fmt.Errorf("write manual pages: %w", err)
		}
		pages, err := filepath.Glob(filepath.Join(dir, "mneme*.1"))
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(list(pages))
		}
		return a.printf("wrote %s into %s\n", plural(len(pages), "page", "pages"), dir)
	}
	return cmd
}
