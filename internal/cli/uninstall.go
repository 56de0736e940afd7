package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/install"
	"github.com/mneme-memory/mneme/memory"
)

func (a *app) uninstall() *cobra.Command {
	var scope string
	var dryRun, yes bool
	var e everything
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Disconnect Claude Code",
		Long: "Take back what \"mneme install\" did, in all scopes. A file that was not touched since is\n" +
			"put back as it was, to the byte; from one that was edited, only the entries of mneme are\n" +
			"taken. The memories stay.\n\n" +
			"With --all mneme is stopped too, and what stays is named; --delete-memories deletes the data\n" +
			"folder, after a backup (--backup FILE) or without one (--no-backup).",
		Example: "  mneme uninstall --dry-run\n  mneme uninstall --all\n  mneme uninstall --all --delete-memories --backup ~/mneme.backup",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only this scope: user, or project or local of the current folder")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would change, and change nothing")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	e.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch install.Scope(scope) {
		case "", install.User, install.Project, install.Local:
		default:
			return memory.Errorf(memory.Invalid, "use user, project or local", "unknown scope %q", scope)
		}
		cfg, err := a.config()
		if err != nil {
			return err
		}
		r, err := install.Remove(cfg.Home, install.Scope(scope), install.ProjectDir(a.sys.Dir), install.FindClaude())
		if err != nil {
			return err
		}
		if e.all || e.memories || e.backup != "" || e.noBackup {
			return a.uninstallAll(cmd.Context(), cfg, r, e, dryRun, yes)
		}
		return a.runUninstall(cmd.Context(), r, dryRun, yes)
	}
	return cmd
}

func (a *app) runUninstall(ctx context.Context, r *install.Removal, dryRun, yes bool) error {
	res := installJSON{Removed: r.Connections, Changes: changesJSON(r.Changes), Files: []string{}}
	if r.Empty() {
		return a.printInstalled(res, "Claude Code is not connected by this mneme, nothing to do\n")
	}
	if err := a.showChanges(r.Changes, "to be removed: "+strings.Join(r.Connections, "; ")); err != nil {
		return err
	}
	if dryRun {
		return a.printInstalled(res, "nothing was changed\n")
	}
	if sure, err := a.confirm(ctx, yes, "Disconnect Claude Code?"); err != nil || !sure {
		return err
	}
	if err := r.Apply(ctx); err != nil {
		return err
	}
	res.Done = true
	return a.printInstalled(res, "Claude Code is disconnected. The memories stay.\n")
}
